import type { QueryValue } from '../../contract/query-codec.ts';
import {
  listRunsQuery,
  runSource,
  runState,
  type RunSource,
  type RunState,
} from '../../contract/run.ts';
import { statisticsGroup, type StatisticsGroup } from '../../contract/statistics.ts';

/** The filters of the list, as in its form and its links. */
export interface RunsFilter {
  q: string;
  state: RunState | keyof typeof GROUPS | '';
  source: RunSource | '';
  environment: string;
  schedule: string;
  after: string;
  before: string;
  repository: string;
  agent: string;
  model: string;
  person: string;
  without: StatisticsGroup | '';
  order: 'oldest' | '';
  cursor?: string;
}

/** Groups of states for one filter. */
const GROUPS = {
  active: ['QUEUED', 'PENDING', 'INPROGRESS'],
  done: ['SUCCEEDED', 'FAILED', 'ERROR', 'CANCELLED'],
  /** The states that the overview counts as ended. */
  ended: ['SUCCEEDED', 'FAILED', 'ERROR', 'BLOCKED', 'CANCELLED'],
} as const satisfies Record<string, RunState[]>;
const GROUP_NAMES = ['active', 'done', 'ended'] as const;
const PAGE_SIZE = 25;

/**
 * Filters that only links from other pages set: a schedule, a time span, a group of the overview.
 */
export const LED_BY = [
  'schedule',
  'after',
  'before',
  'repository',
  'agent',
  'model',
  'person',
  'without',
  'order',
] as const satisfies (keyof RunsFilter)[];

type TextFilter =
  | 'name'
  | 'model_id'
  | 'person'
  | 'executor'
  | 'created_after'
  | 'created_before'
  | 'environment_id'
  | 'schedule_id';

/** Reads the filters from the URL. An unknown value sets no filter. */
export function readFilter(params: URLSearchParams): RunsFilter {
  const cursor = params.get('cursor');
  return {
    q: (params.get('q') ?? '').slice(0, 1024).toWellFormed().replaceAll('\0', ''),
    state: oneOf([...runState.options, ...GROUP_NAMES], params.get('state')),
    source: oneOf(runSource.options, params.get('source')),
    environment: valid('environment_id', params.get('environment')),
    schedule: valid('schedule_id', params.get('schedule')),
    after: valid('created_after', params.get('after')),
    before: valid('created_before', params.get('before')),
    repository: valid('name', params.get('repository')),
    agent: valid('executor', params.get('agent')),
    model: valid('model_id', params.get('model')),
    person: valid('person', params.get('person')),
    without: oneOf(statisticsGroup.options, params.get('without')),
    order: oneOf(['oldest'], params.get('order')),
    ...(cursor ? { cursor } : {}),
  };
}

/** The filters as a query of the pages' own URL. */
export function writeFilter(filter: RunsFilter): string {
  const pairs = Object.entries(filter).filter(([, value]) => value !== '');
  return new URLSearchParams(Object.fromEntries(pairs)).toString();
}

/** The filters as a query of GET /agent/runs. */
export function toListQuery(filter: RunsFilter): Record<string, QueryValue> {
  const { state, source, cursor, repository } = filter;
  const texts = {
    q: filter.q,
    environment_id: filter.environment,
    schedule_id: filter.schedule,
    created_after: filter.after,
    created_before: filter.before,
    executor: filter.agent,
    model_id: filter.model,
    person: filter.person,
  };
  return {
    limit: PAGE_SIZE,
    sort_by: 'created_at',
    cursor,
    ...Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== '')),
    ...(filter.order === 'oldest' ? { sort_order: 'asc' } : {}),
    ...(state === '' ? {} : { state: isGroup(state) ? GROUPS[state] : [state] }),
    ...(source === '' ? {} : { source: [source] }),
    ...(filter.without === '' ? {} : { without: [filter.without] }),
    ...(repository === '' ? {} : { metadata: { 'runlink.repository': repository } }),
  };
}

export function isFiltered(filter: RunsFilter): boolean {
  const { cursor: _, ...narrowing } = filter;
  return Object.values(narrowing).some((it) => it !== '');
}

function isGroup(state: RunState | keyof typeof GROUPS): state is keyof typeof GROUPS {
  return state in GROUPS;
}

function oneOf<T extends string>(values: readonly T[], given: string | null): T | '' {
  return values.find((value) => value === given) ?? '';
}

function valid(filter: TextFilter, given: string | null): string {
  return listRunsQuery.shape[filter].safeParse(given ?? undefined).data ?? '';
}
