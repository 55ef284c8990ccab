import { LEASE_HEADER } from '../../contract/lease.ts';
import type { RunState } from '../../contract/run.ts';
import type { ServiceContext } from '../context.ts';
import { hashSecret } from '../keys/key-text.ts';
import type { Principal } from '../keys/principal.ts';
import { count } from '../metrics/tally.ts';
import { isRunId } from '../runs/find-run.ts';
import { TRANSITIONS, type TransitionName } from '../runs/life/state-machine.ts';
import type { Topic } from '../waiting/changes.ts';
import type { Word } from './write-words.ts';

interface LeaseCall {
  caller: Principal;
  params: { runId: string };
  request: Request;
}

/** A transition of a claimed run, with its log entry. */
export function changing(from: RunState, name: TransitionName, payload?: { reason: string }) {
  const { to, event } = TRANSITIONS[name];
  const lines = [{ type: 'lifecycle', data: { event_type: event, ...(payload && { payload }) } }];
  return { from, to, lines, shown: true };
}

/**
 * Writes what a worker reports under a lease. Returns false, with nothing changed, if the run is in
 * another state, if the lease is not the caller's, or if the case is not a simple one.
 */
export async function say(
  { writeWord, changes, tally }: Pick<ServiceContext, 'writeWord' | 'changes' | 'tally'>,
  { caller, params, request }: LeaseCall,
  word: Omit<Word, 'run' | 'team' | 'token' | 'key'>,
): Promise<boolean> {
  if (!isRunId(params.runId)) return false;
  const run = params.runId.toLowerCase();
  const token = hashSecret(request.headers.get(LEASE_HEADER) ?? '').toString('hex');
  const by = { team: caller.teamId, key: caller.unproven?.hash };
  const team = await writeWord({ ...word, ...by, run, token });
  if (team === undefined) return false;
  if (word.to) count(tally.changes, word.to);
  const watched: Topic[] = word.shown ? [`run:${run}`, `team:${team}`] : [];
  changes.spread([`log:${run}`, ...watched]);
  return true;
}
