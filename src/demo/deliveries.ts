import { createHmac, randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';
import { isFields } from './corrections.ts';
import type { Journal, JournalEntry } from './journal.ts';
import { DEMO_APP } from './seed.ts';

/** GitHub gives an App this long to answer a delivery. */
const ANSWER_WITHIN_MS = 10_000;

type Delivery = Extract<JournalEntry, { type: 'delivery' }>;
export type Attempt = Extract<JournalEntry, { type: 'attempt' }>;

export interface Deliveries {
  /** Tells the App of an event. Resolves when the event is on disk; delivering goes on behind. */
  emit(event: string, payload: unknown): Promise<void>;
  /** Newest first. */
  attempts(): { attempt: Attempt; delivery: Delivery }[];
  redeliver(attemptId: number): boolean;
  /** Where the App listens; nothing when it is away. What a crash kept from being tried is sent now. */
  setUrl(url: string | undefined): void;
  restore(entries: readonly JournalEntry[]): void;
  close(): Promise<void>;
}

function headersOf(delivery: Delivery, secret: string): Record<string, string> {
  const sign = (algorithm: string): string =>
    createHmac(algorithm, secret).update(delivery.payload).digest('hex');
  return {
    'content-type': 'application/json',
    'user-agent': 'GitHub-Hookshot/standin',
    'x-github-event': delivery.event,
    'x-github-delivery': delivery.guid,
    'x-github-hook-id': '1',
    'x-github-hook-installation-target-id': String(DEMO_APP.id),
    'x-github-hook-installation-target-type': 'integration',
    'x-hub-signature': `sha1=${sign('sha1')}`,
    'x-hub-signature-256': `sha256=${sign('sha256')}`,
  };
}

/** Sends events to the App's webhook, as GitHub does: signed, once, and again only when asked. */
export function createDeliveries(journal: Journal, secret: string): Deliveries {
  const deliveries = new Map<string, Delivery>();
  const attempts: Attempt[] = [];
  const untried = new Map<string, Delivery>();
  const running = new Set<Promise<void>>();
  const stop = new AbortController();
  const dispatcher = new Agent({ connections: 64 });
  let url: string | undefined;
  let nextId = 1;

  const post = async (delivery: Delivery): Promise<number | undefined> => {
    if (url === undefined) return undefined;
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]);
    const headers = headersOf(delivery, secret);
    const options = {
      dispatcher,
      signal,
      method: 'POST',
      headers,
      body: delivery.payload,
    } as const;
    try {
      const answer = await request(url, options);
      await answer.body.dump();
      return answer.statusCode;
    } catch {
      return undefined;
    }
  };
  const attempt = async (delivery: Delivery, redelivery: boolean): Promise<void> => {
    const started = performance.now();
    const at = new Date().toISOString();
    const status = await post(delivery);
    if (stop.signal.aborted) return;
    const duration = Math.round(performance.now() - started) / 1000;
    const id = nextId;
    nextId += 1;
    const { guid } = delivery;
    const entry: Attempt = { type: 'attempt', id, guid, at, duration, redelivery };
    attempts.push(status === undefined ? entry : { ...entry, status });
    await journal.append(attempts.at(-1) ?? entry);
  };
  const start = (delivery: Delivery, redelivery: boolean): void => {
    const task = attempt(delivery, redelivery).finally(() => running.delete(task));
    running.add(task);
  };

  return {
    async emit(event, payload) {
      const at = new Date().toISOString();
      const enriched = isFields(payload)
        ? {
            ...payload,
            installation: { id: DEMO_APP.installationId, node_id: 'MDIzOkluc3RhbGxhdGlvbjEwMA==' },
          }
        : payload;
      const guid = randomUUID();
      const entry: Delivery = {
        type: 'delivery',
        guid,
        at,
        event,
        payload: JSON.stringify(enriched),
      };
      await journal.append(entry);
      deliveries.set(guid, entry);
      start(entry, false);
    },
    attempts() {
      return attempts.toReversed().flatMap((item) => {
        const delivery = deliveries.get(item.guid);
        return delivery ? [{ attempt: item, delivery }] : [];
      });
    },
    redeliver(attemptId) {
      const delivery = deliveries.get(attempts.find((item) => item.id === attemptId)?.guid ?? '');
      if (delivery) start(delivery, true);
      return delivery !== undefined;
    },
    setUrl(value) {
      url = value;
      for (const delivery of value ? untried.values() : []) start(delivery, false);
      if (value) untried.clear();
    },
    restore(entries) {
      for (const entry of entries) {
        if (entry.type === 'delivery') {
          deliveries.set(entry.guid, entry);
          untried.set(entry.guid, entry);
        }
        if (entry.type === 'attempt') {
          attempts.push(entry);
          untried.delete(entry.guid);
        }
      }
      nextId = 1 + Math.max(0, ...attempts.map((item) => item.id));
    },
    async close() {
      stop.abort();
      await Promise.allSettled(running);
      await dispatcher.destroy();
    },
  };
}
