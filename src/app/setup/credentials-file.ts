import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseEnv } from 'node:util';
import type { NewCredentials } from './setup-pages.ts';

/** Keeps what GitHub handed out once, readable by this user alone. */
export async function saveCredentials(file: string, credentials: NewCredentials): Promise<void> {
  const key = Buffer.from(credentials.privateKey).toString('base64');
  const lines = [
    `APP_ID=${credentials.appId}`,
    `PRIVATE_KEY=${key}`,
    `WEBHOOK_SECRET=${credentials.webhookSecret}`,
  ];
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o600 });
}

/** What an earlier set-up left; the environment's own variables come first. */
export function readCredentials(file: string): Record<string, string | undefined> {
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
}
