import { setTimeout as delay } from 'node:timers/promises';
import type { WorkerEvent } from '../../contract/event.ts';
import type { EntryDraft } from '../agent/translate.ts';
import { storable } from './bounded-text.ts';
import { Batches } from './batches.ts';
import type { Masker } from './mask.ts';
import { cleanDraft, cleanRaw, pieces } from './shape-event.ts';
import { TextStreams } from './text-streams.ts';

/**
 * An agent has to wait while more characters than this are buffered, until half of them are
 * delivered.
 */
const BUFFER_MAX = 8 * 1024 * 1024;
/**
 * Most characters that one execution may put into the log; after that, what the agent says and does
 * is left out.
 */
export const LOG_MAX_CHARS = 256 * 1024 * 1024;
/** Most characters of raw protocol lines per execution; later entries are stored without theirs. */
export const RAW_MAX_CHARS = 64 * 1024 * 1024;
/** How long to wait before sending, so that entries of the same moment share a batch. */
const LINGER_MS = 15;

export interface EventLogOptions {
  masker: Masker;
  /** Position of the first entry: 1, or the one that the service expects after a restart. */
  firstSeq: number;
  /** Delivers a batch, retrying as long as needed; rejects only if retrying cannot help. */
  send(events: WorkerEvent[]): Promise<void>;
}

/**
 * Sends the log of one execution to the service: in order, without gaps, masked, bounded, with
 * back-pressure. Once `flush` resolves, everything given to it before is stored.
 */
export class EventLog {
  readonly #options: EventLogOptions;
  readonly #batches: Batches;
  readonly #streams: TextStreams;
  #seq: number;
  #total = 0;
  #rawTotal = 0;
  #full = false;
  #sending: Promise<void> | undefined;
  #waiters: (() => void)[] = [];
  #failure: { error: unknown } | undefined;

  constructor(options: EventLogOptions) {
    this.#options = options;
    this.#seq = options.firstSeq;
    this.#batches = new Batches();
    this.#streams = new TextStreams(options.masker);
  }

  /**
   * Adds the entries that were read from one line; settles when there is room for more. Never
   * rejects.
   */
  async emit(drafts: readonly EntryDraft[], raw?: string): Promise<void> {
    const [first, ...others] = drafts;
    if (first) this.#add(first, raw);
    for (const draft of others) this.#add(draft);
    if (this.#batches.chars > BUFFER_MAX) await this.#capacity();
  }

  /** Sends what was held back of texts that are complete. */
  endTexts(): void {
    for (const draft of this.#streams.endAll()) this.#store(draft, undefined);
  }

  /** Resolves when everything is stored; rejects if that is not possible. */
  async flush(): Promise<void> {
    this.endTexts();
    while (this.#sending && !this.#failure) await this.#sending;
    if (this.#failure) throw this.#failure.error;
  }

  #add(draft: EntryDraft, raw?: string): void {
    if (this.#failure || (this.#full && isAgentTalk(draft))) return;
    const { drafts, partial } = this.#streams.pass(draft);
    let rest = partial ? undefined : this.#keepRaw(raw);
    if (drafts.length === 0 && rest !== undefined) this.#store({ type: 'protocol' }, rest);
    for (const each of drafts) {
      this.#store(cleanDraft(each, this.#options.masker), rest);
      rest = undefined;
    }
  }

  #keepRaw(raw: string | undefined): string | undefined {
    if (raw === undefined || this.#rawTotal >= RAW_MAX_CHARS) return undefined;
    const kept = cleanRaw(raw, this.#options.masker);
    this.#rawTotal += kept.length;
    return kept;
  }

  #store(draft: EntryDraft, raw: string | undefined): void {
    if (this.#failure) return;
    for (const piece of splitTexts(draft)) {
      const event: WorkerEvent = {
        ...piece,
        seq: this.#seq,
        at: new Date().toISOString(),
        ...(raw === undefined ? {} : { raw }),
      };
      raw = undefined;
      this.#seq += 1;
      this.#total += this.#batches.add(event);
    }
    if (this.#total > LOG_MAX_CHARS && !this.#full) {
      this.#full = true;
      const text = 'The log is full: what the agent says and does from here on is left out.';
      this.#store({ type: 'notice', level: 'warn', text }, undefined);
    }
    this.#sending ??= this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    try {
      await delay(LINGER_MS);
      for (let batch = this.#batches.next(); batch.length > 0; batch = this.#batches.next()) {
        await this.#options.send(batch);
        this.#batches.delivered();
        if (this.#batches.chars < BUFFER_MAX / 2) this.#release();
      }
    } catch (error) {
      this.#failure = { error };
      this.#batches.clear();
    }
    this.#sending = undefined;
    this.#release();
  }

  async #capacity(): Promise<void> {
    if (this.#failure) return;
    await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  #release(): void {
    for (const resolve of this.#waiters.splice(0)) resolve();
  }
}

const TALK: ReadonlySet<string> = new Set(['message', 'thought', 'tool_call', 'protocol', 'plan']);
const isAgentTalk = (draft: EntryDraft): boolean => TALK.has(draft.type);

/** Splits an entry whose text is too long into several that continue each other. */
function splitTexts(draft: EntryDraft): EntryDraft[] {
  if (draft.type === 'message' || draft.type === 'thought')
    return pieces(storable(draft.delta)).map((delta) => ({ ...draft, delta }));
  if (draft.type !== 'tool_call' || draft.output_delta === undefined) return [draft];
  const { output_delta, ...rest } = draft;
  const [first = '', ...others] = pieces(storable(output_delta));
  const more = others.map((piece): EntryDraft => {
    return { type: 'tool_call', call_id: draft.call_id, output_delta: piece };
  });
  return [{ ...rest, ...(first === '' ? {} : { output_delta: first }) }, ...more];
}
