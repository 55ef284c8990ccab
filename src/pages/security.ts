import { createHmac, timingSafeEqual } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { csrf } from 'hono/csrf';
import { NONCE, secureHeaders } from 'hono/secure-headers';
import { numbered } from './text.ts';

/**
 * Longest form body: a follow-up of a million characters, percent-encoded (contract PROMPT_MAX).
 */
export const FORM_MAX_BYTES = 8 * 1024 * 1024;

/** Longest form of a new run: its prompt and five images of ten megabytes. */
export const IMAGES_MAX_BYTES = FORM_MAX_BYTES + 50 * 1024 * 1024;

/**
 * Headers of every page (threats.md S5, S11). Only scripts with the nonce run, so injected markup
 * cannot even load a file from our own origin. The referrer policy is `same-origin`, because with
 * `no-referrer` browsers send `Origin: null` with forms.
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

const UNSEEN = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g;
/**
 * Characters that change the direction of text, except in form fields, which keep what was written.
 */
const TURNING = /<textarea[^<>]*>[^<]*<| value="[^"]*"|[\u202A-\u202E\u2066-\u2069]/g;

/**
 * Removes control characters from every page, because nobody sees them and a terminal would obey
 * them. Shows direction marks by their numbers, because they could make `gpj.exe` read as
 * `exe.jpg`.
 */
export const plainly: MiddlewareHandler = async (c, next) => {
  await next();
  if (!c.res.headers.get('content-type')?.startsWith('text/html')) return;
  const text = (await c.res.text()).replaceAll(UNSEEN, '');
  const plain = text.replaceAll(TURNING, (it) => (it.length > 1 ? it : numbered(it)));
  c.res = new Response(plain, c.res);
};

/** Refuses changes that another site made the browser send (threats.md S11). */
export function sameOriginOnly(publicUrl: string): MiddlewareHandler {
  const own = new URL(publicUrl).origin;
  return csrf({
    origin: (origin, c) =>
      origin === own || (URL.canParse(origin) && new URL(origin).host === c.req.header('host')),
  });
}

/** Token that proves that we made a form, for this session and this action. */
export function formToken(sessionToken: string, action: string): string {
  return createHmac('sha256', sessionToken).update(`form:${action}`).digest('base64url');
}

export function isFormToken(given: unknown, sessionToken: string, action: string): boolean {
  if (typeof given !== 'string') return false;
  const [a, b] = [Buffer.from(given), Buffer.from(formToken(sessionToken, action))];
  return a.length === b.length && timingSafeEqual(a, b);
}
