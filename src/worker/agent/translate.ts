import { toolKind, type ToolKind, type WorkerEventBody } from '../../contract/event.ts';
import { ToolOutputs } from './tool-output.ts';
import {
  chunkUpdate,
  planUpdate,
  toolUpdate,
  usageUpdate,
  type ToolUpdate,
} from './update-shape.ts';

/** A log entry whose texts may still have any length; the log cuts and masks them. */
export type EntryDraft = WorkerEventBody;
type ToolDraft = Extract<EntryDraft, { type: 'tool_call' }>;

const STATUS = {
  pending: 'pending',
  in_progress: 'running',
  completed: 'completed',
  failed: 'failed',
} as const;

/**
 * Turns one session's updates in the Agent Client Protocol into log entries. Also keeps what is
 * needed to judge a turn: whether the agent said or did anything, its last message, and its open
 * tool calls.
 */
export class Translator {
  /** Number of messages and tool calls in this turn. */
  acts = 0;
  /** The session's cost so far in US dollars, as the agent reports it. */
  costUsd: number | undefined;
  #lastText = '';
  readonly #open = new Set<string>();
  readonly #outputs = new ToolOutputs();
  readonly #prefix: string;
  #chunkKind = '';
  #chunkNumber = 0;

  /** `prefix` makes message ids unique within the run, for agents that send none. */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** Begins a turn. */
  begin(): void {
    this.acts = 0;
    this.#lastText = '';
    this.#chunkKind = '';
  }

  /** The last message of this turn, at most its last 64 Ki characters. */
  get finalMessage(): string {
    return this.#lastText.trim();
  }

  translate(update: Record<string, unknown> & { sessionUpdate: string }): EntryDraft[] {
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
      case 'agent_thought_chunk':
        return this.#chunk(update);
      case 'tool_call':
      case 'tool_call_update':
        return this.#tool(update);
      case 'plan':
        return this.#plan(update);
      case 'usage_update':
        this.costUsd = usageUpdate.safeParse(update).data?.cost?.amount ?? this.costUsd;
        return [{ type: 'protocol' }];
      default:
        return [{ type: 'protocol' }];
    }
  }

  /**
   * Closes tool calls that the agent left open at the end of its turn. Agents forget them,
   * especially on cancel.
   */
  closeOpenCalls(): EntryDraft[] {
    const drafts = [...this.#open].map((call_id): EntryDraft => ({
      type: 'tool_call',
      call_id,
      status: 'failed',
    }));
    this.#open.clear();
    return drafts;
  }

  #chunk(update: Record<string, unknown> & { sessionUpdate: string }): EntryDraft[] {
    const parsed = chunkUpdate.safeParse(update);
    const text = parsed.data?.content.text ?? '';
    if (!parsed.success || text === '') return [{ type: 'protocol' }];
    const kind = update.sessionUpdate;
    const own = parsed.data.messageId;
    const key = own ?? kind;
    if (this.#chunkKind !== key) {
      this.#chunkNumber += 1;
      this.#chunkKind = key;
      if (kind === 'agent_message_chunk') this.#lastText = '';
    }
    const message_id = own ?? `${this.#prefix}-${this.#chunkNumber}`;
    if (kind === 'agent_thought_chunk') return [{ type: 'thought', message_id, delta: text }];
    if (text.trim() !== '') this.acts += 1;
    this.#lastText = (this.#lastText + text).slice(-65_536);
    return [{ type: 'message', message_id, role: 'assistant', delta: text }];
  }

  #tool(update: Record<string, unknown>): EntryDraft[] {
    const parsed = toolUpdate.safeParse(update);
    if (!parsed.success) return [{ type: 'protocol' }];
    const tool = parsed.data;
    this.acts += 1;
    this.#chunkKind = '';
    const ended = tool.status === 'completed' || tool.status === 'failed';
    if (ended) this.#open.delete(tool.toolCallId);
    else if (tool.status || update['sessionUpdate'] === 'tool_call')
      this.#open.add(tool.toolCallId);
    const { output, exitCode } = this.#outputs.read(tool, ended);
    const diffs = (tool.content ?? []).filter((part) => part.type === 'diff' && part.path);
    const [first, ...others] = diffs.map((part) => ({
      path: part.path ?? '',
      old_text: part.oldText ?? null,
      new_text: part.newText ?? '',
    }));
    const draft: ToolDraft = {
      ...describe(tool),
      ...(output === '' ? {} : { output_delta: output }),
      ...(exitCode === undefined ? {} : { exit_code: exitCode }),
      ...(first ? { diff: first } : {}),
    };
    const more = others.map((diff): ToolDraft => ({
      type: 'tool_call',
      call_id: tool.toolCallId,
      diff,
    }));
    return [draft, ...more];
  }

  #plan(update: Record<string, unknown>): EntryDraft[] {
    const parsed = planUpdate.safeParse(update);
    if (!parsed.success) return [{ type: 'protocol' }];
    const entries = parsed.data.entries.slice(0, 256).map((entry) => ({
      content: entry.content,
      ...(entry.status ? { status: entry.status } : {}),
      ...(entry.priority ? { priority: entry.priority } : {}),
    }));
    return [{ type: 'plan', entries }];
  }
}

/** The fields of a tool call, without its output. */
function describe(tool: ToolUpdate): ToolDraft {
  const claude = tool['_meta']?.claudeCode;
  const { rawInput, locations } = tool;
  const known = {
    parent_call_id: claude?.parentToolUseId,
    kind: tool.kind ? kindOf(tool.kind) : undefined,
    title: tool.title,
    name: tool.name ?? claude?.toolName,
    // Some agents send an empty input with the first update and the real one later.
    input: rawInput && Object.keys(rawInput).length > 0 ? rawInput : undefined,
    status: tool.status ? STATUS[tool.status] : undefined,
    paths: locations?.length ? locations.map(({ path }) => path) : undefined,
  };
  const present = Object.entries(known).filter(([, value]) => Boolean(value));
  return { type: 'tool_call', call_id: tool.toolCallId, ...Object.fromEntries(present) };
}

function kindOf(kind: string): ToolKind {
  return toolKind.safeParse(kind).data ?? 'other';
}
