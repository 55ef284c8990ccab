import { sql, type Kysely } from 'kysely';
import type { ServiceTables } from '../../tables.ts';
import type { RunRow } from '../find-run.ts';

const PROMPT_MAX = 4000;
const LAST_MESSAGE_MAX = 8000;

/** The agent's latest message of a run, put together from its pieces; empty when it said nothing. */
export async function lastMessage(db: Kysely<ServiceTables>, runId: string): Promise<string> {
  const { rows } = await sql<{ text: string | null }>`
    select string_agg(e.data ->> 'delta', '' order by e.position) as text
    from run_events e
    join (
      select attempt, entry_key from run_events
      where run_id = ${runId} and type = 'message' and data ->> 'role' = 'assistant'
      order by position desc limit 1
    ) latest using (attempt, entry_key)
    where e.run_id = ${runId}`.execute(db);
  return rows[0]?.text ?? '';
}

function cut(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max).toWellFormed()} […]` : text;
}

/** What happened in a run so far, in short, for an agent that cannot resume its own session. */
export async function summarise(db: Kysely<ServiceTables>, run: RunRow): Promise<string> {
  const message = await lastMessage(db, run.id);
  const parts = [`You were asked:\n${cut(run.prompt, PROMPT_MAX)}`];
  if (message) parts.push(`Your last answer was:\n${cut(message, LAST_MESSAGE_MAX)}`);
  return parts.join('\n\n');
}
