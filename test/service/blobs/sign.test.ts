import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attachmentDisposition, signPath, verifySigned } from '../../../src/service/blobs/sign.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
const LATER = new Date('2026-01-01T00:15:00Z');
const signed = {
  method: 'GET',
  path: '/downloads/a',
  disposition: attachmentDisposition('report.txt'),
  expiresAt: LATER,
};

function url(path: string): URL {
  return new URL(path, 'http://localhost');
}

describe('signed download links (threats.md S4)', () => {
  it('hold until they expire', () => {
    const link = url(signPath('secret', signed));
    expect(verifySigned('secret', 'GET', link, NOW)).toBe(signed.disposition);
    expect(verifySigned('secret', 'GET', link, LATER)).toBeUndefined();
  });

  it('hold for nothing but their own method, path, expiry and disposition', () => {
    const link = signPath('secret', signed);
    expect(verifySigned('secret', 'PUT', url(link), NOW)).toBeUndefined();
    expect(verifySigned('other', 'GET', url(link), NOW)).toBeUndefined();
    for (const [from, to] of [
      ['/downloads/a', '/downloads/b'],
      ['expires=1', 'expires=2'],
      ['attachment', 'inline'],
      ['signature=', 'signature=A'],
    ] as const) {
      expect(link).toContain(from);
      expect(verifySigned('secret', 'GET', url(link.replace(from, to)), NOW)).toBeUndefined();
    }
  });

  it('break with any one character changed, added or taken away', () => {
    const link = signPath('secret', signed);
    const change = fc.tuple(fc.nat(link.length - 1), fc.constantFrom('', 'a', '0', '%41', '&'));
    const broken = fc.property(change, ([at, by]) => {
      const wrong = url(link.slice(0, at) + by + link.slice(at + 1));
      fc.pre(wrong.href !== url(link).href);
      const said = verifySigned('secret', 'GET', wrong, NOW);
      // A parameter given twice counts once, and what comes after the signature signs nothing.
      expect([undefined, signed.disposition]).toContain(said);
    });
    expect(fc.check(broken, { numRuns: 500 })).toMatchObject({ failed: false });
  });

  it('break with any one byte of the signature changed', () => {
    const link = url(signPath('secret', signed));
    const right = Buffer.from(link.searchParams.get('signature') ?? '', 'base64url');
    for (const at of right.keys()) {
      const wrong = Buffer.from(right);
      wrong[at] = (wrong[at] ?? 0) ^ 1;
      link.searchParams.set('signature', wrong.toString('base64url'));
      expect(verifySigned('secret', 'GET', link, NOW)).toBeUndefined();
    }
  });

  it('never hold when made up', () => {
    const forged = fc.property(fc.webQueryParameters(), (query) => {
      expect(verifySigned('secret', 'GET', url(`/downloads/a?${query}`), NOW)).toBeUndefined();
    });
    expect(fc.check(forged)).toMatchObject({ failed: false });
    expect(
      verifySigned('secret', 'GET', url('/a?expires=99999999999&signature='), NOW),
    ).toBeUndefined();
  });

  it('name the file in a way no name can break out of', () => {
    expect(attachmentDisposition('a"\r\nX: y\\.txt')).toBe(
      `attachment; filename="a___X: y_.txt"; filename*=UTF-8''a%22%0D%0AX%3A%20y%5C.txt`,
    );
    expect(attachmentDisposition("naïve (1)'.txt")).toBe(
      `attachment; filename="na_ve (1)'.txt"; filename*=UTF-8''na%C3%AFve%20%281%29%27.txt`,
    );
  });
});
