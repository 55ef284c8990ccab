import { sql, type Expression, type SqlBool } from 'kysely';
import type { z } from 'zod';
import { ProblemError } from '../../contract/problem.ts';
import type { listRunsQuery } from '../../contract/run.ts';
import type { ServiceContext } from '../context.ts';
import { isRunId } from './find-run.ts';

type Query = z.output<typeof listRunsQuery>;
export type Filter = Expression<SqlBool>;

const NOTHING = sql<SqlBool>`false`;

/** A text column equals, where asked. */
function equals(column: Filter | Expression<unknown>, value: string | undefined): Filter[] {
  return value === undefined ? [] : [sql<SqlBool>`${column} = ${value}`];
}

/** A column is any of the values, where asked. */
function anyOf(column: Expression<unknown>, values: readonly string[] | undefined): Filter[] {
  if (values === undefined) return [];
  const [only, ...more] = values;
  if (only !== undefined && more.length === 0) return [sql<SqlBool>`${column} = ${only}`];
  return [sql<SqlBool>`${column} = any(${values}::text[])`];
}

/** A uuid column equals; a text that is no uuid matches nothing. */
function sameId(column: Expression<unknown>, value: string | undefined): Filter[] {
  if (value === undefined) return [];
  return isRunId(value) ? [sql<SqlBool>`${column} = ${value}::uuid`] : [NOTHING];
}

function environmentFilter(query: Query): Filter[] {
  if (query.environment_id === 'empty-environment') return [sql<SqlBool>`r.environment_id is null`];
  return equals(sql`r.environment_id`, query.environment_id);
}

/** Each pair as a look-up of its own index, which unlike one on the whole JSON can be read bit by bit. */
function metadataFilters({ config }: ServiceContext, teamId: string, query: Query): Filter[] {
  if (query.metadata === undefined) return [];
  if (!config.limits.metadata_filter)
    throw new ProblemError('feature_not_available', {
      field: 'metadata',
      detail: 'Filtering by metadata is switched off on this service.',
    });
  return Object.entries(query.metadata).map(
    ([key, value]) => sql<SqlBool>`r.id in (
      select m.run_id from run_metadata m
      where m.team_id = ${teamId} and m.key = ${key} and m.value = ${value})`,
  );
}

function ancestorFilter(id: string | undefined): Filter[] {
  if (id === undefined) return [];
  if (!isRunId(id)) return [NOTHING];
  return [sql<SqlBool>`r.root_run_id = ${id}::uuid and r.id <> ${id}::uuid`];
}

/** The type is one of the contract's, and written out so that its partial index is seen to fit. */
function artifactFilter(type: Query['artifact_type']): Filter[] {
  if (type === undefined) return [];
  return [sql<SqlBool>`r.artifact_types @> ${sql.lit(`{${type}}`)}::text[]`];
}

/** Conditions on times; a run is never updated before it was created, which narrows both sides. */
function timeFilters(query: Query): Filter[] {
  const { created_after, created_before, updated_after } = query;
  return [
    ...(created_after
      ? [
          sql<SqlBool>`r.created_at > ${created_after}::timestamptz`,
          sql<SqlBool>`r.updated_at > ${created_after}::timestamptz`,
        ]
      : []),
    ...(created_before ? [sql<SqlBool>`r.created_at < ${created_before}::timestamptz`] : []),
    ...(updated_after ? [sql<SqlBool>`r.updated_at > ${updated_after}::timestamptz`] : []),
  ];
}

/** Conditions that each have an index of their own, in the order of `updated_at`. */
function facetFilters(query: Query): Filter[] {
  return [
    ...anyOf(sql`r.state`, query.state),
    ...anyOf(sql`r.source`, query.source),
    ...equals(sql`r.config_name`, query.name),
    ...equals(sql`r.model_id`, query.model_id),
    ...equals(sql`r.creator_uid`, query.creator),
    ...equals(sql`r.executor_uid`, query.executor),
    ...equals(sql`r.execution_location`, query.execution_location),
    ...environmentFilter(query),
    ...equals(sql`r.skill_spec`, query.skill),
    ...equals(sql`r.skill_spec`, query.skill_spec),
    ...sameId(sql`r.schedule_id`, query.schedule_id),
    ...ancestorFilter(query.ancestor_run_id),
    ...artifactFilter(query.artifact_type),
  ];
}

/** What a list's runs must fulfil (interface.md 4.2); filters combine with AND. */
export interface RunFilters {
  /** Of the team's runs; each finds its runs by an index in the order of `updated_at`. */
  facets: Filter[];
  /** Each finds its runs by an index, in no useful order. */
  others: Filter[];
  /** Each bounds a time; finds its runs by the index of that time. */
  times: Filter[];
}

export function runFilters(context: ServiceContext, teamId: string, query: Query): RunFilters {
  return {
    facets: facetFilters(query),
    others: metadataFilters(context, teamId, query),
    times: timeFilters(query),
  };
}
