import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Service } from '../../service/create-service.ts';
import { authenticate } from '../../service/keys/authenticate.ts';

/** Writes a secret so that only its owner can read it, in one step. */
export async function writeSecretFile(file: string, secret: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(`${file}.new`, `${secret}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/**
 * The key a part of this process uses towards its own service: the one in the file while it works,
 * else a new one. Kept, so that a restart leaves no dead keys behind.
 */
export async function ensureKeyFile(
  file: string,
  service: Service,
  make: () => Promise<{ key: string }>,
): Promise<string> {
  const kept = await readFile(file, 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );
  if (kept && (await authenticate(service.context, kept))) return kept;
  const { key } = await make();
  await writeSecretFile(file, key);
  return key;
}
