import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Confinement, View } from './confinement.ts';
import { machineView } from './machine-view.ts';
import { joinViews, operatorView } from './view.ts';

/**
 * What every run of a worker sees of the machine, and what it sees beside an image of its own; `dir` is
 * for files that are made for it.
 */
export async function workerViews(
  options: { readOnly?: readonly string[] | undefined },
  dir: string,
  user: Confinement['user'],
): Promise<{ view: View; imageView: View }> {
  const imageView = joinViews(operatorView(options.readOnly ?? []), await identityView(dir, user));
  return { view: joinViews(machineView(), imageView), imageView };
}

/** The one user that a run knows of: the machine's own list of people is nobody's business. */
async function identityView(dir: string, { uid, gid }: Confinement['user']): Promise<View> {
  const name = uid === 0 ? 'root' : 'agent';
  const files = {
    passwd: `${name}:x:${uid}:${gid}:${name}:/nonexistent:/bin/sh\n`,
    group: `${name}:x:${gid}:\n`,
  };
  await mkdir(dir, { recursive: true, mode: 0o700 });
  for (const [file, content] of Object.entries(files)) await writeFile(join(dir, file), content);
  const why = 'the name of the user that runs have';
  const shown = Object.keys(files).map((file) => ({
    path: join(dir, file),
    at: `/etc/${file}`,
    why,
  }));
  return { readOnly: shown, links: [] };
}
