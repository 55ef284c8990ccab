import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Pool } from 'pg';
import { errorMessage } from '../../base/error.ts';
import type { Log } from '../../base/log.ts';
import type { Database } from '../../database/open-database.ts';
import type { ServiceTables, Trx } from '../tables.ts';

const CHANNEL = 'runlink_changes';
/**
 * How often a waiter looks without being notified, in case a notification is lost
 * (run-lifecycle.md, "Waiting").
 */
const BACKSTOP_MS = 1000;
/** Most such looks per second on one node; with more waiters each one looks less often. */
const BACKSTOPS_PER_SECOND = 200;
/** Pause between two notifications of committed changes, because each one wakes every node. */
const SPACING_MS = 10;
/** A topic has at most 50 bytes, and a notification must be shorter than 8,000. */
const TOPICS_MAX = 100;

/**
 * What can change: a run as clients see it (its team is notified, too), a run's log, a run's
 * signals to its worker, a lane of the queue, discovery jobs.
 */
export type Topic = `${'run' | 'team' | 'log' | 'signal' | 'lane' | 'skills'}:${string}`;

/** Notifies those who wait for a topic. */
export interface Changes {
  /**
   * Calls `look` until it finds something: whenever a topic may have changed, and also once a
   * second, less often if hundreds wait. Undefined after `seconds`, or if the caller has left. No
   * connection is held between looks.
   */
  waitFor<T>(
    topics: readonly Topic[],
    options: { seconds: number; signal: AbortSignal },
    look: () => Promise<T | undefined>,
  ): Promise<T | undefined>;
  /**
   * Announces changes that are committed already. Waiters of this node are woken at once; other
   * nodes get one notification for all changes of some milliseconds, because PostgreSQL commits
   * transactions that notify one at a time. If a notification is lost, waiters still look by
   * themselves.
   */
  spread(topics: readonly Topic[]): void;
  /** How many are waiting now. */
  readonly waiting: number;
  /** Ends every wait, so that the process can stop. */
  close(): void;
}

/** Notifies every node, when the transaction commits, that these topics changed. */
export async function announce(trx: Trx, topics: readonly Topic[]): Promise<void> {
  await sql`select ${announcement(topics)}`.execute(trx);
}

/**
 * The same as part of a larger statement. One notification for all topics, because each one slows
 * the commit down.
 */
export function announcement(topics: readonly Topic[]) {
  return sql`pg_notify(${CHANNEL}, ${topics.join(' ')})`;
}

/** Sends notifications: the first at once, later ones in groups with a pause between them. */
function createSpreader(pool: Pool, log: Log): (topics: readonly Topic[]) => void {
  const waiting = new Set<Topic>();
  let isSending = false;
  async function send(): Promise<void> {
    isSending = true;
    try {
      while (waiting.size > 0) {
        const topics = [...waiting].slice(0, TOPICS_MAX);
        for (const topic of topics) waiting.delete(topic);
        const values = [CHANNEL, topics.join(' ')];
        await pool.query({ name: 'runlink_notify', text: 'select pg_notify($1, $2)', values });
        await delay(SPACING_MS);
      }
    } catch (error) {
      log.debug({ reason: errorMessage(error) }, 'change not told');
    } finally {
      isSending = false;
    }
  }
  return (topics) => {
    for (const topic of topics) waiting.add(topic);
    if (!isSending) void send();
  };
}

export function createChanges(
  { listener, pool }: Pick<Database<ServiceTables>, 'listener' | 'pool'>,
  log: Log,
): Changes {
  const waiters = new Map<string, Set<() => void>>();
  const closing = new AbortController();
  let count = 0;
  const spread = createSpreader(pool, log);
  const wake = (topic: string): void => {
    for (const waiter of waiters.get(topic) ?? []) waiter();
  };
  const unsubscribe = listener.subscribe(CHANNEL, (payload) => {
    if (payload !== '') for (const topic of payload.split(' ')) wake(topic);
    else for (const topic of waiters.keys()) wake(topic);
  });

  function listen(topics: readonly Topic[], hear: () => void): () => void {
    for (const topic of topics) {
      const hearers = waiters.get(topic) ?? new Set();
      waiters.set(topic, hearers.add(hear));
    }
    return () => {
      for (const topic of topics) {
        waiters.get(topic)?.delete(hear);
        if (waiters.get(topic)?.size === 0) waiters.delete(topic);
      }
    };
  }

  return {
    get waiting() {
      return count;
    },
    async waitFor(topics, { seconds, signal }, look) {
      const end = AbortSignal.any([signal, closing.signal, AbortSignal.timeout(seconds * 1000)]);
      const bell = createBell(end);
      const stop = listen(topics, bell.ring);
      count += 1;
      try {
        for (;;) {
          const found = await look();
          if (found !== undefined || end.aborted) return found;
          await bell.rung(BACKSTOP_MS * Math.max(1, count / BACKSTOPS_PER_SECOND));
        }
      } finally {
        count -= 1;
        stop();
      }
    },
    spread(topics) {
      for (const topic of topics) wake(topic);
      spread(topics);
    },
    close() {
      unsubscribe();
      closing.abort();
    },
  };
}

/**
 * A bell remembers a ring until somebody waits for it, so that no change between two looks is
 * missed.
 */
function createBell(end: AbortSignal): { ring: () => void; rung: (ms: number) => Promise<void> } {
  let hasRung = false;
  let release: (() => void) | undefined;
  const ring = (): void => {
    hasRung = true;
    release?.();
  };
  end.addEventListener('abort', ring, { once: true });
  return {
    ring,
    async rung(ms) {
      if (!hasRung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          release = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      hasRung = false;
      release = undefined;
    },
  };
}
