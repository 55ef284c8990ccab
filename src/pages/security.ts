import { createHmac, timingSafeEqual } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { csrf } from 'hono/csrf';
import { NONCE, secureHeaders } from 'hono/secure-headers';

/** Longest form body: a follow-up of a million characters, percent-encoded (contract PROMPT_MAX). */
export const FORM_MAX_BYTES = 8 * 1024 * 1024;

/**
 * Headers of every page (threats.md S5, S11). Scripts run by a nonce alone, so that not even a file
 * on our own origin can be pulled in by injected markup. `same-origin` as referrer policy because
 * `no-referrer` makes browsers send `Origin: null` with forms.
 */
export function pageHeaders(publicUrl: string): MiddlewareHandler {
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: [NONCE],
      styleSrc: ["'self'"],
      imgSrc: ["'self'"],
      connectSrc: ["'self'"],
      formAction: ["'self'"],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
    },
    referrerPolicy: 'same-origin',
    xFrameOptions: 'DENY',
    strictTransportSecurity: publicUrl.startsWith('https:') ? 'max-age=15552000' : false,
  });
}

/** Refuses unsafe requests that another site made a browser send (threats.md S11). */
export function sameOriginOnly(publicUrl: string): MiddlewareHandler {
  const own = new URL(publicUrl).origin;
  return csrf({
    origin: (origin, c) =>
      origin === own || (URL.canParse(origin) && new URL(origin).host === c.req.header('host')),
  });
}

/** The value that proves a form was made by us for this session and this action. */
export function formToken(sessionToken: string, action: string): string {
  return createHmac('sha256', sessionToken).update(`form:${action}`).digest('base64url');
}

export function isFormToken(given: unknown, sessionToken: string, action: string): boolean {
  if (typeof given !== 'string') return false;
  const [a, b] = [Buffer.from(given), Buffer.from(formToken(sessionToken, action))];
  return a.length === b.length && timingSafeEqual(a, b);
}
