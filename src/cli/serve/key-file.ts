import { access, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { RunlinkError } from '../../base/error.ts';
import { makeFolder } from '../../base/make-folder.ts';
import type { Service } from '../../service/create-service.ts';
import { authenticate } from '../../service/keys/authenticate.ts';
import { ensureOwner } from '../../service/keys/manage-keys.ts';

/**
 * The key that a part of this process uses for its own service: the one in the file if it is still
 * valid, else a new one. Keeping it means that restarts leave no unused keys behind.
 */
export async function ensureKeyFile(
  file: string,
  service: Service,
  make: () => Promise<{ key: string }>,
): Promise<string> {
  const kept = await readKey(file);
  if (kept && (await works(kept, service))) return kept;
  const { key } = await make();
  await writeBeside(file, key);
  await rename(besideOf(file), file);
  return key;
}

/**
 * Writes the owner's key of a new service to a file; does nothing if the service has users. The key
 * is on disk before the service knows it, so that a crash cannot lose it. Throws
 * `owner_key_exists`, without making anything, if the file holds another service's key.
 */
export async function ensureOwnerKey(file: string, service: Service): Promise<void> {
  await ensureOwner(service.context.db, async ({ key }) => {
    if (await exists(file)) throw ownerKeyExists(file);
    await writeBeside(file, key);
  });
  const written = await readKey(besideOf(file));
  if (written && !(await exists(file)) && (await works(written, service)))
    await rename(besideOf(file), file);
}

function ownerKeyExists(file: string): RunlinkError {
  return new RunlinkError(
    'owner_key_exists',
    `This database has no owner yet, but ${file} holds an owner’s key: it belongs to another service.`,
    {
      hint: 'Give this service a --data directory of its own, or move that file away if nobody needs it.',
    },
  );
}

const besideOf = (file: string): string => `${file}.new`;

/** Writes the whole file first, readable by its owner alone, and then moves it to its place. */
async function writeBeside(file: string, secret: string): Promise<void> {
  await makeFolder(dirname(file));
  await writeFile(besideOf(file), `${secret}\n`, { mode: 0o600, flush: true });
}

async function works(key: string, service: Service): Promise<boolean> {
  return (await authenticate(service.context, key)) !== undefined;
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

async function readKey(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );
}
