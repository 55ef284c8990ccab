import { resolve } from 'node:path';
import { Octokit } from '@octokit/core';
import type { Log } from '../../base/log.ts';
import { saveCredentials } from './credentials-file.ts';
import { readManifestFile, SETUP_PATH } from './manifest.ts';
import { createSetupPages, type SetupPages } from './setup-pages.ts';

const MANIFEST = resolve(import.meta.dirname, '../../../app.yml');

/** The pages on which the App is created, and the path that opens them once. */
export function openSetup(options: {
  githubApiUrl: string;
  /** File for the credentials that GitHub hands out. */
  file: string;
  /** Where people reach this server; if absent, each request says. */
  publicUrl?: string | undefined;
  /** Where the service's pages are for a server reached at this address. */
  pagesAt?: ((publicUrl: string) => string) | undefined;
  /** Called once the App exists. */
  created?: ((appId: number) => Promise<void>) | undefined;
  log: Log;
}): SetupPages & { path: string } {
  const { githubApiUrl: apiUrl, file, publicUrl, pagesAt, created, log } = options;
  const pages = createSetupPages({
    manifest: readManifestFile(MANIFEST),
    github: new Octokit({ baseUrl: apiUrl }),
    apiUrl,
    publicUrl,
    pagesAt,
    async save(credentials) {
      await saveCredentials(file, credentials);
      await created?.(credentials.appId);
    },
    log,
  });
  return { ...pages, path: `${SETUP_PATH}?key=${pages.key}` };
}
