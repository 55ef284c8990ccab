import { setTimeout as delay } from 'node:timers/promises';
import type { Prepared } from './prepare.ts';

/** The permission question, sent while the rest of the Action still loads. */
export interface EarlyQuestion {
  url: string;
  answer: Promise<Response>;
}

/** Until the question has left; then loading may keep the processor to itself. */
const LEAVE_WITHIN_MS = 30;

/**
 * Asks GitHub at once for the permission of whoever caused the event: every run needs it first, and the
 * answer travels while hundreds of kilobytes are parsed. Nothing is decided here: the gate asks its
 * question as ever and is given this answer once.
 */
export async function askEarly({
  settings,
  surroundings,
  payload,
}: Prepared): Promise<EarlyQuestion | undefined> {
  const { githubToken, gate } = settings;
  const { apiUrl, repository } = surroundings;
  const login = personOf(payload);
  const mayAsk = githubToken !== '' && gate.permission !== 'none' && repository !== undefined;
  if (!mayAsk || login === undefined || !mayConcernUs(settings, payload)) return undefined;
  const place = `${encodeURIComponent(repository.owner)}/${encodeURIComponent(repository.name)}`;
  const url = `${apiUrl}/repos/${place}/collaborators/${encodeURIComponent(login)}/permission`;
  const headers = {
    accept: 'application/vnd.github+json',
    authorization: `token ${githubToken}`,
    'user-agent': 'runlink-action',
  };
  const answer = fetch(url, { headers, signal: AbortSignal.timeout(15_000) });
  // Whoever uses the answer sees its failure; until then it must not end the process.
  answer.catch(() => undefined);
  await Promise.race([answer.catch(() => undefined), delay(LEAVE_WITHIN_MS)]);
  return { url, answer };
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? new Map(Object.entries(value)).get(name)
    : undefined;
}

function personOf(payload: unknown): string | undefined {
  const sender = member(payload, 'sender');
  const login = member(sender, 'login');
  const isPerson = typeof login === 'string' && member(sender, 'type') === 'User';
  return isPerson && !login.endsWith('[bot]') ? login : undefined;
}

/** Whether the event can come to anything: what is not for us should cost no request. */
function mayConcernUs(settings: Prepared['settings'], payload: unknown): boolean {
  const { instruction, skill, runId, label, assignee, phrase } = settings;
  if ([instruction, skill, runId].some((value) => value !== '')) return true;
  const action = member(payload, 'action');
  if (label !== undefined && action === 'labeled') return true;
  if (assignee !== undefined && action === 'assigned') return true;
  if (action !== 'created' && action !== 'submitted' && action !== 'opened') return false;
  const bodies = ['comment', 'review', 'issue', 'pull_request'].map((name) =>
    member(member(payload, name), 'body'),
  );
  return bodies.some(
    (body) => typeof body === 'string' && body.toLowerCase().includes(phrase.toLowerCase()),
  );
}

async function untilAborted(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, fail) => {
    signal?.addEventListener('abort', () => fail(signal.reason), { once: true });
  });
}

/** `fetch`, but for the one question that was asked already. */
export function fetchAfter(early: EarlyQuestion | undefined): typeof fetch {
  let left = early;
  return async (input, init) => {
    if (left === undefined || input !== left.url || (init?.method ?? 'GET') !== 'GET') {
      return fetch(input, init);
    }
    const { answer } = left;
    left = undefined;
    return Promise.race([answer, untilAborted(init?.signal)]);
  };
}
