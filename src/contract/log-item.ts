import { ENTRY_EVENTS_MAX, type LogEvent, type RunEntry } from './entry.ts';
import type { ToolKind } from './event.ts';

type Event<T extends LogEvent['type']> = Extract<LogEvent, { type: T }>;
type ToolCall = Event<'tool_call'>;

export interface Tool {
  kind: ToolKind;
  title: string;
  /** The command of an `execute` call, if it is sent beside the title. */
  command?: string;
  input?: Record<string, unknown>;
  status: NonNullable<ToolCall['status']>;
  output: string;
  exitCode?: number;
  paths: string[];
  diffs: NonNullable<ToolCall['diff']>[];
  /** Part of another call, such as a sub-agent's. */
  nested: boolean;
}

interface Placed {
  position: number;
  lastPosition: number;
  attempt: number;
  at: string;
}

/** The meaning of one log entry, for readers. */
export type Item = Placed &
  (
    | { type: 'message'; role: 'user' | 'assistant'; text: string }
    | { type: 'thought'; text: string }
    | { type: 'tool'; tool: Tool; endedAt: string }
    | { type: 'plan'; entries: Event<'plan'>['entries'] }
    | { type: 'single'; event: Exclude<LogEvent, ToolCall | Event<'message' | 'thought' | 'plan'>> }
  );

/**
 * Reads an entry: joins its text and merges its updates, later values winning (contract event.ts).
 */
export function toItem(entry: RunEntry): Item | undefined {
  const [first] = entry.events;
  if (!first) return undefined;
  return {
    position: entry.position,
    lastPosition: entry.last_position,
    attempt: entry.attempt,
    at: first.at,
    ...meaning(first, entry.events),
  };
}

/** What the agent is doing at this entry, in one line; empty if the entry does not say. */
export function stepText(item: Item | undefined): string {
  const text = (): string | undefined => {
    if (item?.type === 'message') return item.role === 'assistant' ? item.text : undefined;
    if (item?.type === 'tool') return item.tool.command ?? item.tool.title;
    return item?.type === 'single' && item.event.type === 'setup' ? item.event.title : undefined;
  };
  return text()?.trim().split('\n', 1)[0] ?? '';
}

/** The latest value that any update gave. */
function last<K extends keyof ToolCall>(calls: ToolCall[], key: K): ToolCall[K] | undefined {
  return calls.findLast((call) => call[key] !== undefined && call[key] !== null)?.[key];
}

function commandOf(input: Record<string, unknown> | undefined): string | undefined {
  const command = input?.['command'] ?? input?.['cmd'];
  if (typeof command === 'string') return command;
  return Array.isArray(command) ? command.map(String).join(' ') : undefined;
}

function foldTool(calls: ToolCall[]): Tool {
  const input = last(calls, 'input');
  const command = commandOf(input);
  const exitCode = last(calls, 'exit_code');
  const diffs = calls.flatMap((call) => (call.diff ? [call.diff] : []));
  return {
    kind: last(calls, 'kind') ?? 'other',
    title: last(calls, 'title') ?? last(calls, 'name') ?? 'Tool call',
    status: last(calls, 'status') ?? 'pending',
    output: calls.map((call) => call.output_delta ?? '').join(''),
    paths: [...new Set(calls.flatMap((call) => call.paths ?? []))],
    // Each update repeats the whole diff of its file, so the latest one of each file counts.
    diffs: [...new Map(diffs.map((diff) => [diff.path, diff])).values()],
    nested: last(calls, 'parent_call_id') !== undefined,
    ...(command === undefined ? {} : { command }),
    ...(input === undefined ? {} : { input }),
    ...(typeof exitCode === 'number' ? { exitCode } : {}),
  };
}

/** The text of all parts; a gap is marked where the service left some out. */
function joinText(events: LogEvent[]): string {
  const pieces = events.map((event) =>
    event.type === 'message' || event.type === 'thought' ? event.delta : '',
  );
  const [first = '', ...rest] = pieces;
  return [first, pieces.length >= ENTRY_EVENTS_MAX ? '\n\n⋯\n\n' : '', ...rest].join('');
}

function meaning(first: LogEvent, events: LogEvent[]) {
  if (first.type === 'message') {
    return { type: 'message' as const, role: first.role, text: joinText(events) };
  }
  if (first.type === 'thought') return { type: 'thought' as const, text: joinText(events) };
  if (first.type === 'plan') {
    const plans = events.filter((event) => event.type === 'plan');
    return { type: 'plan' as const, entries: plans.at(-1)?.entries ?? [] };
  }
  if (first.type === 'setup') {
    const last = events.findLast((event) => event.type === 'setup') ?? first;
    return { type: 'single' as const, event: last };
  }
  if (first.type !== 'tool_call') return { type: 'single' as const, event: first };
  const calls = events.filter((event) => event.type === 'tool_call');
  return { type: 'tool' as const, tool: foldTool(calls), endedAt: calls.at(-1)?.at ?? first.at };
}
