import { sql } from 'kysely';
import type { Db } from '../../tables.ts';
import type { RunRow } from '../find-run.ts';

const PROMPT_SHOWN = 4000;
const LAST_MESSAGE_MAX = 8000;

/** The agent's latest message in a run, joined from its pieces; empty if there is none. */
export async function lastMessage(db: Db, runId: string): Promise<string> {
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

/** A short summary of a run so far, for an agent that cannot resume its own session. */
export async function summarise(db: Db, run: Pick<RunRow, 'id' | 'prompt'>): Promise<string> {
  const message = await lastMessage(db, run.id);
  const parts = [`You were asked:\n${cut(run.prompt, PROMPT_SHOWN)}`];
  if (message) parts.push(`Your last answer was:\n${cut(message, LAST_MESSAGE_MAX)}`);
  return parts.join('\n\n');
}

/** How many earlier runs of a conversation the agent of a new run is told about. */
const RUNS_TOLD = 3;

/**
 * A summary of a conversation for a run that continues it; empty if no agent has started in it yet.
 */
export async function summariseConversation(
  db: Db,
  run: Pick<RunRow, 'conversation_id' | 'team_id' | 'created_at'>,
): Promise<string> {
  const earlier = await db
    .selectFrom('runs')
    .where('conversation_id', '=', run.conversation_id)
    .where('team_id', '=', run.team_id)
    .where('created_at', '<', run.created_at)
    .where('attempt', '>', 0)
    .select(['id', 'prompt', 'resume'])
    .orderBy('created_at', 'desc')
    .limit(RUNS_TOLD)
    .execute();
  const told = await Promise.all(
    earlier.toReversed().map(async ({ resume, ...row }) => {
      const { branch, pull_request_url: url } = resume ?? {};
      const place = url ?? (branch && `the branch ${branch}`);
      return [await summarise(db, row), ...(place ? [`Its commits: ${place}`] : [])];
    }),
  );
  return told.flat().join('\n\n');
}
