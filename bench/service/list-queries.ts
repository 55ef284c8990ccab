import { encodeQuery, type QueryValue } from '../../src/contract/query-codec.ts';

export type ListQuery = Record<string, QueryValue>;

/** Values that are in the filled tables. */
export interface FillFacts {
  scheduleId: string;
  ancestorId: string;
  /** A tenth of all runs were created before. */
  old: string;
}

export const NO_FACTS: FillFacts = { scheduleId: '', ancestorId: '', old: '' };

export const READ_FACTS = `select
  (select schedule_id from runs where schedule_id is not null limit 1) as "scheduleId",
  (select root_run_id from runs where root_run_id <> id limit 1) as "ancestorId",
  (select to_char((min(created_at) + (max(created_at) - min(created_at)) / 10) at time zone 'UTC',
    'YYYY-MM-DD"T"HH24:MI:SS"Z"') from runs) as old`;

const HOUR = 3_600_000;

function ago(hours: number): string {
  return new Date(Date.now() - hours * HOUR).toISOString();
}

/** Every filter of the list, with values that match many runs, few, and only old ones. */
export function filters(facts: FillFacts): Record<string, ListQuery> {
  return {
    none: {},
    'state, dense': { state: ['SUCCEEDED'] },
    'state, rare': { state: ['QUEUED'] },
    'states, several': { state: ['FAILED', 'ERROR', 'BLOCKED'] },
    name: { name: 'config-17' },
    model_id: { model_id: 'model-3' },
    'model_id, old': { model_id: 'model-0' },
    creator: { creator: 'user-42' },
    executor: { executor: 'user-842' },
    'source, dense': { source: ['API'] },
    'source, rare': { source: ['CLI'] },
    'source, absent': { source: ['SLACK'] },
    execution_location: { execution_location: 'LOCAL' },
    'created_after, recent': { created_after: ago(24) },
    'created_before, old': { created_before: facts.old },
    'created between, old': { created_after: facts.old, created_before: ago(48) },
    'updated_after, recent': { updated_after: ago(24) },
    environment_id: { environment_id: 'environment00000000123' },
    'empty-environment': { environment_id: 'empty-environment' },
    skill_spec: { skill_spec: 'acme/widgets:skills/skill33/SKILL.md' },
    schedule_id: { schedule_id: facts.scheduleId },
    ancestor_run_id: { ancestor_run_id: facts.ancestorId },
    'metadata, dense': { metadata: { lane: 'l1' } },
    'metadata, rare': { metadata: { ticket: 'T-12345' } },
    'artifact_type, dense': { artifact_type: 'PULL_REQUEST' },
    'artifact_type, rare': { artifact_type: 'PLAN' },
    'state and creator': { state: ['FAILED'], creator: 'user-42' },
    'state, environment and source': {
      state: ['SUCCEEDED'],
      environment_id: 'environment00000000123',
      source: ['API'],
    },
    'creator and model': { creator: 'user-42', model_id: 'model-3' },
    'source and metadata': { source: ['API'], metadata: { lane: 'l1' } },
    'nothing matches': { name: 'config-17', model_id: 'model-999' },
  };
}

export const SORTS: readonly ListQuery[] = ['updated_at', 'created_at', 'title', 'agent'].flatMap(
  (sort_by) => ['desc', 'asc'].map((sort_order) => ({ sort_by, sort_order })),
);

export const SEARCHES: readonly string[] = [
  'flaky test',
  'Speed up the login worker',
  'rewrte the serch page',
  'migration 734512',
  'skill33',
  'no such words anywhere zebra',
];

export function pathOf(query: ListQuery): string {
  return `/agent/runs?${encodeQuery(query).toString()}`;
}
