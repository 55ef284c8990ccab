import { EVENT_BATCH_MAX, type WorkerEvent } from '../../contract/event.ts';

/** Characters per batch: even with escaping it stays well under the endpoint's 16 MiB. */
const BATCH_CHARS = 2 * 1024 * 1024;
const EVENT_CHARS = 200;

type ToolEvent = Extract<WorkerEvent, { type: 'tool_call' }>;

/** Entries that wait to be delivered, in order. */
export class Batches {
  chars = 0;
  #waiting: { event: WorkerEvent; chars: number }[] = [];
  #inFlight = 0;

  /** Returns the entry's size. */
  add(event: WorkerEvent): number {
    const chars = sizeOf(event);
    this.#waiting.push({ event, chars });
    this.chars += chars;
    return chars;
  }

  /** The next batch; the same one until it was delivered. */
  next(): WorkerEvent[] {
    let chars = 0;
    const over = this.#waiting.findIndex((entry, index) => {
      chars += entry.chars;
      return index >= EVENT_BATCH_MAX || (index > 0 && chars > BATCH_CHARS);
    });
    this.#inFlight = over === -1 ? this.#waiting.length : over;
    return this.#waiting.slice(0, this.#inFlight).map(({ event }) => event);
  }

  delivered(): void {
    const gone = this.#waiting.splice(0, this.#inFlight);
    this.chars -= gone.reduce((sum, entry) => sum + entry.chars, 0);
  }

  clear(): void {
    this.#waiting = [];
    this.chars = 0;
  }
}

function sizeOf(event: WorkerEvent): number {
  const raw = event.raw?.length ?? 0;
  return EVENT_CHARS + raw + textSize(event);
}

function textSize(event: WorkerEvent): number {
  if ('delta' in event) return event.delta.length;
  if (event.type === 'tool_call') return toolSize(event);
  if (event.type === 'changes') return (event.diff ?? '').length + event.files.length * EVENT_CHARS;
  return 0;
}

function toolSize({ output_delta, diff, input }: ToolEvent): number {
  const before = diff?.old_text ?? '';
  const after = diff?.new_text ?? '';
  const given = input === undefined ? 0 : JSON.stringify(input).length;
  return (output_delta ?? '').length + before.length + after.length + given;
}
