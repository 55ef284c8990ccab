import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Translator, type EntryDraft } from '../../src/worker/agent/translate.ts';
import { turnUsage } from '../../src/worker/agent/turn-usage.ts';
import { updateNotification } from '../../src/worker/agent/update-shape.ts';

type ToolDraft = Extract<EntryDraft, { type: 'tool_call' }>;

interface Turn {
  prompt: string;
  drafts: EntryDraft[];
  final: string;
  acts: number;
  result: unknown;
}

/** The recorded session of an agent, turn by turn, as the worker reads it. */
function replay(file: string): Turn[] {
  const lines = readFileSync(new URL(`fixtures/${file}`, import.meta.url), 'utf8').split('\n');
  const translator = new Translator('1');
  const turns: Turn[] = [];
  let turn: Turn | undefined;
  for (const line of lines.filter((each) => each.length > 3)) {
    const message = JSON.parse(line.slice(3)) as Record<string, never>;
    const update = updateNotification.safeParse(message);
    if (line.startsWith('>>') && message['method'] === 'session/prompt') {
      turn = {
        prompt: JSON.stringify(message['params']),
        drafts: [],
        final: '',
        acts: 0,
        result: undefined,
      };
      turns.push(turn);
      translator.begin();
    } else if (turn && update.success)
      turn.drafts.push(...translator.translate(update.data.params.update));
    else if (turn && line.startsWith('<<') && 'id' in message && !('method' in message)) {
      turn.drafts.push(...translator.closeOpenCalls());
      Object.assign(turn, { final: translator.finalMessage, acts: translator.acts });
      turn.result = message['result'] ?? message['error'];
      turn = undefined;
    }
  }
  return turns;
}

/** Tool calls merged as the service merges them: later values win, outputs are appended. */
function calls(turn: Turn | undefined): (ToolDraft & { output: string })[] {
  const merged = new Map<string, ToolDraft & { output: string }>();
  for (const draft of turn?.drafts ?? []) {
    if (draft.type !== 'tool_call') continue;
    const before = merged.get(draft.call_id);
    const output = (before?.output ?? '') + (draft.output_delta ?? '');
    merged.set(draft.call_id, { ...before, ...draft, output });
  }
  return [...merged.values()];
}

const textOf = (turn: Turn | undefined, type: 'message' | 'thought'): string =>
  (turn?.drafts ?? []).map((draft) => (draft.type === type ? draft.delta : '')).join('');

const AGENTS = [
  {
    file: 'claude-agent-acp-0.100.0.jsonl',
    exit: 3,
    output: 'out\nerr',
    tokens: 750,
    mcp: 'answer for zebra',
  },
  {
    file: 'codex-acp-2.6.0.jsonl',
    exit: 3,
    output: 'out\nerr\n',
    tokens: 750,
    mcp: 'answer for zebra',
  },
  {
    file: 'opencode-1.18.33.jsonl',
    exit: 3,
    output: 'out\nerr\n',
    tokens: 150,
    mcp: 'answer for zebra',
  },
  {
    file: 'gemini-0.61.0.jsonl',
    exit: undefined,
    output: '',
    tokens: 750,
    mcp: 'answer for zebra',
  },
  {
    file: 'pi-acp-0.0.24.jsonl',
    exit: 3,
    output: 'out\nerr\n',
    tokens: undefined,
    mcp: 'not found',
  },
];

describe.each(AGENTS)('the recorded session of $file', ({ file, exit, output, tokens, mcp }) => {
  const [work, cancelled, failed] = replay(file);

  it('has what the agent said and thought', () => {
    expect(textOf(work, 'message').trim()).toBe('Editing.All done.');
    expect(textOf(work, 'thought')).toContain('thinking about it');
    expect(work?.final).toBe('All done.');
    expect(work?.acts).toBeGreaterThan(3);
  });

  it('has every tool call once, with its kind, its end and its diff', () => {
    const [read, edit, command, lookup, ...others] = calls(work);
    expect(others).toEqual([]);
    expect(read).toMatchObject({ kind: 'read', status: 'completed' });
    expect(edit).toMatchObject({ kind: 'edit', status: 'completed' });
    expect(edit?.diff?.new_text).toContain('line 2');
    expect(edit?.diff?.old_text).toContain('line two');
    expect(command?.title).toMatch(/echo out|bash/);
    expect(lookup?.output).toContain(mcp);
    expect(edit?.diff?.path).toContain('README.md');
  });

  it('has the failed command’s output and exit code, as far as the agent tells them', () => {
    const command = calls(work)[2];
    expect(command?.exit_code).toBe(exit);
    expect(command?.output).toContain(output);
    // Once from the stream, and once more where the last update repeats it all.
    expect(command?.output.match(/out\n/g)?.length ?? 0).toBeLessThanOrEqual(2);
  });

  it('leaves no tool call open after a cancel', () => {
    expect(cancelled?.result).toMatchObject({ stopReason: 'cancelled' });
    const last = calls(cancelled).at(-1);
    expect(['failed', 'completed']).toContain(last?.status);
  });

  it('counts the tokens the agent names', () => {
    expect(turnUsage(work?.result, undefined)?.total_tokens).toBe(tokens);
  });

  it('tells a failed model call by an error, or hides it behind a normal end', () => {
    const hides = /codex|pi-acp/.test(file);
    expect(failed?.result).toHaveProperty(hides ? 'stopReason' : 'message');
  });
});
