import { setTimeout as delay } from 'node:timers/promises';
import { sql, type Transaction } from 'kysely';
import type { Pool } from 'pg';
import { errorMessage } from '../../base/error.ts';
import type { Log } from '../../base/log.ts';
import type { Database } from '../../database/open-database.ts';
import type { ServiceTables } from '../tables.ts';

const CHANNEL = 'runlink_changes';
/**
 * How often a waiter looks by itself, should a notification be lost (run-lifecycle.md, "Waiting").
 */
const BACKSTOP_MS = 1000;
/** How many such looks a second one node makes: with more that wait, each looks more seldom. */
const BACKSTOPS_PER_SECOND = 200;
/** Between two notifications of what was committed before: each costs every node a wake-up. */
const SPACING_MS = 10;
/** Of at most 50 bytes each: a notification holds less than 8,000. */
const TOPICS_MAX = 100;

/**
 * What can change: a run as clients see it (also heard under its team), a run's log, a run's
 * signals to its worker, a lane of the queue, discovery jobs.
 */
export type Topic = `${'run' | 'team' | 'log' | 'signal' | 'lane' | 'skills'}:${string}`;

/** Wakes those who wait for a topic. */
export interface Changes {
  /**
   * Repeats `look` until it finds something, whenever the topic may have changed and by itself once a
   * second, more seldom where hundreds wait. Undefined after `seconds` or once the caller has left. Holds no connection between looks.
   */
  waitFor<T>(
    topics: readonly Topic[],
    options: { seconds: number; signal: AbortSignal },
    look: () => Promise<T | undefined>,
  ): Promise<T | undefined>;
  /**
   * Tells of what was committed already: here at once, and other nodes by one notification for all changes of
   * some milliseconds, because PostgreSQL commits transactions that notify one at a time. One that is lost is
   * made up for by the backstop.
   */
  spread(topics: readonly Topic[]): void;
  /** How many wait now. */
  readonly waiting: number;
  /** Ends every wait, so that the process can stop. */
  close(): void;
}

/** Tells every node, when the transaction commits, that these topics changed. */
export async function announce(
  trx: Transaction<ServiceTables>,
  topics: readonly Topic[],
): Promise<void> {
  await sql`select ${announcement(topics)}`.execute(trx);
}

/** The same as part of a larger statement: one notification, as each costs every commit. */
export function announcement(topics: readonly Topic[]) {
  return sql`pg_notify(${CHANNEL}, ${topics.join(' ')})`;
}

/** Sends what there is to tell: the first at once, what comes up within the spacing together. */
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

/** A bell remembers that it rang while nobody listened, so that no change falls between two looks. */
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
