import { DAY_MS, floorDay, type DaySpan } from './span.ts';

/** A span as whole months, with days to add or subtract. */
export interface Parts {
  months: readonly [from: Date, to: Date];
  days: readonly [Days, Days];
}

interface Days {
  from: Date;
  to: Date;
  sign: 1 | -1;
}

type Span = Pick<DaySpan, 'from' | 'to'>;

/** The span as days only. */
export function daysOf({ from, to }: Span): Parts {
  const none: Days = { from, to: from, sign: 1 };
  return { months: [from, from], days: [{ from, to, sign: 1 }, none] };
}

function monthOf(day: Date, later = 0): Date {
  return new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + later, 1));
}

/** The first start of a month on or after the day. */
const monthFrom = (day: Date): Date => monthOf(new Date(day.getTime() - 1), 1);

/** The parts with the fewest days to read; days in the future cost nothing. */
export function cheapestParts({ from, to }: Span, now: Date): Parts {
  const tomorrow = floorDay(now.getTime()) + DAY_MS;
  const past = (day: Date): number => Math.min(day.getTime(), tomorrow);
  const cost = ({ days }: Parts): number =>
    days.reduce((sum, part) => sum + past(part.to) - past(part.from), 0);
  const firsts = [
    { month: monthOf(from), part: { from: monthOf(from), to: from, sign: -1 } },
    { month: monthFrom(from), part: { from, to: monthFrom(from), sign: 1 } },
  ] as const;
  const lasts = [
    { month: monthFrom(to), part: { from: to, to: monthFrom(to), sign: -1 } },
    { month: monthOf(to), part: { from: monthOf(to), to, sign: 1 } },
  ] as const;
  const withMonths = firsts
    .flatMap((first) => lasts.map((last) => ({ first, last })))
    .filter(({ first, last }) => first.month <= last.month)
    .map(({ first, last }): Parts => ({
      months: [first.month, last.month],
      days: [first.part, last.part],
    }));
  const all = [daysOf({ from, to }), ...withMonths];
  return all.reduce((best, parts) => (cost(parts) < cost(best) ? parts : best));
}
