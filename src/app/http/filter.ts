import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { plainLines } from '../../github/decide/command.ts';
import type { Reason } from '../../github/decide/reason.ts';
import { isFailing } from '../../github/read/failed-jobs.ts';
import { CONFIG_PATH } from '../config/schema.ts';
import type { NewDelivery } from '../store/deliveries.ts';

/** The events and actions that the App handles; `app.yml` subscribes to exactly these events. */
export const HANDLED = {
  issue_comment: ['created', 'edited'],
  pull_request_review_comment: ['created', 'edited'],
  pull_request_review: ['submitted', 'edited'],
  issues: ['opened', 'edited', 'labeled', 'assigned', 'transferred'],
  pull_request: [
    'opened',
    'edited',
    'reopened',
    'ready_for_review',
    'synchronize',
    'labeled',
    'assigned',
    'closed',
  ],
  check_suite: ['completed', 'rerequested'],
  check_run: ['requested_action', 'rerequested'],
  push: [undefined],
} as const satisfies Record<string, readonly (string | undefined)[]>;

/** Sent to every App without a subscription (github.md, "Deliveries"). */
const INSTALLATION_ACTIONS: readonly string[] = [
  'deleted',
  'suspend',
  'unsuspend',
  'new_permissions_accepted',
];

const written = z.object({ node_id: z.string(), body: z.string().nullish() });
const numbered = z.object({ number: z.int(), body: z.string().nullish() });
const touched = z.array(z.string()).default([]);

/** The few payload fields that decide whether a delivery is kept, and in which order. */
const envelope = z.object({
  action: z.string().optional(),
  installation: z.object({ id: z.int() }).nullish(),
  repository: z.object({ full_name: z.string(), default_branch: z.string().optional() }).nullish(),
  issue: numbered.nullish(),
  pull_request: numbered.nullish(),
  comment: written.nullish(),
  review: written.nullish(),
  check_suite: z.object({ conclusion: z.string().nullish() }).nullish(),
  sender: z.object({ type: z.string().optional() }).nullish(),
  changes: z.object({ body: z.unknown() }).partial().nullish(),
  ref: z.string().nullish(),
  commits: z.array(z.object({ added: touched, modified: touched, removed: touched })).nullish(),
});
type Envelope = z.infer<typeof envelope>;

/**
 * Decides whether a delivery is worth keeping. Those that could never start or steer a run are
 * dropped here, so that the inbox stays small; nothing that a person waits for is dropped.
 */
export function filterDelivery(
  header: { event: string; guid: string },
  body: Buffer,
  phrase: string,
): { delivery: NewDelivery } | { dropped: Reason } {
  const actions = actionsOf(header.event);
  if (!actions) return { dropped: 'unsupported_event' };
  const payload = readEnvelope(body);
  if (!payload) return { dropped: 'unreadable_payload' };
  const dropped = reasonToDrop(header.event, payload, actions, phrase);
  if (dropped) return { dropped };
  const installationId = payload.installation?.id;
  if (installationId === undefined) return { dropped: 'no_installation' };
  const isReview = header.event.includes('comment') || header.event.includes('review');
  const isWritten = isReview && payload.action !== 'edited';
  return {
    delivery: {
      guid: header.guid,
      event: header.event,
      action: payload.action,
      installationId,
      thread: threadOf(payload, installationId),
      objectId: isWritten ? (payload.comment ?? payload.review)?.node_id : undefined,
      body,
    },
  };
}

/** Whether the App handles any event of this name. */
export function isHandled(event: string): boolean {
  return actionsOf(event) !== undefined;
}

function actionsOf(event: string): readonly (string | undefined)[] | undefined {
  if (event === 'installation') return INSTALLATION_ACTIONS;
  return Object.hasOwn(HANDLED, event) ? HANDLED[event as keyof typeof HANDLED] : undefined;
}

function readEnvelope(body: Buffer): Envelope | undefined {
  if (!isUtf8(body)) return undefined;
  try {
    return envelope.safeParse(JSON.parse(body.toString('utf8'))).data;
  } catch {
    return undefined;
  }
}

function reasonToDrop(
  event: string,
  payload: Envelope,
  actions: readonly (string | undefined)[],
  phrase: string,
): Reason | undefined {
  const text = textOf(payload);
  if (!actions.includes(payload.action)) return text ? 'not_created' : 'unsupported_event';
  if (payload.action === 'edited' && !isPersonsEdit(payload)) return 'not_created';
  if (text && !mentions(text, phrase)) return 'not_a_command';
  if (event === 'push' && !touchesConfig(payload)) return 'config_untouched';
  return event === 'check_suite' && isPassing(payload) ? 'checks_not_failing' : undefined;
}

/** The text that the event is about. Threads that may start a run without any text pass as well. */
function textOf({ action, comment, review, issue, pull_request: pull }: Envelope) {
  return comment ?? review ?? (action === 'edited' ? (issue ?? pull) : undefined);
}

function mentions({ body }: { body?: string | null | undefined }, phrase: string): boolean {
  return plainLines(body ?? '', phrase)
    .toLowerCase()
    .includes(phrase.toLowerCase());
}

/**
 * Only a person's edit of a text counts: bots, ours included, edit what they wrote all the time,
 * and titles hold no commands.
 */
function isPersonsEdit({ sender, changes }: Envelope): boolean {
  return sender?.type !== 'Bot' && changes?.body !== undefined;
}

function isPassing({ action, check_suite: suite }: Envelope): boolean {
  return action === 'completed' && !isFailing(suite ?? {});
}

function touchesConfig(payload: Envelope): boolean {
  if (payload.ref !== `refs/heads/${payload.repository?.default_branch}`) return false;
  return (payload.commits ?? []).some((commit) =>
    [...commit.added, ...commit.modified, ...commit.removed].includes(CONFIG_PATH),
  );
}

function threadOf(payload: Envelope, installationId: number): string {
  const repository = payload.repository?.full_name;
  if (!repository) return `installation/${installationId}`;
  const number = (payload.pull_request ?? payload.issue)?.number;
  return number === undefined ? repository : `${repository}#${number}`;
}
