import { join, resolve } from 'node:path';
import { Octokit } from '@octokit/core';
import type { Log } from '../../base/log.ts';
import { readCredentials, saveCredentials } from './credentials-file.ts';
import { readManifestFile, SETUP_PATH } from './manifest.ts';
import { createSetupPages, type SetupPages } from './setup-pages.ts';

const MANIFEST = resolve(import.meta.dirname, '../../../app.yml');

/** The file in a data directory in which an earlier set-up left the App. */
export function credentialsFile(dataDir: string): string {
  return join(dataDir, 'app.env');
}

/** The environment's variables, and what an earlier set-up left where they say nothing. */
export function withCredentials(
  dataDir: string,
  environment: NodeJS.ProcessEnv,
): Record<string, string | undefined> {
  const given = Object.entries(environment).filter(([, value]) => value?.trim());
  return { ...readCredentials(credentialsFile(dataDir)), ...Object.fromEntries(given) };
}

/** Whether these variables name an App. */
export function namesApp(variables: Record<string, string | undefined>): boolean {
  return Boolean(variables['APP_ID'] ?? variables['PRIVATE_KEY_PATH']);
}

/** The pages on which the App is created, and the path that opens them once. */
export function openSetup(options: {
  githubApiUrl: string;
  /** Where what GitHub hands out is kept. */
  file: string;
  /** Where people reach this server; else as each request says. */
  publicUrl?: string | undefined;
  log: Log;
}): SetupPages & { path: string } {
  const { githubApiUrl: apiUrl, file, publicUrl, log } = options;
  const pages = createSetupPages({
    manifest: readManifestFile(MANIFEST),
    github: new Octokit({ baseUrl: apiUrl }),
    apiUrl,
    publicUrl,
    save: (credentials) => saveCredentials(file, credentials),
    log,
  });
  return { ...pages, path: `${SETUP_PATH}?key=${pages.key}` };
}
