import type { z } from 'zod';
import { endpoints } from '../../contract/endpoints.ts';
import type { ListEntriesResponse, LogEvent, RunEntry } from '../../contract/entry.ts';
import type { RunItem } from '../../contract/run.ts';
import type { listScoresResponse } from '../../contract/score.ts';
import type { Span } from '../../contract/span.ts';
import type { Api } from '../api.ts';
import { toItem, type Item } from '../../contract/log-item.ts';
import { ENTRY_WEIGHT } from '../code-view.ts';
import { CHARS_PER_BYTE, weigh } from '../text.ts';
import { SPANS_SHOWN } from './strip-view.ts';

/** Entries on the first page. */
const ENTRIES_SHOWN = 60;
/** Entries on any other page of the log. */
const ENTRIES_OF_PART = 150;
/** Entries shown before a position that was asked for. */
const LINES_BEFORE = 20;
/** Approximate weight of the entries on the first page, which stays below 60 kB, compressed. */
const ENTRIES_WEIGHT = 20_000;
/** Approximate limit of the characters shown per entry, by its type. */
const [MESSAGE_CHARS, TOOL_CHARS] = [60_000, 16_000];
/** In a longer log, live updates leave out the time strip. */
const SPANS_LIVE_LINES = 5000;
/** The most entries in one live update; the next update brings more. */
export const ENTRIES_PER_UPDATE = 100;

export type Score = z.output<typeof listScoresResponse>['scores'][number];
export type ChangesEvent = Extract<LogEvent, { type: 'changes' }>;
export type AgentStarted = Extract<LogEvent, { type: 'agent_started' }>;

/** All that the run page shows, as read at one moment. */
export interface RunData {
  run: RunItem;
  log: ListEntriesResponse;
  items: Item[];
  /** The latest event of each kind, wherever it is in the log. */
  changes?: { event: ChangesEvent; position: number };
  plan?: Item & { type: 'plan' };
  agent?: AgentStarted;
  /** Where the time went; left out of live updates of a long run. */
  spans?: Span[];
  scores: Score[];
}

/**
 * A part of the log: by default the latest, or around, before or from a position, or changed after
 * one.
 */
export interface Part {
  at?: number;
  before?: number;
  from?: number;
  after?: number;
  wait?: number;
  signal?: AbortSignal;
  /** Reads only the entries and the run. */
  isPiece?: true;
}

/**
 * Reads a run and one part of its log; for a guest only what is shared. With `part.wait`, waits for
 * news first.
 */
export async function loadRun(
  api: Api,
  runId: string,
  part: Part,
  isGuest = false,
): Promise<RunData> {
  const log = await loadLog(api, runId, part);
  const of = { params: { runId } };
  const items = log.entries.flatMap((entry) => toItem(entry) ?? []);
  if (part.isPiece) return { run: await api.json(endpoints.runs.get, of), log, items, scores: [] };
  const isLong = part.after !== undefined && log.next_after > SPANS_LIVE_LINES;
  const [run, changes, plan, agent, spans, { scores }] = await Promise.all([
    api.json(endpoints.runs.get, of),
    loadChanges(api, runId),
    loadPlan(api, runId),
    loadAgent(api, runId),
    isLong || isGuest
      ? undefined
      : api.json(endpoints.runs.spans, { ...of, query: { limit: SPANS_SHOWN } }),
    isGuest ? { scores: [] } : api.json(endpoints.scores.list, of),
  ]);
  return {
    run,
    log,
    items,
    ...(changes ? { changes } : {}),
    ...(plan ? { plan } : {}),
    ...(agent ? { agent } : {}),
    ...(spans ? { spans: spans.spans } : {}),
    scores,
  };
}

async function loadLog(api: Api, runId: string, part: Part): Promise<ListEntriesResponse> {
  const { at, before, after, wait, signal } = part;
  const from = at === undefined ? part.from : Math.max(1, at - LINES_BEFORE);
  const isPart = from !== undefined || before !== undefined;
  const shown = isPart ? ENTRIES_OF_PART : ENTRIES_SHOWN;
  const limit = after === undefined ? shown : ENTRIES_PER_UPDATE;
  const log = await api.json(endpoints.runs.entries, {
    params: { runId },
    query: { before, after, from, limit },
    ...(wait === undefined ? {} : { wait }),
    ...(signal ? { signal } : {}),
  });
  return after === undefined ? lighten(log, at ?? from) : log;
}

function weightOf({ events }: RunEntry): number {
  const isOutput = events.every((it) => it.type === 'tool_call' && it.diff === undefined);
  // The diff is shown on a tab of its own.
  if (events[0]?.type === 'changes') return 100;
  const shown = JSON.stringify(events).slice(0, isOutput ? TOOL_CHARS : MESSAGE_CHARS);
  return Math.min(ENTRY_WEIGHT, Math.max(shown.length / CHARS_PER_BYTE, weigh(shown)));
}

/**
 * Keeps the entry at a position, or the last one, and as many around it as the page's limit allows.
 */
function lighten(log: ListEntriesResponse, place = Infinity): ListEntriesResponse {
  const { entries } = log;
  const found = entries.findLastIndex(({ position }) => position <= place);
  let first = Math.max(0, found);
  let end = first;
  let left = ENTRIES_WEIGHT;
  const takes = (entry: RunEntry | undefined): boolean => {
    const weight = entry ? weightOf(entry) : Infinity;
    // The entry itself is always kept, whatever its size.
    const isTaken = weight <= left || (entry !== undefined && first === end);
    if (isTaken) left -= weight;
    return isTaken;
  };
  for (let isMore = true; isMore;) {
    const [later, earlier] = [takes(entries[end]), first < end && takes(entries[first - 1])];
    end += later ? 1 : 0;
    first -= earlier ? 1 : 0;
    isMore = later || earlier;
  }
  return {
    ...log,
    entries: entries.slice(first, end),
    has_earlier: log.has_earlier || first > 0,
    ...(end < entries.length ? { has_later: true } : {}),
  };
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
