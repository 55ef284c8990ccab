import { sql, type Expression, type SqlBool } from 'kysely';
import type { z } from 'zod';
import { ProblemError } from '../../contract/problem.ts';
import type { listRunsQuery } from '../../contract/run.ts';
import type { ServiceContext } from '../context.ts';
import { isRunId } from './find-run.ts';
import { searchFilter } from './search.ts';

type Query = z.output<typeof listRunsQuery>;
type Filter = Expression<SqlBool>;

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

function metadataFilter({ config }: ServiceContext, query: Query): Filter[] {
  if (query.metadata === undefined) return [];
  if (!config.limits.metadata_filter)
    throw new ProblemError('feature_not_available', {
      field: 'metadata',
      detail: 'Filtering by metadata is switched off on this service.',
    });
  return [sql<SqlBool>`r.metadata @> ${JSON.stringify(query.metadata)}::jsonb`];
}

function timeFilters(query: Query): Filter[] {
  const { created_after, created_before, updated_after } = query;
  return [
    ...(created_after ? [sql<SqlBool>`r.created_at > ${created_after}::timestamptz`] : []),
    ...(created_before ? [sql<SqlBool>`r.created_at < ${created_before}::timestamptz`] : []),
    ...(updated_after ? [sql<SqlBool>`r.updated_at > ${updated_after}::timestamptz`] : []),
  ];
}

function ancestorFilter(id: string | undefined): Filter[] {
  if (id === undefined) return [];
  if (!isRunId(id)) return [NOTHING];
  return [sql<SqlBool>`r.root_run_id = ${id}::uuid and r.id <> ${id}::uuid`];
}

function artifactFilter(type: string | undefined): Filter[] {
  if (type === undefined) return [];
  return [sql<SqlBool>`r.artifact_types @> array[${type}]::text[]`];
}

/** Everything a list's runs must fulfil (interface.md 4.2); filters combine with AND. */
export function runFilters(context: ServiceContext, teamId: string, query: Query): Filter[] {
  return [
    sql<SqlBool>`r.team_id = ${teamId}`,
    ...anyOf(sql`r.state`, query.state),
    ...anyOf(sql`r.source`, query.source),
    ...equals(sql`r.config_name`, query.name),
    ...equals(sql`r.model_id`, query.model_id),
    ...equals(sql`r.creator_uid`, query.creator),
    ...equals(sql`r.executor_uid`, query.executor),
    ...equals(sql`r.execution_location`, query.execution_location),
    ...timeFilters(query),
    ...environmentFilter(query),
    ...equals(sql`r.skill_spec`, query.skill),
    ...equals(sql`r.skill_spec`, query.skill_spec),
    ...sameId(sql`r.schedule_id`, query.schedule_id),
    ...ancestorFilter(query.ancestor_run_id),
    ...metadataFilter(context, query),
    ...artifactFilter(query.artifact_type),
    ...(query.q?.trim() ? [searchFilter(query.q.trim())] : []),
  ];
}
