import { expect, it } from 'vitest';
import { githubOrigin } from '../../src/contract/github-origin.ts';
import { cloneUrl } from '../../src/service/environments/clone-url.ts';

it.each([
  ['https://api.github.com', 'https://github.com'],
  ['https://api.acme.ghe.com', 'https://acme.ghe.com'],
  ['https://api.acme.ghe.com/', 'https://acme.ghe.com'],
  ['https://git.example.org/api/v3', 'https://git.example.org'],
  ['https://api.example.org:8443/api/v3', 'https://api.example.org:8443'],
  ['no address', ''],
])('the pages of the GitHub with the API %s are at %s', (apiUrl, origin) => {
  expect(githubOrigin(apiUrl)).toBe(origin);
});

it('clones from the tenant of ghe.com whose API is used', () => {
  const url = cloneUrl({ owner: 'o', repo: 'r' }, { api_url: 'https://api.acme.ghe.com' });
  expect(url).toBe('https://acme.ghe.com/o/r.git');
});
