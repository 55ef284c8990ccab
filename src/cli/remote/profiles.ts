import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { RunlinkError } from '../../base/error.ts';
import { makeFolder } from '../../base/make-folder.ts';

const profile = z.object({
  base_url: z.string(),
  api_key: z.string(),
  /** The sign-in made the key, so signing out revokes it. */
  made_by_login: z.boolean().optional(),
});
const profiles = z.object({
  current: z.string().optional(),
  profiles: z.record(z.string(), profile).default({}),
});
type Profiles = z.infer<typeof profiles>;

/** The file with the profiles (XDG Base Directory; APPDATA on Windows). */
export function profilesFile(): string {
  const { XDG_CONFIG_HOME, APPDATA } = process.env;
  const windows = process.platform === 'win32' ? APPDATA : undefined;
  const home = XDG_CONFIG_HOME || windows || join(homedir(), '.config');
  return join(home, 'runlink', 'profiles.json');
}

export async function readProfiles(): Promise<Profiles> {
  const file = profilesFile();
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw new RunlinkError('unreadable_profiles', `${file} cannot be read: ${error.message}.`);
  });
  try {
    return profiles.parse(JSON.parse(text));
  } catch (error) {
    throw new RunlinkError('unreadable_profiles', `${file} is not what "runlink login" writes.`, {
      hint: 'Delete it and sign in again.',
      cause: error,
    });
  }
}

/** Writes the file in one step, readable by its owner alone. */
export async function writeProfiles(content: Profiles): Promise<void> {
  const file = profilesFile();
  await makeFolder(dirname(file), 'XDG_CONFIG_HOME');
  const fresh = `${file}.${process.pid}`;
  await writeFile(fresh, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await chmod(fresh, 0o600);
  await rename(fresh, file);
}
