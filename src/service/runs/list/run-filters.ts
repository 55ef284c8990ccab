import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely';
import type { z } from 'zod';
import { ProblemError } from '../../../contract/problem.ts';
import type { listRunsQuery } from '../../../contract/run.ts';
import type { StatisticsGroup } from '../../../contract/statistics.ts';
import type { ServiceContext } from '../../context.ts';
import { isRunId } from '../find-run.ts';

type Query = z.output<typeof listRunsQuery>;
export type RunCondition = Expression<SqlBool>;

/** One condition on the runs of a list. */
export interface Condition {
  /** Checks a run that has been read. */
  holds: RunCondition;
  /** Finds the matching runs by an index; default: `holds`. */
  finds?: RunCondition;
  /** Whether its index is ordered by `updated_at`. */
  inUpdateOrder?: boolean;
  /** Whether many runs may match; the indexes of the sort orders contain its column. */
  isDense?: boolean;
  /** The sort order that it limits. */
  bounds?: 'created_at' | 'updated_at';
  /** Whether no index can count the matches. */
  isUncounted?: boolean;
}

/** The check for a run that has been read. */
export const asked = ({ holds }: Condition): RunCondition => holds;

export function all(filters: readonly RunCondition[]): RunCondition {
  return filters.length === 0 ? sql<SqlBool>`true` : sql<SqlBool>`${sql.join(filters, sql` and `)}`;
}

const NOTHING: Condition = { holds: sql<SqlBool>`false` };

/** Column equals the text; no condition if undefined. */
function equals(column: Expression<unknown>, value: string | undefined): Condition[] {
  if (value === undefined) return [];
  return [{ holds: sql<SqlBool>`${column} = ${value}`, inUpdateOrder: true }];
}

/** Column is one of the values; no condition if undefined. */
function anyOf(column: Expression<unknown>, values: readonly string[] | undefined): Condition[] {
  if (values === undefined) return [];
  const [only, ...more] = values;
  if (only !== undefined && more.length === 0) return equals(column, only);
  return [{ holds: sql<SqlBool>`${column} = any(${values}::text[])` }];
}

function dense(conditions: Condition[]): Condition[] {
  return conditions.map((condition) => ({ ...condition, isDense: true }));
}

/** Column equals the uuid. A text that is not a uuid matches nothing. */
function sameId(column: Expression<unknown>, value: string | undefined): Condition[] {
  if (value === undefined) return [];
  if (!isRunId(value)) return [NOTHING];
  return [{ holds: sql<SqlBool>`${column} = ${value}::uuid`, inUpdateOrder: true }];
}

function environmentFilter(query: Query): Condition[] {
  if (query.environment_id === 'empty-environment')
    return [{ holds: sql<SqlBool>`r.environment_id is null` }];
  return equals(sql`r.environment_id`, query.environment_id);
}

/** Runs that have no value in this group of the statistics. */
const NONE: Record<StatisticsGroup, RunCondition> = {
  environment: sql`r.environment_id is null`,
  repository: sql`coalesce(r.metadata ->> 'runlink.repository', '') = ''`,
  agent: sql`(r.executor ->> 'type' is distinct from 'service_account' or coalesce(r.executor_uid, '') = '')`,
  model: sql`r.model_id is null`,
  person: sql`coalesce('@' || (r.metadata ->> 'runlink.actor'), r.creator_uid, '') = ''`,
};

function withoutFilter(groups: Query['without']): Condition[] {
  return (groups ?? []).map((group) => ({ holds: NONE[group], isUncounted: true }));
}

/**
 * Looks metadata up in its own index, which can be read step by step, unlike an index on the whole
 * JSON.
 */
function labelled(teamId: string, key: string, value: string): Condition {
  return {
    holds: sql<SqlBool>`r.metadata ->> ${key} = ${value}`,
    finds: sql<SqlBool>`r.id in (
      select m.run_id from run_metadata m
      where m.team_id = ${teamId} and m.key = ${key} and m.value = ${value})`,
  };
}

/** People from GitHub are found by their login, whoever's key sent the request. */
function personFilter(teamId: string, person: string | undefined): Condition[] {
  if (person?.startsWith('@')) return [labelled(teamId, 'runlink.actor', person.slice(1))];
  const own = sql<SqlBool>`(r.metadata ->> 'runlink.actor') is null`;
  const by = equals(sql`r.creator_uid`, person);
  return by.length === 0 ? [] : [...by, { holds: own, isUncounted: true }];
}

function metadataFilters({ config }: ServiceContext, teamId: string, query: Query): Condition[] {
  const { metadata = {}, automation_id } = query;
  const pairs = Object.entries(metadata);
  if (automation_id !== undefined) pairs.push(['automation_id', automation_id]);
  if (pairs.length === 0) return [];
  if (!config.limits.metadata_filter)
    throw new ProblemError('feature_not_available', {
      field: 'metadata',
      detail: 'Filtering by metadata is switched off on this service.',
    });
  return pairs.map(([key, value]) => labelled(teamId, key, value));
}

const WORKING = sql`r.state in ('QUEUED', 'PENDING', 'INPROGRESS')`;
const TASKS: Record<NonNullable<Query['task_status']>[number], RawBuilder<unknown>> = {
  running: sql`(${WORKING} or exists (
    select from runs below where below.root_run_id = r.id
      and below.state in ('QUEUED', 'PENDING', 'INPROGRESS')))`,
  failed: sql`r.state in ('FAILED', 'ERROR')`,
  blocked: sql`r.state = 'BLOCKED'`,
  cancelled: sql`r.state = 'CANCELLED'`,
  complete: sql`r.state = 'SUCCEEDED'`,
};

/** A task is a run without a parent; it is running while any run below it is. */
function taskFilter(statuses: Query['task_status']): Condition[] {
  if (statuses === undefined) return [];
  const any = sql.join(
    statuses.map((status) => TASKS[status]),
    sql` or `,
  );
  return [{ holds: sql<SqlBool>`(r.parent_run_id is null and (${any}))` }];
}

function ancestorFilter(id: string | undefined): Condition[] {
  if (id === undefined) return [];
  if (!isRunId(id)) return [NOTHING];
  return [
    {
      holds: sql<SqlBool>`r.root_run_id = ${id}::uuid and r.id <> ${id}::uuid`,
      inUpdateOrder: true,
    },
  ];
}

/**
 * The type is from the contract's list and written into the SQL, so that the planner can use its
 * partial index.
 */
function artifactFilter(type: Query['artifact_type']): Condition[] {
  if (type === undefined) return [];
  return [
    {
      holds: sql<SqlBool>`r.artifact_types @> ${sql.lit(`{${type}}`)}::text[]`,
      inUpdateOrder: true,
    },
  ];
}

function createdFilter({ created_after: after, created_before: before }: Query): Condition[] {
  const from = sql<SqlBool>`r.created_at > ${after}::timestamptz`;
  const to = sql<SqlBool>`r.created_at < ${before}::timestamptz`;
  if (after === undefined && before === undefined) return [];
  if (after === undefined) return [{ holds: to, bounds: 'created_at', isDense: true }];
  if (before === undefined) return [{ holds: from, bounds: 'created_at', isDense: true }];
  return [{ holds: sql<SqlBool>`(${from} and ${to})`, bounds: 'created_at', isDense: true }];
}

/**
 * Limits by time of change. No run changed before its creation, so `created_after` limits that
 * order, too.
 */
function updatedFilter({ updated_after, created_after, sort_by }: Query): Condition[] {
  return [updated_after, sort_by === 'updated_at' ? created_after : undefined]
    .filter((after) => after !== undefined)
    .map((after) => ({
      holds: sql<SqlBool>`r.updated_at > ${after}::timestamptz`,
      bounds: 'updated_at' as const,
    }));
}

/**
 * The conditions for a list (interface.md 4.2); all must hold. Those that usually match the fewest
 * runs come first.
 */
export function runFilters(context: ServiceContext, teamId: string, query: Query): Condition[] {
  return [
    ...ancestorFilter(query.ancestor_run_id),
    ...sameId(sql`r.schedule_id`, query.schedule_id),
    ...equals(sql`r.skill_spec`, query.skill),
    ...equals(sql`r.skill_spec`, query.skill_spec),
    ...equals(sql`r.creator_uid`, query.creator),
    ...equals(sql`r.executor_uid`, query.executor),
    ...equals(sql`r.config_name`, query.name),
    ...dense(environmentFilter(query)),
    ...dense(equals(sql`r.model_id`, query.model_id)),
    ...artifactFilter(query.artifact_type),
    ...taskFilter(query.task_status),
    ...dense(anyOf(sql`r.source`, query.source)),
    ...dense(anyOf(sql`r.state`, query.state)),
    ...dense(equals(sql`r.execution_location`, query.execution_location)),
    ...createdFilter(query),
    ...updatedFilter(query),
    ...metadataFilters(context, teamId, query),
    ...personFilter(teamId, query.person),
    ...withoutFilter(query.without),
  ];
}
