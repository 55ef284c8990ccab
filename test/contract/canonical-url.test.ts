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
