import { trimEnd } from '../../base/trim-end.ts';
import { RunlinkError } from '../../base/error.ts';

const LOCAL = /^(localhost|127\.|\[::1\])/i;
/** Tells a host from a word: it has a dot or a port. */
const HOST = /^[\w-]+(\.[\w-]+|:\d)|^localhost|^\[/i;

/**
 * The API's address for any way of writing the service's: without `/api/v1`, without a scheme, or
 * complete. Every API address ends with its version (interface.md 9).
 */
export function apiBaseUrl(given: string): string {
  const text = /^[a-z]+:\/\//i.test(given)
    ? given
    : `${LOCAL.test(given) ? 'http' : 'https'}://${given}`;
  const url = /^[a-z]+:\/\//i.test(given) || HOST.test(given) ? URL.parse(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username) {
    throw new RunlinkError('invalid_option', `"${given}" is not the address of a service.`, {
      hint: 'Write it as https://runs.example.org or http://127.0.0.1:8787.',
    });
  }
  const path = trimEnd(url.pathname, '/');
  if (/\/v\d+$/.test(path)) return url.origin + path;
  return `${url.origin}${path.replace(/\/api$/, '')}/api/v1`;
}
