/** GitHub's own API, where nothing says which one. */
export const PUBLIC_API = 'https://api.github.com';

/**
 * Where the pages and repositories are whose API is here: github.com and each tenant of ghe.com have a host
 * of its own for the API, an Enterprise Server has one for both (GitHub Docs, "Getting started with the REST
 * API"). Empty for what is no URL.
 */
export function githubOrigin(apiUrl: string): string {
  const url = URL.parse(apiUrl);
  if (!url) return '';
  const host = /^api\.(github\.com|[^.]+\.ghe\.com)$/.exec(url.host)?.[1];
  return host === undefined ? url.origin : `${url.protocol}//${host}`;
}
