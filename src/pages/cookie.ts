import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import type { NewSession } from './backend.ts';

/**
 * Paths that need a session, so that the browser sends the cookie only there. Not `/`, because the
 * API and signed downloads share our origin and must never see it (threats.md S4).
 */
export const SESSION_PATHS = [
  '/runs',
  '/new',
  '/overview',
  '/settings',
  '/schedules',
  '/agents',
  '/environments',
];

export function readSessionCookie(c: Context, publicUrl: string): string | undefined {
  return getCookie(c, cookieName(publicUrl));
}

function write(c: Context, publicUrl: string, value: string, expires: Date): void {
  for (const path of SESSION_PATHS) {
    setCookie(c, cookieName(publicUrl), value, {
      path,
      httpOnly: true,
      sameSite: 'Lax',
      secure: publicUrl.startsWith('https:'),
      expires,
    });
  }
}

export function writeSessionCookie(c: Context, publicUrl: string, session: NewSession): void {
  write(c, publicUrl, session.token, session.expiresAt);
}

export function clearSessionCookie(c: Context, publicUrl: string): void {
  write(c, publicUrl, '', new Date(0));
}

const ONCE_SECONDS = 60;

/**
 * Keeps a secret for the page at `path` until {@link takeOnce} reads it there, for a minute at
 * most. Reloading that page then creates no second key.
 */
export function keepOnce(c: Context, publicUrl: string, path: string, secret: string): void {
  setCookie(c, onceName(publicUrl), secret, { ...once(publicUrl, path), maxAge: ONCE_SECONDS });
}

export function takeOnce(c: Context, publicUrl: string): string | undefined {
  const secret = getCookie(c, onceName(publicUrl));
  if (secret) setCookie(c, onceName(publicUrl), '', { ...once(publicUrl, c.req.path), maxAge: 0 });
  return secret || undefined;
}

const once = (publicUrl: string, path: string) => ({
  path,
  httpOnly: true,
  sameSite: 'Strict' as const,
  secure: publicUrl.startsWith('https:'),
});

const onceName = (publicUrl: string): string => `${cookieName(publicUrl)}_key`;

/** Path of the GitHub sign-in; the browser sends the cookie of a sign-in nowhere else. */
const WAY_PATH = '/login/github';
const WAY_SECONDS = 600;

const wayName = (publicUrl: string): string => `${cookieName(publicUrl)}_github`;
const way = (publicUrl: string) => ({
  path: WAY_PATH,
  httpOnly: true,
  // Lax, because GitHub redirects the browser back here.
  sameSite: 'Lax' as const,
  secure: publicUrl.startsWith('https:'),
});

/** Stores the secrets of a GitHub sign-in in this browser. */
export function keepWay(c: Context, publicUrl: string, secrets: readonly string[]): void {
  const value = secrets.map((each) => Buffer.from(each).toString('base64url')).join('.');
  setCookie(c, wayName(publicUrl), value, { ...way(publicUrl), maxAge: WAY_SECONDS });
}

/** Returns these secrets and removes them, so that they work only once. */
export function takeWay(c: Context, publicUrl: string): string[] {
  const kept = getCookie(c, wayName(publicUrl));
  setCookie(c, wayName(publicUrl), '', { ...way(publicUrl), maxAge: 0 });
  return (kept ?? '').split('.').map((each) => Buffer.from(each, 'base64url').toString());
}

function cookieName(publicUrl: string): string {
  return publicUrl.startsWith('https:') ? '__Secure-runlink_session' : 'runlink_session';
}
