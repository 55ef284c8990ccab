import { endpoints } from '../../contract/endpoints.ts';
import type { ListEntriesResponse, LogEvent } from '../../contract/entry.ts';
import type { RunItem } from '../../contract/run.ts';
import type { TimelineEvent } from '../../contract/timeline.ts';
import type { Api } from '../api.ts';
import { toItem, type Item } from './item.ts';

/** Entries shown at first, and with each step back to earlier ones. */
export const ENTRIES_SHOWN = 60;
/** Most entries of one live update; more follow with the next. */
export const ENTRIES_PER_UPDATE = 100;

export type Changes = Extract<LogEvent, { type: 'changes' }>;
export type AgentStarted = Extract<LogEvent, { type: 'agent_started' }>;

/** All that the run page shows, as read at one moment. */
export interface RunData {
  run: RunItem;
  timeline: TimelineEvent[];
  log: ListEntriesResponse;
  items: Item[];
  /** The latest of each kind, wherever it stands in the log. */
  changes?: { event: Changes; position: number };
  plan?: Item & { type: 'plan' };
  agent?: AgentStarted;
}

/** Part of the log: the latest by default, before a place, or touched after one. */
export interface Part {
  before?: number;
  after?: number;
  wait?: number;
  signal?: AbortSignal;
}

async function loadLog(api: Api, runId: string, part: Part): Promise<ListEntriesResponse> {
  const { before, after, wait, signal } = part;
  const limit = after === undefined ? ENTRIES_SHOWN : ENTRIES_PER_UPDATE;
  return api.json(endpoints.runs.entries, {
    params: { runId },
    query: { before, after, limit },
    ...(wait === undefined ? {} : { wait }),
    ...(signal ? { signal } : {}),
  });
}

async function loadLatest(api: Api, runId: string, type: LogEvent['type']) {
  const { entries } = await api.json(endpoints.runs.entries, {
    params: { runId },
    query: { type: [type], limit: 1 },
  });
  return entries.at(-1);
}

async function loadChanges(api: Api, runId: string): Promise<RunData['changes']> {
  const entry = await loadLatest(api, runId, 'changes');
  const event = entry?.events.at(-1);
  return entry && event?.type === 'changes' ? { event, position: entry.last_position } : undefined;
}

async function loadPlan(api: Api, runId: string): Promise<RunData['plan']> {
  const entry = await loadLatest(api, runId, 'plan');
  const item = entry && toItem(entry);
  return item?.type === 'plan' ? item : undefined;
}

async function loadAgent(api: Api, runId: string): Promise<AgentStarted | undefined> {
  const event = (await loadLatest(api, runId, 'agent_started'))?.events.at(-1);
  return event?.type === 'agent_started' ? event : undefined;
}

/** Reads a run and one part of its log; with `part.wait`, first waits for something new in it. */
export async function loadRun(api: Api, runId: string, part: Part): Promise<RunData> {
  const log = await loadLog(api, runId, part);
  const [run, { events }, changes, plan, agent] = await Promise.all([
    api.json(endpoints.runs.get, { params: { runId } }),
    api.json(endpoints.runs.timeline, { params: { runId } }),
    loadChanges(api, runId),
    loadPlan(api, runId),
    loadAgent(api, runId),
  ]);
  return {
    run,
    timeline: events,
    log,
    items: log.entries.flatMap((entry) => toItem(entry) ?? []),
    ...(changes ? { changes } : {}),
    ...(plan ? { plan } : {}),
    ...(agent ? { agent } : {}),
  };
}
