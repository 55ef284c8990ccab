import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import type { NewSession } from './backend.ts';

/**
 * Where pages need a session, and so where the browser sends its cookie. Not `/`: the API and the signed downloads share our
 * origin and must never see it (threats.md S4).
 */
export const SESSION_PATHS = ['/runs', '/settings', '/schedules', '/agents', '/environments'];

function cookieName(publicUrl: string): string {
  return publicUrl.startsWith('https:') ? '__Secure-runlink_session' : 'runlink_session';
}

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
