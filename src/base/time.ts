import { setTimeout as delay } from 'node:timers/promises';
import { RunlinkError } from './error.ts';

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)$/i;

/**
 * Milliseconds of a duration such as `90s`, `45m`, `5h`; throws `invalid_duration` for anything
 * else.
 */
export function parseDurationMs(text: string): number {
  const match = DURATION.exec(text.trim());
  const unit = match?.[2]?.toLowerCase() as keyof typeof UNIT_MS | undefined;
  if (!match?.[1] || !unit) {
    throw new RunlinkError('invalid_duration', `"${text}" is not a duration.`, {
      hint: 'Write a number and a unit, such as 90s, 45m or 5h.',
    });
  }
  return Number(match[1]) * UNIT_MS[unit];
}

/** A duration as people read it: `4.2s`, `3m 20s`, `2h 5m`. */
export function formatDuration(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${seconds % 60}s`;
  return `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

/** Waits; rejects with the signal's reason as soon as it is aborted. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, signal ? { signal } : {});
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  }
}
