import { trimEnd } from '../base/trim-end.ts';

/** Parameters that only say where a reader came from. */
const TRACKING =
  /^(utm_\w+|gclid|dclid|fbclid|msclkid|yclid|igshid|mc_cid|mc_eid|_hsenc|_hsmi|notification_referrer_id)$/i;
/**
 * A pull request's page or any view of it. A fragment beginning with `#/` belongs to another site's
 * own routing.
 */
const PULL_REQUEST = /^\/([^/]+)\/([^/]+)\/pull\/(\d+)(?:\/[^#]*)?(?:#(?!!?\/).*)?$/;
/** A page of GitHub or its Enterprise Server, and the fragments that name a place on it. */
const GITHUB_PAGE = /^\/[^/]+\/[^/]+\/(issues|discussions|commit|compare|blob|blame|tree)\//;
const GITHUB_PLACE =
  /^#(issue-\d|event-\d|issuecomment-|discussion_r|discussioncomment-|pullrequestreview-|commitcomment-|diff-|r\d|L\d)[\w-]*$/;
const CODE = /%[\dA-F]{2}/gi;

/**
 * The one spelling under which a URL is stored and looked up (docs/api.md). Scheme and host in
 * lower case; no credentials, default port, tracking parameters or trailing slash. Pages of GitHub
 * lose a fragment that names a place on the page. A GitHub pull request also loses its view
 * (`/files`, `/commits`, …) and query, and has its owner and repository in lower case, because
 * GitHub ignores their case. Every other fragment stays, because some sites route by it. Undefined
 * for anything but an http or https URL.
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

/** Codes of another encoding than UTF-8 cannot be decoded, and stay unchanged. */
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
