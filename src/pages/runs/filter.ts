import type { QueryValue } from '../../contract/query-codec.ts';
import {
  listRunsQuery,
  runSource,
  runState,
  type RunSource,
  type RunState,
} from '../../contract/run.ts';

/** The filters of the list, as they stand in its form and its links. */
export interface Filter {
  q: string;
  state: RunState | keyof typeof GROUPS | '';
  source: RunSource | '';
  environment: string;
  /** Only runs that this schedule started. */
  schedule: string;
  cursor?: string;
}

/** States that are asked for together. */
const GROUPS = {
  active: ['QUEUED', 'PENDING', 'INPROGRESS'],
  done: ['SUCCEEDED', 'FAILED', 'ERROR', 'CANCELLED'],
} as const satisfies Record<string, RunState[]>;
const PAGE_SIZE = 25;

function oneOf<T extends string>(values: readonly T[], given: string | null): T | '' {
  return values.find((value) => value === given) ?? '';
}

function valid(filter: 'environment_id' | 'schedule_id', given: string | null): string {
  return listRunsQuery.shape[filter].safeParse(given ?? undefined).data ?? '';
}

/** Reads the filters from the address. Unknown values count as no filter. */
export function readFilter(params: URLSearchParams): Filter {
  const cursor = params.get('cursor');
  return {
    q: (params.get('q') ?? '').slice(0, 1024).toWellFormed().replaceAll('\0', ''),
    state: oneOf([...runState.options, 'active' as const, 'done' as const], params.get('state')),
    source: oneOf(runSource.options, params.get('source')),
    environment: valid('environment_id', params.get('environment')),
    schedule: valid('schedule_id', params.get('schedule')),
    ...(cursor ? { cursor } : {}),
  };
}

/** The filter as a query of the pages' own address. */
export function writeFilter(filter: Filter): string {
  const pairs = Object.entries(filter).filter(([, value]) => value !== '');
  return new URLSearchParams(Object.fromEntries(pairs)).toString();
}

/** The filter as a query of GET /agent/runs. */
export function toListQuery(filter: Filter): Record<string, QueryValue> {
  const { q, state, source, environment, schedule, cursor } = filter;
  return {
    limit: PAGE_SIZE,
    sort_by: 'created_at',
    cursor,
    ...(q === '' ? {} : { q }),
    ...(state === ''
      ? {}
      : { state: state === 'active' || state === 'done' ? GROUPS[state] : [state] }),
    ...(source === '' ? {} : { source: [source] }),
    ...(environment === '' ? {} : { environment_id: environment }),
    ...(schedule === '' ? {} : { schedule_id: schedule }),
  };
}

export function isFiltered(filter: Filter): boolean {
  const { cursor: _, ...narrowing } = filter;
  return Object.values(narrowing).some((it) => it !== '');
}
