import { z } from 'zod';
import { ANYONE, KEY_KINDS, PERSON, TEAM, endpoint } from './endpoint.ts';
import { filledText, timestamp, userProfile, uuid } from './primitives.ts';

/** How often a command line asks whether its sign-in was approved, in seconds (RFC 8628 3.2). */
export const LOGIN_POLL_SECONDS = 2;

/** GitHub's tokens have about 2,000 characters. */
const TOKEN_MAX = 16_384;

const source = 'interface.md 4.9';
const OF_KEYS = { source, ours: true, callers: PERSON } as const;
const keyKind = z.enum(KEY_KINDS);

/** A key as its owner sees it later: never the key itself (threats.md S1). */
export const keyItem = z.object({
  id: uuid,
  kind: keyKind,
  name: z.string(),
  /** The key's first and last characters, such as `rl_4fK2` and `9xQz`. */
  prefix: z.string(),
  suffix: z.string(),
  agent_uid: z.string().nullable(),
  /** The person it speaks for. */
  person: z.object({ uid: z.string(), display_name: z.string() }).nullish(),
  created_at: timestamp,
  last_used_at: timestamp.nullable(),
  expires_at: timestamp.nullable(),
});

export type KeyItem = z.infer<typeof keyItem>;

/** Whom a key speaks for. */
export const whoami = z.object({
  kind: keyKind,
  key_id: z.string(),
  profile: userProfile,
  team: z.object({ uid: z.string(), name: z.string() }),
});

/** SHA-256 as base64url, as PKCE has it (RFC 7636 4.2). */
const challenge = z.string().regex(/^[\w-]{43}$/, 'must be a SHA-256 as base64url');

const loginState = z.enum(['pending', 'approved', 'denied']);

/** Keys over the network, and sign-in of a command line through a browser; all ours. */
export const accessEndpoints = {
  access: {
    whoami: endpoint({
      method: 'GET',
      path: '/agent/whoami',
      summary: 'Whom this key speaks for.',
      source,
      ours: true,
      callers: TEAM,
      answer: whoami,
    }),
    beginLogin: endpoint({
      method: 'POST',
      path: '/login/requests',
      summary: 'Ask for a key that a signed-in person approves in a browser.',
      source,
      ours: true,
      callers: ANYONE,
      body: z.object({
        /** Who asks, for the person who approves it, such as `ada@laptop`. */
        client: filledText(200),
        challenge,
      }),
      status: 201,
      answer: z.object({
        login_id: uuid,
        /** The person compares this code, such as `BCDF-GHJK`. */
        user_code: z.string(),
        approve_url: z.string(),
        expires_at: timestamp,
        interval_seconds: z.literal(LOGIN_POLL_SECONDS),
      }),
      errors: ['resource_unavailable'],
    }),
    finishLogin: endpoint({
      method: 'POST',
      path: '/login/requests/{loginId}/key',
      summary: 'The key, once it was approved. Asked again, the same key.',
      source,
      ours: true,
      callers: ANYONE,
      /** The secret whose hash is the challenge. */
      body: z.object({ verifier: filledText(256) }),
      answer: z.object({ state: loginState, api_key: z.string().optional() }),
      errors: ['resource_not_found'],
      idempotent: true,
    }),
    exchangeToken: endpoint({
      method: 'POST',
      path: '/login/tokens',
      summary: 'A key for the job of a trusted workflow, for the token that GitHub gave it.',
      source,
      ours: true,
      callers: ANYONE,
      /** GitHub's OIDC token, made for this service's address. Each is accepted once. */
      body: z.object({ token: filledText(TOKEN_MAX) }),
      status: 201,
      answer: z.object({ api_key: z.string(), expires_at: timestamp }),
      errors: ['authentication_required', 'not_authorized', 'service_unavailable'],
    }),
  },
  keys: {
    list: endpoint({
      ...OF_KEYS,
      method: 'GET',
      path: '/agent/keys',
      summary:
        "The caller's own keys and those of the team's agents; `of=team`, for owners: everybody's.",
      query: z.object({ of: z.enum(['me', 'team']).default('me') }),
      answer: z.object({ keys: z.array(keyItem) }),
      errors: ['not_authorized'],
    }),
    create: endpoint({
      ...OF_KEYS,
      method: 'POST',
      path: '/agent/keys',
      summary: 'Make a key of one’s own, or of an agent; shown this once.',
      body: z.object({ name: filledText(100).optional(), agent_uid: uuid.optional() }),
      status: 201,
      answer: z.object({ id: uuid, key: z.string() }),
      errors: ['not_authorized', 'resource_not_found', 'conflict', 'operation_not_supported'],
      once: true,
    }),
    revoke: endpoint({
      ...OF_KEYS,
      method: 'DELETE',
      path: '/agent/keys/{keyId}',
      summary: 'Make a key stop working at once, everywhere.',
      answer: 'empty',
      errors: ['not_authorized', 'resource_not_found'],
    }),
  },
};
