import { describe, expect, it } from 'vitest';
import { ENTRY_EVENTS_MAX, type LogEvent } from '../../src/contract/entry.ts';
import { toItem } from '../../src/contract/log-item.ts';
import { logOf } from '../support/run-story.ts';

function itemOf(...events: LogEvent[]) {
  return toItem({ position: 3, last_position: 9, attempt: 1, events });
}

describe('an entry of the log', () => {
  it('joins the pieces of a message', () => {
    const pieces = ['Hel', 'lo ', 'there'].map(
      (delta) => ({ type: 'message', message_id: 'm', role: 'assistant', delta }) as const,
    );
    expect(itemOf(...logOf(...pieces))).toMatchObject({
      type: 'message',
      role: 'assistant',
      text: 'Hello there',
      position: 3,
      lastPosition: 9,
    });
  });

  it('shows that pieces of a very long message are missing', () => {
    const pieces = Array.from(
      { length: ENTRY_EVENTS_MAX },
      () => ({ type: 'message', message_id: 'm', role: 'assistant', delta: 'x' }) as const,
    );
    expect(itemOf(...logOf(...pieces))).toMatchObject({ text: expect.stringMatching(/^x\n\n⋯/) });
  });

  it('merges the updates of a tool call, later values winning, outputs joined', () => {
    const item = itemOf(
      ...logOf(
        {
          type: 'tool_call',
          call_id: 'c',
          kind: 'execute',
          title: 'Shell',
          input: { command: ['npm', 'test'] },
          status: 'running',
          output_delta: 'one\n',
        },
        { type: 'tool_call', call_id: 'c', output_delta: 'two\n', exit_code: null },
        { type: 'tool_call', call_id: 'c', title: 'npm test', status: 'failed', exit_code: 2 },
      ),
    );
    expect(item).toMatchObject({
      type: 'tool',
      endedAt: '2026-11-21T08:00:02.000Z',
      tool: {
        title: 'npm test',
        command: 'npm test',
        status: 'failed',
        output: 'one\ntwo\n',
        exitCode: 2,
      },
    });
  });

  it('keeps the latest diff of each file', () => {
    const diff = (path: string, new_text: string) =>
      ({ type: 'tool_call', call_id: 'c', diff: { path, old_text: '', new_text } }) as const;
    const item = itemOf(...logOf(diff('a', '1'), diff('b', '2'), diff('a', '3')));
    expect(item).toMatchObject({
      tool: {
        diffs: [
          { path: 'a', new_text: '3' },
          { path: 'b', new_text: '2' },
        ],
      },
    });
  });

  it('takes the latest plan', () => {
    const item = itemOf(
      ...logOf(
        { type: 'plan', entries: [{ content: 'a' }] },
        { type: 'plan', entries: [{ content: 'b', status: 'completed' }] },
      ),
    );
    expect(item).toMatchObject({ type: 'plan', entries: [{ content: 'b', status: 'completed' }] });
  });
});
