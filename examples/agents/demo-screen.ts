import type { AgentContext, PlanEntry, ToolKind } from '@agentclientprotocol/sdk';

/** What a command or edit showed: its text, and for a command how it ended. */
export interface Shown {
  text: string;
  exitCode?: number;
  diff?: { path: string; oldText: string; newText: string };
}

/** Tells the client what the agent says and does, as session updates. */
export interface Screen {
  say(text: string): Promise<void>;
  plan(steps: readonly string[], done: number): Promise<void>;
  act<T extends Shown>(
    call: { kind: ToolKind; title: string; paths?: readonly string[] },
    work: () => Promise<T>,
  ): Promise<T>;
}

export function createScreen(client: AgentContext, sessionId: string, turn: number): Screen {
  let messages = 0;
  let calls = 0;
  return {
    say: async (text) => {
      messages += 1;
      await client.notify('session/update', {
        sessionId,
        update: {
          sessionUpdate: 'agent_message_chunk',
          messageId: `say-${turn}-${messages}`,
          content: { type: 'text', text },
        },
      });
    },
    plan: async (steps, done) => {
      const entries = steps.map((content, index): PlanEntry => {
        const status = index < done ? 'completed' : index === done ? 'in_progress' : 'pending';
        return { content, status, priority: 'medium' };
      });
      await client.notify('session/update', {
        sessionId,
        update: { sessionUpdate: 'plan', entries },
      });
    },
    act: async ({ kind, title, paths = [] }, work) => {
      calls += 1;
      const toolCallId = `act-${turn}-${calls}`;
      await client.notify('session/update', {
        sessionId,
        update: {
          sessionUpdate: 'tool_call',
          toolCallId,
          kind,
          title,
          status: 'in_progress',
          locations: paths.map((path) => ({ path })),
        },
      });
      const shown = await work();
      const failed = shown.exitCode !== undefined && shown.exitCode !== 0;
      await client.notify('session/update', {
        sessionId,
        update: {
          sessionUpdate: 'tool_call_update',
          toolCallId,
          status: failed ? 'failed' : 'completed',
          content: [
            { type: 'content', content: { type: 'text', text: shown.text } },
            ...(shown.diff ? [{ type: 'diff' as const, ...shown.diff }] : []),
          ],
          ...(shown.exitCode === undefined ? {} : { rawOutput: { exit_code: shown.exitCode } }),
        },
      });
      return shown;
    },
  };
}
