import type {
  BlockCategory,
  ContentBlock,
  Message,
  ConversationStep,
} from '../../../contract/conversation.ts';
import type { LogEvent } from '../../../contract/entry.ts';
import type { ToolKind, WorkerEvent } from '../../../contract/event.ts';

/** A line of a run's log, with its execution. */
export type LoggedEvent = LogEvent & { execution: number };

type ToolEvent = Extract<WorkerEvent, { type: 'tool_call' }>;

const CATEGORIES: Record<ToolKind, BlockCategory> = {
  read: 'files',
  edit: 'files',
  delete: 'files',
  move: 'files',
  search: 'search',
  execute: 'command',
  think: 'documents',
  fetch: 'integration',
  other: 'integration',
};
const NAMES: Record<ToolKind, string> = {
  read: 'read_files',
  edit: 'edit_files',
  delete: 'delete_files',
  move: 'move_files',
  search: 'search',
  execute: 'run_command',
  think: 'think',
  fetch: 'fetch',
  other: 'call_tool',
};
/** Types of lines that are not part of what was said or done. */
const SILENT = new Set(['protocol', 'usage', 'turn_end']);

/** The state while a log is being put together. */
interface Draft {
  steps: Map<string, ConversationStep>;
  top: ConversationStep[];
  texts: Map<string, Extract<ContentBlock, { type: 'text' }>>;
  thoughts: Map<string, Extract<ContentBlock, { type: 'event' }>>;
  calls: Map<string, CallDraft>;
}

interface CallDraft {
  action: Extract<ContentBlock, { type: 'action' }>;
  result: Extract<ContentBlock, { type: 'action_result' }>;
  step: ConversationStep;
  reported: boolean;
}

/**
 * A run's log as messages in nested steps: one step per execution, and inside it one per sub-agent.
 * Texts and tool calls are joined from their pieces (interface.md 2.5).
 */
export function toSteps(
  run: { prompt: string; createdAt: string },
  events: Iterable<LoggedEvent>,
): ConversationStep[] {
  const draft: Draft = {
    steps: new Map(),
    top: [],
    texts: new Map(),
    thoughts: new Map(),
    calls: new Map(),
  };
  const first = stepOf(draft, 1);
  if (run.prompt)
    add(first, run.createdAt, { role: 'user', content: [{ type: 'text', text: run.prompt }] });
  for (const event of events) addLine(draft, event);
  for (const step of draft.top) setTimes(step);
  return draft.top;
}

export function textOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function stepOf(draft: Draft, execution: number): ConversationStep {
  const id = `execution-${execution}`;
  const known = draft.steps.get(id);
  if (known) return known;
  const step: ConversationStep = { id, messages: [], steps: [] };
  draft.steps.set(id, step);
  draft.top.push(step);
  return step;
}

/** The step for what a sub-agent does, inside the step of the tool call that started it. */
function nestedStep(draft: Draft, execution: number, parentCallId: string): ConversationStep {
  const id = `${execution}:${parentCallId}`;
  const known = draft.steps.get(id);
  if (known) return known;
  const parent = draft.calls.get(id);
  const step: ConversationStep = { id, messages: [], steps: [] };
  const title = parent?.action.input['title'];
  if (typeof title === 'string') step.description = title;
  draft.steps.set(id, step);
  (parent?.step ?? stepOf(draft, execution)).steps.push(step);
  return step;
}

function add(step: ConversationStep, at: string, message: Omit<Message, 'timestamp'>): void {
  step.messages.push({ ...message, timestamp: at });
}

function addText(draft: Draft, event: Extract<LoggedEvent, { type: 'message' }>): void {
  const key = `${event.execution}:${event.message_id}`;
  const known = draft.texts.get(key);
  if (known) {
    known.text += event.delta;
    return;
  }
  const block = { type: 'text' as const, text: event.delta, message_id: event.message_id };
  draft.texts.set(key, block);
  add(stepOf(draft, event.execution), event.at, {
    role: event.role,
    content: [block],
    message_ids: [event.message_id],
  });
}

function addThought(draft: Draft, event: Extract<LoggedEvent, { type: 'thought' }>): void {
  const key = `${event.execution}:${event.message_id}`;
  const known = draft.thoughts.get(key);
  if (known) {
    known.data['text'] = textOrEmpty(known.data['text']) + event.delta;
    return;
  }
  const block = { type: 'event' as const, name: 'thought', data: { text: event.delta } };
  draft.thoughts.set(key, block);
  add(stepOf(draft, event.execution), event.at, { role: 'assistant', content: [block] });
}

function beginCall(draft: Draft, event: ToolEvent & { execution: number }): CallDraft {
  const step =
    event.parent_call_id === undefined
      ? stepOf(draft, event.execution)
      : nestedStep(draft, event.execution, event.parent_call_id);
  const kind = event.kind ?? 'other';
  const name = event.name ?? NAMES[kind];
  const category = CATEGORIES[kind];
  const call: CallDraft = {
    step,
    reported: false,
    action: { type: 'action', id: event.call_id, category, name, input: {} },
    result: {
      type: 'action_result',
      action_id: event.call_id,
      category,
      name,
      state: 'running',
      output: {},
    },
  };
  draft.calls.set(`${event.execution}:${event.call_id}`, call);
  add(step, event.at, { role: 'assistant', content: [call.action] });
  return call;
}

function addOutput(output: Record<string, unknown>, event: ToolEvent): void {
  const { output_delta, exit_code, paths, diff } = event;
  if (output_delta !== undefined) output['text'] = textOrEmpty(output['text']) + output_delta;
  Object.assign(
    output,
    exit_code === undefined ? {} : { exit_code },
    paths === undefined ? {} : { paths },
    diff === undefined ? {} : { diff },
  );
}

function addCall(draft: Draft, event: ToolEvent & { execution: number }): void {
  const call = draft.calls.get(`${event.execution}:${event.call_id}`) ?? beginCall(draft, event);
  const { title, input, status } = event;
  call.action.input = { ...call.action.input, ...(title === undefined ? {} : { title }), ...input };
  const { output } = call.result;
  addOutput(output, event);
  if (status && status !== 'pending') call.result.state = status;
  const hasSomething = Object.keys(output).length > 0 || call.result.state !== 'running';
  if (call.reported || !hasSomething) return;
  call.reported = true;
  add(call.step, event.at, { role: 'tool', content: [call.result] });
}

function addEvent(draft: Draft, event: LoggedEvent): void {
  const { execution, at, type, ...data } = event;
  const { seq: _, ...shown } = { seq: 0, ...data };
  const name = 'event_type' in event ? event.event_type : type;
  add(stepOf(draft, execution), at, {
    role: 'system',
    content: [{ type: 'event', name, data: shown }],
  });
}

function addLine(draft: Draft, event: LoggedEvent): void {
  if (event.type === 'message') addText(draft, event);
  else if (event.type === 'thought') addThought(draft, event);
  else if (event.type === 'tool_call') addCall(draft, event);
  else if (event.type === 'followup')
    add(stepOf(draft, event.execution), event.at, {
      role: 'user',
      content: [{ type: 'text', text: event.message }],
      message_ids: [event.followup_id],
    });
  else if (!SILENT.has(event.type)) addEvent(draft, event);
}

function setTimes(step: ConversationStep): void {
  for (const inner of step.steps) setTimes(inner);
  const times = [
    ...step.messages.flatMap(({ timestamp }) => timestamp ?? []),
    ...step.steps.flatMap(({ started_at, completed_at }) =>
      [started_at ?? [], completed_at ?? []].flat(),
    ),
  ].toSorted();
  const [first, last] = [times[0], times.at(-1)];
  if (first) step.started_at = first;
  if (last) step.completed_at = last;
}
