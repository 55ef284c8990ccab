import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalUrl } from '../../src/contract/canonical-url.ts';

const PULL = 'https://github.com/acme/web/pull/7';

describe('the canonical form of an external reference (interface.md 4.2)', () => {
  it.each([
    ['scheme and host case', 'HTTPS://GitHub.com/acme/web/pull/7'],
    ['owner and repository case', 'https://github.com/Acme/Web/pull/7'],
    ['default port', 'https://github.com:443/acme/web/pull/7'],
    ['fragment', `${PULL}#issuecomment-1`],
    ['trailing slash', `${PULL}/`],
    ['tracking parameters', `${PULL}?utm_source=mail&notification_referrer_id=x`],
    ['the files view', `${PULL}/files?diff=split&w=1`],
    ['the commits view', `${PULL}/commits/0123abcd`],
    ['the checks view', `${PULL}/checks`],
    ['a place in the files view', `${PULL}/files#x`],
    ['codes for signs that need none', 'https://github.com/%61cme/web/pull/7'],
    ['credentials', 'https://someone:secret@github.com/acme/web/pull/7'],
    ['spaces around it', `  ${PULL}\n`],
  ])('ignores %s', (_, spelling) => {
    expect(canonicalUrl(spelling)).toBe(PULL);
  });

  it.each([
    ['another number', 'https://github.com/acme/web/pull/70'],
    ['another host', 'https://ghes.example/acme/web/pull/7'],
    ['another port', 'https://github.com:8443/acme/web/pull/7'],
    ['another scheme', 'http://github.com/acme/web/pull/7'],
    ['an issue', 'https://github.com/acme/web/issues/7'],
  ])('tells %s apart', (_, other) => {
    expect(canonicalUrl(other)).not.toBe(PULL);
  });

  it('keeps the case of paths and the parameters that name something', () => {
    expect(canonicalUrl('https://tracker.example/Browse/T-1/?view=Full&utm_id=3&b=2')).toBe(
      'https://tracker.example/Browse/T-1?view=Full&b=2',
    );
  });

  it.each([
    'https://gerrit.example/#/c/1/',
    'https://app.example/#!/tickets/7',
    'https://wiki.example/page#chapter-2',
    'https://github.com/acme/web#readme',
    'https://forge.example/acme/web/pull/7#/files/1',
    'https://forge.example/acme/web/pull/7#!/files/2',
  ])('keeps the fragment of %s, by which a site may find its page', (url) => {
    expect(canonicalUrl(url)).toBe(url);
  });

  it.each([
    '/issues/7#issuecomment-1',
    '/issues/7#issue-12',
    '/issues/7#event-3',
    '/discussions/7#discussioncomment-1',
    '/commit/0a1b#diff-0c2d',
    '/commit/0a1b#commitcomment-5',
    '/commit/0a1b#r5',
    '/blob/main/a.ts#L3-L5',
  ])('drops the fragment of %s on GitHub and its Enterprise Server', (page) => {
    for (const host of ['github.com', 'ghes.example'])
      expect(canonicalUrl(`https://${host}/acme/web${page}`)).toBe(
        `https://${host}/acme/web${page.split('#')[0]}`,
      );
  });

  it('takes %7E and ~ for one, wherever they stand', () => {
    for (const place of ['/%7Eada/x', '/x?by=%7eada', '/x#%7Eada'])
      expect(canonicalUrl(`https://h.example${place}`)).toBe(
        canonicalUrl(`https://h.example${place.replace(/%7e/i, '~')}`),
      );
    expect(canonicalUrl('https://h.example/a%2Fb')).toBe('https://h.example/a%2Fb');
  });

  it('takes codes in small letters for the same, and reads none that a sign needs', () => {
    for (const place of ['/%c3%a4', '/x#%c3%a4', '/a%2fb'])
      expect(canonicalUrl(`https://h.example${place}`)).toBe(
        `https://h.example${place.replaceAll(/%../g, (code) => code.toUpperCase())}`,
      );
  });

  it('tells codes apart that are no UTF-8', () => {
    for (const query of ['?q=%E4', '?q=%F6', '?%E4=1', '?q=%EF%BF%BD'])
      expect(canonicalUrl(`https://h.example/x${query.toLowerCase()}`)).toBe(
        `https://h.example/x${query.toLowerCase().replaceAll(/%../g, (code) => code.toUpperCase())}`,
      );
  });

  it.each(['', 'not a url', 'javascript:alert(1)', 'file:///etc/passwd', 'ftp://a/b'])(
    'refuses %j',
    (text) => {
      expect(canonicalUrl(text)).toBeUndefined();
    },
  );

  it('is the same when taken twice', () => {
    const stable = fc.property(
      fc.webUrl({
        withFragments: true,
        withQueryParameters: true,
        validSchemes: ['http', 'https'],
      }),
      (url) => {
        const once = canonicalUrl(url);
        expect(once === undefined ? undefined : canonicalUrl(once)).toBe(once);
      },
    );
    expect(fc.check(stable)).toMatchObject({ failed: false });
  });
});
