import { trimEnd } from '../base/trim-end.ts';

/** Parameters that only say where a reader came from. */
const TRACKING =
  /^(utm_\w+|gclid|dclid|fbclid|msclkid|yclid|igshid|mc_cid|mc_eid|_hsenc|_hsmi|notification_referrer_id)$/i;
/** A pull request's page and whatever view of it follows; by `#/` another site finds a page of its own. */
const PULL_REQUEST = /^\/([^/]+)\/([^/]+)\/pull\/(\d+)(?:\/[^#]*)?(?:#(?!!?\/).*)?$/;
/** A page of GitHub, its Enterprise Server included, and the fragments that name a place on it. */
const GITHUB_PAGE = /^\/[^/]+\/[^/]+\/(issues|discussions|commit|compare|blob|blame|tree)\//;
const GITHUB_PLACE =
  /^#(issue-\d|event-\d|issuecomment-|discussion_r|discussioncomment-|pullrequestreview-|commitcomment-|diff-|r\d|L\d)[\w-]*$/;
const CODE = /%[\dA-F]{2}/gi;

/**
 * The one spelling under which a URL is stored and looked up (docs/api.md): scheme and host in lower
 * case, no credentials, default port, tracking parameters or trailing slash; of a page of GitHub no
 * fragment that names a place on it; a GitHub pull request without its view (`/files`, `/commits`, …)
 * and query, owner and repository in lower case, as GitHub does not tell them apart. Any other
 * fragment is kept, since some sites find their pages by it. Undefined for anything but an http or
 * https URL.
 */
export function canonicalUrl(text: string): string | undefined {
  const url = URL.parse(text.trim());
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  const path = trimEnd(withoutNeedlessCodes(url.pathname), '/');
  const [pull, owner = '', repo = '', number = ''] = PULL_REQUEST.exec(path + url.hash) ?? [];
  if (pull) return `${url.origin}/${owner.toLowerCase()}/${repo.toLowerCase()}/pull/${number}`;
  const isPlace = GITHUB_PAGE.test(path) && GITHUB_PLACE.test(url.hash);
  const fragment = isPlace ? '' : withoutNeedlessCodes(url.hash);
  const rest = withoutTracking(url) + fragment;
  return url.origin + (path === '' && rest.startsWith('#') ? '/' : path) + rest;
}

/** Codes of another encoding than UTF-8 cannot be read, and stay as they are. */
function withoutTracking({ search, searchParams }: URL): string {
  const kept = [...searchParams].filter(([name]) => !TRACKING.test(name));
  if (kept.flat().some((part) => part.includes('\ufffd'))) return withoutNeedlessCodes(search);
  return kept.length === 0 ? '' : `?${new URLSearchParams(kept).toString()}`;
}

/** `%7E` is `~`, and `%e4` is `%E4` (RFC 3986 6.2.2). */
function withoutNeedlessCodes(text: string): string {
  return text.replaceAll(CODE, (code) => {
    const sign = String.fromCodePoint(Number.parseInt(code.slice(1), 16));
    return /[\w.~-]/.test(sign) ? sign : code.toUpperCase();
  });
}
