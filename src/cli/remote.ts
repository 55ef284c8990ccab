import { RunlinkError } from '../base/error.ts';

/** The service's API for a worker, from --base-url or RUNLINK_BASE_URL. */
export function requiredUrl({ baseUrl }: { baseUrl?: string }): string {
  if (baseUrl) return baseUrl;
  throw new RunlinkError('missing_base_url', 'No service is named.', {
    hint: 'Set RUNLINK_BASE_URL or give --base-url, such as http://127.0.0.1:8787.',
  });
}

/**
 * The key from RUNLINK_API_KEY. Keys are never accepted as options, because others on the machine
 * could read them.
 */
export function requiredKey(): string {
  const apiKey = process.env['RUNLINK_API_KEY'];
  if (apiKey) return apiKey;
  throw new RunlinkError('missing_api_key', 'No API key is set.', {
    hint: 'Set RUNLINK_API_KEY; "runlink keys create" or the settings page makes one.',
  });
}
