import { RunlinkError } from '../../base/error.ts';
import { readProfiles } from './profiles.ts';

/** How options name the service. */
export interface ServiceChoice {
  /** From `--base-url` or RUNLINK_BASE_URL. */
  baseUrl?: string;
  profile?: string;
}

/** A service and the key for it. */
export interface ServiceAccess {
  baseUrl: string;
  apiKey: string | undefined;
  profile?: string;
}

/**
 * Finds the service to talk to: `--profile`; else `--base-url` or RUNLINK_BASE_URL with the key in
 * RUNLINK_API_KEY; else the profile that was last signed in to. A profile's key is sent to its own
 * service only.
 */
export async function findService(options: ServiceChoice): Promise<ServiceAccess | undefined> {
  const { RUNLINK_API_KEY, RUNLINK_PROFILE } = process.env;
  if (options.baseUrl && !options.profile) return atAddress(options.baseUrl, RUNLINK_API_KEY);
  const { current, profiles } = await readProfiles();
  const profile = options.profile ?? (RUNLINK_PROFILE || current);
  if (profile === undefined) return undefined;
  const found = profiles[profile];
  if (!found) throw unknownProfile(profile, Object.keys(profiles));
  return { baseUrl: found.base_url, apiKey: found.api_key, profile };
}

async function atAddress(baseUrl: string, apiKey: string | undefined): Promise<ServiceAccess> {
  if (apiKey) return { baseUrl, apiKey };
  const profiles = Object.entries((await readProfiles()).profiles);
  const [profile, own] = profiles.find(([, { base_url: at }]) => at === baseUrl) ?? [];
  return { baseUrl, apiKey: own?.api_key, ...(profile && { profile }) };
}

/** The same, but throws if there is no service or no key. */
export async function requiredService(
  options: ServiceChoice,
): Promise<ServiceAccess & { apiKey: string }> {
  const found = await findService(options);
  if (!found)
    throw new RunlinkError('missing_base_url', 'No service is named.', {
      hint: 'Sign in with "runlink login URL", or set RUNLINK_BASE_URL and RUNLINK_API_KEY.',
    });
  const { apiKey } = found;
  if (!apiKey)
    throw new RunlinkError('missing_api_key', `There is no key for ${found.baseUrl}.`, {
      hint: 'Sign in with "runlink login", or set RUNLINK_API_KEY.',
    });
  return { ...found, apiKey };
}

function unknownProfile(name: string, known: readonly string[]): RunlinkError {
  return new RunlinkError('invalid_option', `There is no profile "${name}".`, {
    hint: known.length > 0 ? `Profiles: ${known.join(', ')}.` : 'Make one with "runlink login".',
  });
}
