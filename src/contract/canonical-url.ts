import { trimEnd } from '../base/trim-end.ts';

/** Parameters that only say where a reader came from. */
const TRACKING =
  /^(utm_\w+|gclid|dclid|fbclid|msclkid|yclid|igshid|mc_cid|mc_eid|_hsenc|_hsmi|notification_referrer_id)$/i;
/** A pull request's page and whatever view of it follows. */
const PULL_REQUEST = /^\/([^/]+)\/([^/]+)\/pull\/(\d+)(?:\/.*)?$/;

function withoutTracking(search: URLSearchParams): string {
  const kept = [...search].filter(([name]) => !TRACKING.test(name));
  return kept.length === 0 ? '' : `?${new URLSearchParams(kept).toString()}`;
}

/**
 * The one spelling under which a URL is stored and looked up (docs/api.md): scheme and host in lower
 * case, no credentials, default port, fragment, tracking parameters or trailing slash; a GitHub pull
 * request without its view (`/files`, `/commits`, …) and query, owner and repository in lower case,
 * as GitHub does not tell them apart. Undefined for anything but an http or https URL.
 */
export function canonicalUrl(text: string): string | undefined {
  const url = URL.parse(text.trim());
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  const path = trimEnd(url.pathname, '/');
  const [pull, owner = '', repo = '', number = ''] = PULL_REQUEST.exec(path) ?? [];
  if (pull) return `${url.origin}/${owner.toLowerCase()}/${repo.toLowerCase()}/pull/${number}`;
  return url.origin + path + withoutTracking(url.searchParams);
}
