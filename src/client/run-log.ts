import type { RunEntry } from '../contract/entry.ts';
import { isTerminal, type RunRead } from '../contract/run.ts';
import { toItem, type Item } from '../contract/log-item.ts';

/** An entry together with its meaning. */
export interface Logged {
  entry: RunEntry;
  item: Item;
}

/**
 * A run's log in order, as it becomes final: each entry is returned once, when neither it nor any
 * entry before it can change any more.
 */
export class RunLog {
  #open = new Map<number, Logged>();
  #handedOut = 0;
  plan: Extract<Item, { type: 'plan' }> | undefined;

  add(entries: readonly RunEntry[]): void {
    for (const entry of entries) {
      const item = toItem(entry);
      if (item?.type === 'plan') this.plan = item;
      if (item && entry.position > this.#handedOut) this.#open.set(entry.position, { entry, item });
    }
  }

  /** The entries that became final since the last call. */
  settle(run: RunRead): Logged[] {
    const over = isTerminal(run.state);
    const all = this.open();
    const settled: Logged[] = [];
    for (const [at, logged] of all.entries()) {
      if (!over && !isFinal(logged.item, at < all.length - 1)) break;
      settled.push(logged);
      this.#open.delete(logged.entry.position);
      this.#handedOut = logged.entry.position;
    }
    return settled;
  }

  /** The entries under way, in order. */
  open(): Logged[] {
    return [...this.#open.values()].toSorted((a, b) => a.entry.position - b.entry.position);
  }
}

function isFinal(item: Item, hasLater: boolean): boolean {
  if (item.type === 'tool') return !['pending', 'running'].includes(item.tool.status);
  if (item.type === 'message') return hasLater || item.role === 'user';
  if (item.type === 'thought') return hasLater;
  if (item.type === 'single' && item.event.type === 'setup')
    return hasLater || item.event.finished_at !== undefined;
  return true;
}
