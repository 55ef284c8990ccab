import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { ProblemError } from '../../../src/contract/problem.ts';
import { checkCron, latestFiring, nextFiring } from '../../../src/service/schedules/cron.ts';

const zone = process.env['TZ'];
afterEach(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

function refusal(expression: string): string {
  try {
    checkCron(expression);
  } catch (error) {
    return error instanceof ProblemError ? error.message : `not a problem: ${String(error)}`;
  }
  return 'accepted';
}

describe('cron expressions (interface.md 4.3)', () => {
  it.each(['* * * * *', '*/5 9-17 * * 1-5', '0 0 1,15 * *', '30 2 * JAN MON', '0 0 L * *'])(
    'takes %j',
    (expression) => {
      expect(refusal(expression)).toBe('accepted');
    },
  );

  it.each([
    ['61 * * * *', 'the minute field "61" is not valid'],
    ['* 25 * * *', 'the hour field "25" is not valid'],
    ['* * 0 * *', 'the day of month field "0" is not valid'],
    ['* * * 13 *', 'the month field "13" is not valid'],
    ['* * * * 8', 'the day of week field "8" is not valid'],
    ['a * * * *', 'the minute field "a" is not valid'],
    ['*/0 * * * *', 'the minute field "*/0" is not valid'],
    ['* 5-1 * * *', 'the hour field "5-1" is not valid'],
    ['? * * * *', 'the minute field "?" is not valid'],
    ['* * * *', 'needs 5 fields (minute, hour, day of month, month, day of week), has 4'],
    ['0 0 * * * *', 'needs 5 fields (minute, hour, day of month, month, day of week), has 6'],
    ['@daily', 'needs 5 fields (minute, hour, day of month, month, day of week), has 1'],
    [' ', 'needs 5 fields (minute, hour, day of month, month, day of week), has 0'],
    ['0 0 31 2 *', '"0 0 31 2 *" never fires'],
    ['0 0 30 2 *', '"0 0 30 2 *" never fires'],
  ])('refuses %j, naming the field', (expression, reason) => {
    expect(refusal(expression)).toContain(`cron_schedule: ${reason}`);
  });

  it('refuses or takes any text, and never anything else', () => {
    const field = fc.string({
      unit: fc.constantFrom(...'*/,-0123456789LW#?aMON'.split('')),
      maxLength: 6,
    });
    const expressions = fc
      .array(field, { minLength: 4, maxLength: 6 })
      .map((list) => list.join(' '));
    const clean = fc.property(fc.oneof(expressions, fc.string()), (expression) => {
      expect(refusal(expression)).not.toContain('not a problem');
    });
    expect(fc.check(clean)).toMatchObject({ failed: false });
  });
});

/** Clock changes of three zones: what the machine's own zone is must never matter, cron is UTC. */
describe.each(['UTC', 'America/New_York', 'Europe/Berlin', 'Australia/Lord_Howe'])(
  'firings on a machine in %s',
  (machine) => {
    it.each([
      ['30 2 * * *', '2026-03-08T02:00:00Z', '2026-03-08T02:30:00Z', 'New York, spring'],
      ['30 2 * * *', '2026-03-08T02:30:00Z', '2026-03-09T02:30:00Z', 'New York, spring'],
      ['30 7 * * *', '2026-03-08T06:59:00Z', '2026-03-08T07:30:00Z', 'New York, in the gap'],
      ['30 5 * * *', '2026-11-01T05:00:00Z', '2026-11-01T05:30:00Z', 'New York, autumn'],
      ['30 6 * * *', '2026-11-01T05:30:00Z', '2026-11-01T06:30:00Z', 'New York, repeated hour'],
      ['0 * * * *', '2026-03-29T00:30:00Z', '2026-03-29T01:00:00Z', 'Berlin, spring'],
      ['0 * * * *', '2026-03-29T01:00:00Z', '2026-03-29T02:00:00Z', 'Berlin, spring'],
      ['0 * * * *', '2026-10-25T00:00:00Z', '2026-10-25T01:00:00Z', 'Berlin, autumn'],
      ['0 * * * *', '2026-10-25T01:00:00Z', '2026-10-25T02:00:00Z', 'Berlin, autumn'],
      ['*/15 * * * *', '2026-04-04T14:45:00Z', '2026-04-04T15:00:00Z', 'Lord Howe, half an hour'],
      ['*/15 * * * *', '2026-04-04T15:00:00Z', '2026-04-04T15:15:00Z', 'Lord Howe, half an hour'],
      ['*/15 * * * *', '2026-04-04T15:15:00Z', '2026-04-04T15:30:00Z', 'Lord Howe, half an hour'],
    ])('%s after %s come at %s (%s)', (expression, after, expected) => {
      process.env['TZ'] = machine;
      expect(nextFiring(expression, new Date(after))).toEqual(new Date(expected));
    });

    it.each(['2026-03-01', '2026-10-01'])('are every hour of 45 days from %s, once', (from) => {
      process.env['TZ'] = machine;
      const start = Date.parse(`${from}T00:00:00Z`);
      const hours = 45 * 24;
      let at = new Date(start);
      for (let hour = 1; hour <= hours; hour += 1) {
        at = nextFiring('0 * * * *', at) ?? at;
        if (at.getTime() !== start + hour * 3_600_000) break;
      }
      expect(at).toEqual(new Date(start + hours * 3_600_000));
    });
  },
);

describe('the latest firing', () => {
  it('is the moment itself when it is one', () => {
    const at = new Date('2026-01-01T10:00:00Z');
    expect(latestFiring('0 * * * *', at)).toEqual(at);
    expect(latestFiring('0 * * * *', new Date('2026-01-01T10:59:59.999Z'))).toEqual(at);
    expect(latestFiring('0 * * * *', new Date('2026-01-01T09:59:59Z'))).toEqual(
      new Date('2026-01-01T09:00:00Z'),
    );
  });
});
