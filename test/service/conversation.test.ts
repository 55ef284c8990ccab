import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conversationResponse, type ConversationStep } from '../../src/contract/conversation.ts';
import { toSteps, type LoggedEvent } from '../../src/service/runs/log/conversation.ts';

const RUN = { prompt: 'Fix it', createdAt: '2026-01-01T12:00:00.000Z' };
const at = (second: number): string => `2026-01-01T12:00:${String(second).padStart(2, '0')}.000Z`;

/** A log of one execution, one event a second. */
function log(...events: Record<string, unknown>[]): LoggedEvent[] {
  return events.map(
    (event, index) =>
      ({ execution: 1, seq: index + 1, at: at(index + 1), ...event }) as LoggedEvent,
  );
}

const said = (message_id: string, delta: string) => ({
  type: 'message',
  role: 'assistant',
  message_id,
  delta,
});

describe('GET /agent/runs/{runId}/conversation (interface.md 2, 4.2)', () => {
  it('is the prompt and what was said, each text put together from its pieces', () => {
    const [step, ...others] = toSteps(
      RUN,
      log(said('a', 'It '), said('b', 'Next'), said('a', 'works.')),
    );
    expect(others).toEqual([]);
    expect(step?.messages).toMatchObject([
      { role: 'user', content: [{ type: 'text', text: 'Fix it' }], timestamp: RUN.createdAt },
      { role: 'assistant', content: [{ type: 'text', text: 'It works.' }], message_ids: ['a'] },
      { role: 'assistant', content: [{ type: 'text', text: 'Next' }], message_ids: ['b'] },
    ]);
    expect([step?.started_at, step?.completed_at]).toEqual([RUN.createdAt, at(2)]);
  });

  it('groups tool activity into an action with its category and a result with its state', () => {
    const call = { type: 'tool_call', call_id: 'c', kind: 'execute' };
    const [step] = toSteps(
      RUN,
      log(
        { ...call, title: 'npm test', input: { command: 'npm test' }, status: 'pending' },
        { type: 'tool_call', call_id: 'c', status: 'running', output_delta: 'one ' },
        { type: 'tool_call', call_id: 'c', output_delta: 'two' },
        { type: 'tool_call', call_id: 'c', status: 'failed', exit_code: 1 },
        { type: 'tool_call', call_id: 'd', kind: 'edit', status: 'denied', paths: ['a.ts'] },
      ),
    );
    expect(step?.messages.slice(1).map(({ role, content }) => [role, ...content])).toEqual([
      [
        'assistant',
        {
          type: 'action',
          id: 'c',
          category: 'command',
          name: 'run_command',
          input: { title: 'npm test', command: 'npm test' },
        },
      ],
      [
        'tool',
        {
          type: 'action_result',
          action_id: 'c',
          category: 'command',
          name: 'run_command',
          state: 'failed',
          output: { text: 'one two', exit_code: 1 },
        },
      ],
      ['assistant', expect.objectContaining({ type: 'action', id: 'd', category: 'files' })],
      [
        'tool',
        expect.objectContaining({ action_id: 'd', state: 'denied', output: { paths: ['a.ts'] } }),
      ],
    ]);
  });

  it('nests what a sub-agent did below the call that started it', () => {
    const [step] = toSteps(
      RUN,
      log(
        { type: 'tool_call', call_id: 'sub', kind: 'think', title: 'Look around' },
        { type: 'tool_call', call_id: 'in', kind: 'read', parent_call_id: 'sub' },
        { type: 'tool_call', call_id: 'deep', kind: 'search', parent_call_id: 'in' },
      ),
    );
    const nested = step?.steps[0];
    expect(nested).toMatchObject({ description: 'Look around', started_at: at(2) });
    expect(nested?.messages[0]?.content[0]).toMatchObject({ id: 'in', category: 'files' });
    expect(nested?.steps[0]?.messages[0]?.content[0]).toMatchObject({ id: 'deep' });
    expect(nested?.completed_at).toBe(at(3));
  });

  it('shows events as they are, thoughts together, and nothing of the protocol', () => {
    const [step] = toSteps(
      RUN,
      log(
        { type: 'lifecycle', event_type: 'oz_run_claimed' },
        { type: 'thought', message_id: 't', delta: 'Hm' },
        { type: 'thought', message_id: 't', delta: 'm' },
        { type: 'protocol' },
        { type: 'turn_end' },
      ),
    );
    expect(step?.messages.slice(1).map(({ role, content }) => [role, ...content])).toEqual([
      ['system', expect.objectContaining({ type: 'event', name: 'oz_run_claimed' })],
      ['assistant', { type: 'event', name: 'thought', data: { text: 'Hmm' } }],
    ]);
  });

  it('has a step for each execution, which a follow-up begins', () => {
    const steps = toSteps(RUN, [
      ...log(said('a', 'Done.')),
      ...log(
        { type: 'followup', execution: 2, followup_id: 'f', message: 'And the docs' },
        { ...said('a', 'Too.'), execution: 2 },
      ),
    ]);
    expect(steps.map(({ id }) => id)).toEqual(['execution-1', 'execution-2']);
    expect(steps[1]?.messages).toMatchObject([
      { role: 'user', content: [{ text: 'And the docs' }], message_ids: ['f'] },
      { role: 'assistant', content: [{ text: 'Too.' }] },
    ]);
  });

  it('loses no word and no call of any log, and is always of the published shape', () => {
    const event = fc.oneof(
      fc.record({
        type: fc.constant('message'),
        role: fc.constant('assistant'),
        message_id: fc.constantFrom('a', 'b'),
        delta: fc.string({ maxLength: 5 }),
      }),
      fc.record({
        type: fc.constant('tool_call'),
        call_id: fc.constantFrom('c', 'd', 'e'),
        output_delta: fc.string({ maxLength: 5 }),
        parent_call_id: fc.constantFrom(undefined, 'x', 'c'),
      }),
      fc.record({ type: fc.constantFrom('protocol', 'usage', 'turn_end') }),
    );
    const all = fc.property(fc.array(event, { maxLength: 30 }), (events) => {
      const steps = toSteps(RUN, log(...events));
      expect(conversationResponse.safeParse({ conversation_id: 'x', steps }).success).toBe(true);
      const blocks = flatten(steps).flatMap(({ messages }) =>
        messages.flatMap(({ content }) => content),
      );
      const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
      const deltas = events.map((each) => ('delta' in each ? each.delta : ''));
      expect(texts.join('')).toHaveLength(RUN.prompt.length + deltas.join('').length);
      const called = new Set(events.flatMap((each) => ('call_id' in each ? [each.call_id] : [])));
      expect(blocks.filter(({ type }) => type === 'action')).toHaveLength(called.size);
    });
    expect(fc.check(all)).toMatchObject({ failed: false });
  });
});

function flatten(steps: readonly ConversationStep[]): ConversationStep[] {
  return steps.flatMap((step) => [step, ...flatten(step.steps)]);
}
