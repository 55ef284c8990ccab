import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { makeFolder } from '../../base/make-folder.ts';
import type { NewCredentials } from './setup-pages.ts';

/** Keeps what GitHub handed out once, readable by this user alone. */
export async function saveCredentials(file: string, credentials: NewCredentials): Promise<void> {
  const { clientId, clientSecret } = credentials;
  const key = Buffer.from(credentials.privateKey).toString('base64');
  const lines = [
    `APP_ID=${credentials.appId}`,
    `PRIVATE_KEY=${key}`,
    `WEBHOOK_SECRET=${credentials.webhookSecret}`,
    ...(clientId && clientSecret
      ? [`GITHUB_CLIENT_ID=${clientId}`, `GITHUB_CLIENT_SECRET=${clientSecret}`]
      : []),
  ];
  await makeFolder(dirname(file));
  await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o600 });
}

/** What an earlier set-up left; the environment's own variables come first. */
export function readCredentials(file: string): Record<string, string | undefined> {
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return {};
    throw error;
  }
}

/** The file in a data directory in which an earlier set-up left the App. */
export function credentialsFile(dataDir: string): string {
  return join(dataDir, 'app.env');
}

type Variables = Record<string, string | undefined>;

const filled = (environment: Variables): Variables =>
  Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));

/** The environment's variables, and what an earlier set-up left where they say nothing. */
export function withCredentials(dataDir: string, environment: Variables): Variables {
  return { ...readCredentials(credentialsFile(dataDir)), ...filled(environment) };
}

/** Whether these variables name an App. */
export function namesApp(variables: Variables): boolean {
  return Boolean(variables['APP_ID'] ?? variables['PRIVATE_KEY_PATH']);
}

/**
 * The environment's variables, and the App of an earlier set-up under the names that the service
 * reads it by, unless the environment names another App: what is kept belongs together.
 */
export function withKeptApp(
  dataDir: string,
  environment: Variables,
  names: {
    app_id_variable: string;
    private_key_variable: string;
    client_id_variable: string;
    client_secret_variable: string;
  },
): Variables {
  const kept = readCredentials(credentialsFile(dataDir));
  const given = withKeyOfFile(filled(environment), names.private_key_variable);
  const isAnother = [given['APP_ID'], given[names.app_id_variable]].some(
    (id) => id !== undefined && id !== kept['APP_ID'],
  );
  if (isAnother) return given;
  return {
    [names.app_id_variable]: kept['APP_ID'],
    [names.private_key_variable]: kept['PRIVATE_KEY'],
    [names.client_id_variable]: kept['GITHUB_CLIENT_ID'],
    [names.client_secret_variable]: kept['GITHUB_CLIENT_SECRET'],
    ...given,
  };
}

/** The text of the key whose path `PRIVATE_KEY_PATH` names, as the App takes it. */
function withKeyOfFile(given: Variables, name: string): Variables {
  const path = given['PRIVATE_KEY_PATH'];
  if (path === undefined || given[name] !== undefined) return given;
  return { ...given, [name]: readFileSync(path, 'utf8') };
}
