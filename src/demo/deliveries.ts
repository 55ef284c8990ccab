import { createHmac, randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';
import type { Journal, JournalEntry } from './journal.ts';
import { DEMO_APP } from './seed.ts';

/** GitHub waits this long for an App's answer to a delivery. */
const ANSWER_WITHIN_MS = 10_000;
/** GitHub's delivery ids have 19 digits, more than a JavaScript number can hold. */
const FIRST_ID = 3_700_000_000_000_000_001n;

type Delivery = Extract<JournalEntry, { type: 'delivery' }>;
export type Attempt = Extract<JournalEntry, { type: 'attempt' }>;

/** The App's installation, as every payload names it. */
const INSTALLATION = { id: DEMO_APP.installationId, node_id: 'MDIzOkluc3RhbGxhdGlvbjEwMA==' };

/** Sends events to the App's webhook as GitHub does: signed, once, and again only on request. */
export class Deliveries {
  readonly #journal: Journal;
  readonly #secret: string;
  readonly #deliveries = new Map<string, Delivery>();
  readonly #attempts: Attempt[] = [];
  /** Events that were not delivered because of a crash. */
  readonly #untried = new Map<string, Delivery>();
  readonly #running = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  readonly #dispatcher = new Agent({ connections: 64 });
  #url: string | undefined;

  constructor(journal: Journal, secret: string) {
    this.#journal = journal;
    this.#secret = secret;
  }

  /** Sends the App an event. Resolves once the event is on disk; the delivery follows. */
  async emit(event: string, payload: Record<string, unknown>): Promise<void> {
    const guid = randomUUID();
    const at = new Date().toISOString();
    const text = JSON.stringify({ ...payload, installation: INSTALLATION });
    const delivery: Delivery = { type: 'delivery', guid, at, event, payload: text };
    await this.#journal.append(delivery);
    this.#deliveries.set(guid, delivery);
    this.#start(delivery, false);
  }

  /** Newest first. */
  attempts(): { attempt: Attempt; delivery: Delivery }[] {
    return this.#attempts.toReversed().flatMap((attempt) => {
      const delivery = this.#deliveries.get(attempt.guid);
      return delivery ? [{ attempt, delivery }] : [];
    });
  }

  /** Delivers the event of this attempt again; false if there is no such attempt. */
  redeliver(attemptId: string): boolean {
    const guid = this.#attempts.find((attempt) => attempt.id === attemptId)?.guid ?? '';
    const delivery = this.#deliveries.get(guid);
    if (delivery) this.#start(delivery, true);
    return delivery !== undefined;
  }

  /**
   * Sets the App's URL, or undefined while it is away, and delivers what a crash left undelivered.
   */
  setUrl(url: string | undefined): void {
    this.#url = url;
    if (url === undefined) return;
    for (const delivery of this.#untried.values()) this.#start(delivery, false);
    this.#untried.clear();
  }

  restore(entries: readonly JournalEntry[]): void {
    for (const entry of entries) {
      if (entry.type === 'delivery') {
        this.#deliveries.set(entry.guid, entry);
        this.#untried.set(entry.guid, entry);
      }
      if (entry.type === 'attempt') {
        this.#attempts.push(entry);
        this.#untried.delete(entry.guid);
      }
    }
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
    await this.#dispatcher.destroy();
  }

  #start(delivery: Delivery, redelivery: boolean): void {
    const task = this.#attempt(delivery, redelivery).finally(() => this.#running.delete(task));
    this.#running.add(task);
  }

  async #attempt(delivery: Delivery, redelivery: boolean): Promise<void> {
    const { guid } = delivery;
    const at = new Date().toISOString();
    const started = performance.now();
    const status = await this.#post(delivery);
    if (this.#stop.signal.aborted) return;
    const duration = Math.round(performance.now() - started) / 1000;
    const id = String(FIRST_ID + BigInt(this.#attempts.length));
    const done = { type: 'attempt', id, guid, at, duration, redelivery } as const;
    const attempt: Attempt = status === undefined ? done : { ...done, status };
    this.#attempts.push(attempt);
    await this.#journal.append(attempt);
  }

  /** The App's answer; undefined if it cannot be reached or is too slow. */
  async #post(delivery: Delivery): Promise<number | undefined> {
    if (this.#url === undefined) return undefined;
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]);
    const headers = headersOf(delivery, this.#secret);
    const message = { method: 'POST', headers, body: delivery.payload } as const;
    try {
      const answer = await request(this.#url, { dispatcher: this.#dispatcher, signal, ...message });
      await answer.body.dump();
      return answer.statusCode;
    } catch {
      return undefined;
    }
  }
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
