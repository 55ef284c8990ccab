import { formatDuration } from '../base/time.ts';

/** The address of a run's page. */
export function runPath(runId: string): string {
  return `/runs/${encodeURIComponent(runId)}`;
}

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const absolute = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'medium',
  timeZone: 'UTC',
});
const short = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZone: 'UTC',
});
const weekday = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});
const count = new Intl.NumberFormat('en');

/** `3 minutes ago`, from the point of view of `now`. */
export function timeAgo(at: Date, now: Date): string {
  const distance = at.getTime() - now.getTime();
  const unit = UNITS.find(([, ms]) => Math.abs(distance) >= ms);
  return unit ? relative.format(Math.round(distance / unit[1]), unit[0]) : 'just now';
}

/** `21 Nov 2026, 08:50:35 UTC`. */
export function exactTime(at: Date): string {
  return `${absolute.format(at)} UTC`;
}

/** `21 Nov, 08:50:35 UTC`, for places where the year is obvious. */
export function shortTime(at: Date): string {
  return `${short.format(at)} UTC`;
}

/** `Sat 21 Nov, 08:50 UTC`, for times that repeat each week. */
export function weekdayTime(at: Date): string {
  return `${weekday.format(at)} UTC`;
}

export function formatCount(value: number): string {
  return count.format(value);
}

/** `1 file`, `3 files`. */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${formatCount(value)} ${value === 1 ? one : many}`;
}

/** `$0`, `$0.0031`, `$0.42`, `$4.20`. */
export function formatUsd(dollars: number): string {
  return `$${dollars === 0 ? '0' : dollars.toFixed(dollars < 0.01 ? 4 : 2)}`;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return plural(bytes, 'byte');
  const kilobytes = bytes / 1024;
  return kilobytes < 1024 ? `${kilobytes.toFixed(1)} KB` : `${(kilobytes / 1024).toFixed(1)} MB`;
}

/** How long something took; never negative. */
export function formatSpan(from: string, to: string | Date): string {
  return formatDuration(Math.max(0, new Date(to).getTime() - new Date(from).getTime()));
}
