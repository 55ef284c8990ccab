import { Cron } from 'croner';
import { errorMessage } from '../../base/error.ts';
import { invalidField } from '../../contract/problem.ts';

const FIELDS = ['minute', 'hour', 'day of month', 'month', 'day of week'] as const;
/**
 * Characters allowed in a field; this excludes croner's `?`, which means the moment of parsing, and
 * `@daily`.
 */
const ALPHABET = /^[\w*/,#-]+$/;

const parse = (expression: string): Cron =>
  new Cron(expression, { timezone: 'UTC', mode: '5-part', paused: true });

/**
 * Throws unless the text has five fields in UTC (interface.md 4.3) and fires at all (interface.md
 * 7.3); the error names the bad field.
 */
export function checkCron(expression: string): void {
  const fields = expression.trim().split(/\s+/);
  if (fields.length !== FIELDS.length)
    refuse(`needs 5 fields (${FIELDS.join(', ')}), has ${expression.trim() ? fields.length : 0}`);
  for (const [index, name] of FIELDS.entries()) checkField(name, fields[index] ?? '', index);
  if (!parse(expression).nextRun(new Date()))
    refuse(`"${expression}" never fires: no such day of month and month`);
}

/** The first firing after a time; undefined if there is none. */
export function nextFiring(expression: string, after: Date): Date | undefined {
  return parse(expression).nextRun(after) ?? undefined;
}

/** The last firing at or before a time. croner also counts one later in the same second. */
export function latestFiring(expression: string, at: Date): Date | undefined {
  const within = new Date(Math.floor(at.getTime() / 1000) * 1000 + 1);
  return parse(expression).previousRuns(1, within)[0];
}

function refuse(detail: string): never {
  throw invalidField('cron_schedule', detail);
}

function checkField(name: string, value: string, index: number): void {
  if (!ALPHABET.test(value)) refuse(`the ${name} field "${value}" is not valid`);
  try {
    parse(FIELDS.map((_, at) => (at === index ? value : '*')).join(' '));
  } catch (error) {
    const reason = errorMessage(error).replace(/^CronPattern: /, '');
    refuse(`the ${name} field "${value}" is not valid (${reason})`);
  }
}
