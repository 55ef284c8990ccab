/** GitHub's own API, if no other is named. */
export const PUBLIC_API = 'https://api.github.com';

/**
 * The web address that belongs to an API: github.com and each tenant of ghe.com have a separate
 * host for the API, an Enterprise Server has one host for both (GitHub Docs, "Getting started with
 * the REST API"). Empty if `apiUrl` is not a URL.
 */
export function githubOrigin(apiUrl: string): string {
  const url = URL.parse(apiUrl);
  if (!url) return '';
  const host = /^api\.(github\.com|[^.]+\.ghe\.com)$/.exec(url.host)?.[1];
  return host === undefined ? url.origin : `${url.protocol}//${host}`;
}
