import type { StandInActor } from './actor.ts';
import type { StandInState } from './state.ts';

/** Who an `Authorization` header belongs to; undefined for unknown credentials. */
export function readAuthorization(
  state: StandInState,
  header: string | undefined,
): StandInActor | undefined {
  if (!header) return { kind: 'anonymous' };
  const token = bearerOf(header);
  return token.startsWith('eyJ') ? { kind: 'app', jwt: token } : state.tokens.get(token);
}

function bearerOf(header: string): string {
  const [scheme = '', value = ''] = header.split(/\s+/, 2);
  if (scheme.toLowerCase() !== 'basic') return value;
  const pair = Buffer.from(value, 'base64').toString('utf8');
  return pair.slice(pair.indexOf(':') + 1);
}
