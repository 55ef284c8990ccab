import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { GITHUB_CALLBACK_PATH } from '../../contract/people.ts';
import { WEBHOOK_PATH } from '../http/receive.ts';

/**
 * The part of app.yml that describes any installation of the App; addresses come with the server.
 */
const manifestFile = z.strictObject({
  name: z.string(),
  url: z.url(),
  description: z.string(),
  public: z.boolean(),
  default_events: z.array(z.string()),
  default_permissions: z.record(z.string(), z.enum(['read', 'write'])),
});
export type ManifestFile = z.output<typeof manifestFile>;

/** Path of the page that GitHub sends the person back to. */
export const SETUP_PATH = '/probot';
export const CALLBACK_PATH = '/probot/setup';

export function readManifestFile(path: string): ManifestFile {
  return manifestFile.parse(parse(readFileSync(path, 'utf8')));
}

/** The manifest from which GitHub creates the App, with this server's addresses. */
export function manifestFor(
  file: ManifestFile,
  publicUrl: string,
  pagesUrl?: string,
): Record<string, unknown> {
  return {
    ...file,
    hook_attributes: { url: `${publicUrl}${WEBHOOK_PATH}`, active: true },
    redirect_url: `${publicUrl}${CALLBACK_PATH}`,
    ...(pagesUrl !== undefined && { callback_urls: [`${pagesUrl}${GITHUB_CALLBACK_PATH}`] }),
  };
}

/** The GitHub page on which a person creates the App, for their own account or an organisation. */
export function creationUrl(
  webUrl: string,
  organisation: string | undefined,
  state: string,
): string {
  const place = organisation
    ? `/organizations/${encodeURIComponent(organisation)}/settings/apps/new`
    : '/settings/apps/new';
  return `${webUrl}${place}?state=${encodeURIComponent(state)}`;
}
