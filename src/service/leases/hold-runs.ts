import { runKeyInSql } from '../keys/key-text.ts';
import { TRANSITIONS } from '../runs/life/state-machine.ts';

const { from, to, event } = TRANSITIONS.claim;

/**
 * The part of a larger statement that gives runs to workers. Input: rows `dealt (place, worker,
 * token, id, retry_count, run)` of jobs that the statement holds. Those runs that are still waiting
 * become `held`. The pads are the parameters for deriving the runs' keys.
 */
export const holdingRuns = (padIn: string, padOut: string): string => `held as (
    update runs r set state = '${to}', attempt = r.attempt + 1, job_retry = d.retry_count,
      lease_hash = decode(d.token, 'hex'), lease_worker = d.worker, log_next_seq = 1, cancel_signal = null,
      claim_signal = r.last_signal, log_position = r.log_position + 1,
      updated_at = greatest(clock_timestamp(), r.updated_at + interval '1 ms')
    from dealt d where r.id = d.run and r.job_id = d.id and r.state = '${from[0]}'
    returning d.place, r.*),
  logged as (
    insert into run_events (run_id, position, attempt, type, at, data)
    select id, log_position, attempt, 'lifecycle', updated_at, jsonb_build_object(
      'event_type', '${event}', 'payload', jsonb_build_object('worker_id', lease_worker)) from held),
  told as (
    update run_followups f set taken_attempt = h.attempt from held h
    where h.reopened > 0 and f.run_id = h.id and f.taken_attempt is null),
  keyed as (
    insert into api_keys (id, hash, kind, name, prefix, suffix, team_id, run_id, created_at)
    select gen_random_uuid(), sha256(convert_to(key, 'UTF8')), 'run', 'run ' || id, left(key, 7),
      right(key, 4), team_id, id, now()
    from (select *, ${runKeyInSql('held.id', 'held.attempt', padIn, padOut)} as key from held) h)`;
