import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** What a stand-in keeps between starts: its secrets, and its port, which links contain. */
const settings = z.object({
  port: z.int(),
  privateKey: z.string(),
  webhookSecret: z.string(),
  tokens: z.record(z.string(), z.string()),
});
export type StandInSettings = z.infer<typeof settings>;

const secret = (): string => randomBytes(20).toString('hex');

const fileOf = (dataDir: string): string => join(dataDir, 'settings.json');

/** The settings of an earlier start in this directory, or new ones. */
export async function readDemoSettings(
  dataDir: string,
  logins: readonly string[],
): Promise<StandInSettings> {
  const text = await readFile(fileOf(dataDir), 'utf8').catch(() => undefined);
  return text === undefined ? newSettings(logins) : settings.parse(JSON.parse(text));
}

/** Replaces the settings file in one step. */
export async function writeSettings(dataDir: string, value: StandInSettings): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const file = fileOf(dataDir);
  await writeFile(`${file}.new`, JSON.stringify(value), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

function newSettings(logins: readonly string[]): StandInSettings {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const tokens = Object.fromEntries(logins.map((login) => [login, `ghp_${secret()}`]));
  return { port: 0, privateKey, webhookSecret: secret(), tokens };
}
