import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { cheapestParts } from '../../src/service/statistics/parts.ts';

const DAY_MS = 86_400_000;
const day = fc.integer({ min: 0, max: 1500 }).map((at) => new Date(Date.UTC(2023, 0, 1 + at)));

it('each day of a span is counted once, and of no span more than 32 days are read', () => {
  fc.assert(
    fc.property(day, day, day, (a, b, now) => {
      fc.pre(a.getTime() !== b.getTime());
      const [from, to] = a < b ? [a, b] : [b, a];
      const { months, days } = cheapestParts({ from, to }, now);
      const has = (part: { from: Date; to: Date }, at: Date): number =>
        Number(part.from <= at && at < part.to);
      for (
        let time = from.getTime() - 40 * DAY_MS;
        time < to.getTime() + 40 * DAY_MS;
        time += DAY_MS
      ) {
        const at = new Date(time);
        const ofDays = days.reduce((sum, part) => sum + part.sign * has(part, at), 0);
        expect(has({ from: months[0], to: months[1] }, at) + ofDays).toBe(has({ from, to }, at));
      }
      for (const month of months.filter(() => months[0] < months[1]))
        expect(month.getUTCDate()).toBe(1);
      const read = days.reduce((sum, part) => sum + Number(part.to) - Number(part.from), 0);
      expect(to > now || read <= 32 * DAY_MS).toBe(true);
    }),
    { seed: 15 },
  );
});
