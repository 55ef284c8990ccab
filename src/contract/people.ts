import { z } from 'zod';
import { PERSON, endpoint } from './endpoint.ts';
import { text, timestamp, uuid } from './primitives.ts';
import { ROLES } from './role.ts';

const OF_PEOPLE = { source: 'interface.md 4.11', ours: true, callers: PERSON } as const;
const role = z.enum(ROLES);

/**
 * A person in a team. Somebody who was removed stays listed without a role, and may be let back in.
 */
export const member = z.object({
  uid: uuid,
  display_name: z.string(),
  email: z.string().nullable(),
  /** Their GitHub login at the last sign-in. */
  github_login: z.string().nullable(),
  role: role.nullable(),
  /** The role comes from a GitHub organisation or team (`sign_in` in runlink.yaml). */
  from_github: z.boolean(),
  keys: z.int(),
  sign_ins: z.int(),
  last_seen_at: timestamp.nullable(),
});
export type Member = z.infer<typeof member>;

/** The page to which GitHub returns people who sign in. */
export const GITHUB_CALLBACK_PATH = '/login/github/callback';

/** A browser that is signed in. */
export const signIn = z.object({
  id: uuid,
  person: z.object({ uid: uuid, display_name: z.string() }),
  via: z.enum(['key', 'link', 'github']),
  /** The browser's name as it gives it, and the address it signed in from. */
  browser: z.string().nullable(),
  address: z.string().nullable(),
  created_at: timestamp,
  last_seen_at: timestamp,
  expires_at: timestamp,
  is_current: z.boolean(),
});
export type SignIn = z.infer<typeof signIn>;

/** What the audit log knows (threats.md S22). */
export const AUDIT_ACTIONS = [
  'sign_in.begun',
  'sign_in.ended',
  'sign_in.refused',
  'member.joined',
  'member.role_changed',
  'member.removed',
  'key.created',
  'key.revoked',
  'terminal.approved',
  'terminal.denied',
  'workflow.signed_in',
  'artifact.published',
  'artifact.unpublished',
  'run.shared',
  'run.unshared',
  'agent.created',
  'agent.changed',
  'agent.deleted',
  'schedule.created',
  'schedule.changed',
  'schedule.paused',
  'schedule.resumed',
  'schedule.deleted',
  'settings.changed',
  'app.created',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export const AUDIT_OBJECTS = [
  'sign_in',
  'member',
  'key',
  'terminal',
  'repository',
  'artifact',
  'run',
  'agent',
  'schedule',
  'settings',
  'app',
] as const;

/** Who did what to what, when and from where. It holds no secrets, and never changes. */
export const auditEvent = z.object({
  id: z.string(),
  at: timestamp,
  actor: z.object({
    type: z.enum(['person', 'agent', 'workflow', 'operator', 'service']),
    uid: z.string().nullable(),
    display_name: z.string(),
  }),
  /** Address of the connection; what a proxy says about the caller comes before `via`. */
  address: z.string().nullable(),
  action: z.enum(AUDIT_ACTIONS),
  object: z.object({
    type: z.enum(AUDIT_OBJECTS),
    id: z.string().nullable(),
    name: z.string(),
  }),
  /** Further details, such as `role` and `before`. */
  details: z.record(z.string(), z.string()),
});
export type AuditEvent = z.infer<typeof auditEvent>;

export const listAuditQuery = z.object({
  limit: z.int().min(1).max(500).default(50),
  cursor: text(1024).optional(),
  actor: text(64).optional(),
  action: z.enum(AUDIT_ACTIONS).optional(),
  object: text(64).optional(),
  after: timestamp.optional(),
  before: timestamp.optional(),
});

const ofTeam = z.object({ of: z.enum(['me', 'team']).default('me') });

/** Members of a team, their sign-ins, and the audit log; all ours. */
export const peopleEndpoints = {
  members: {
    list: endpoint({
      ...OF_PEOPLE,
      method: 'GET',
      path: '/agent/members',
      summary: 'The people of the team, with their roles.',
      answer: z.object({ members: z.array(member) }),
      errors: ['not_authorized'],
    }),
    update: endpoint({
      ...OF_PEOPLE,
      method: 'PATCH',
      path: '/agent/members/{memberUid}',
      summary: 'Change somebody’s role, or let back in who was removed.',
      role: 'owner',
      body: z.object({ role }),
      answer: member,
      errors: ['not_authorized', 'resource_not_found', 'conflict', 'operation_not_supported'],
      idempotent: true,
    }),
    remove: endpoint({
      ...OF_PEOPLE,
      method: 'DELETE',
      path: '/agent/members/{memberUid}',
      summary: 'Remove somebody: their sign-ins and keys in this team end at once.',
      role: 'owner',
      answer: 'empty',
      errors: ['not_authorized', 'resource_not_found', 'conflict'],
    }),
  },
  signIns: {
    list: endpoint({
      ...OF_PEOPLE,
      method: 'GET',
      path: '/agent/sign-ins',
      summary: 'Where the caller is signed in; `of=team`, for owners: where everybody is.',
      query: ofTeam,
      answer: z.object({ sign_ins: z.array(signIn) }),
      errors: ['not_authorized'],
    }),
    end: endpoint({
      ...OF_PEOPLE,
      method: 'DELETE',
      path: '/agent/sign-ins/{signInId}',
      summary: 'Sign a browser out, one’s own or, as an owner, anybody’s.',
      role: 'reader',
      answer: 'empty',
      errors: ['not_authorized', 'resource_not_found'],
    }),
  },
  audit: {
    list: endpoint({
      ...OF_PEOPLE,
      method: 'GET',
      path: '/agent/audit',
      summary: 'Who did what, newest first.',
      role: 'owner',
      query: listAuditQuery,
      answer: z.object({ events: z.array(auditEvent), next_cursor: z.string().nullable() }),
      errors: ['not_authorized', 'invalid_request'],
    }),
  },
};
