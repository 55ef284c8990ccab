import type { RequestUsage } from '../../contract/run.ts';

/** Why a turn ended. Only `end_turn` may become a success. */
export type TurnEnd =
  | { kind: 'stopped'; reason: 'end_turn' | 'max_tokens' | 'max_turn_requests' | 'refusal' }
  | { kind: 'cancelled' }
  /** The agent said that it failed: a JSON-RPC error, an exit code, a broken stream. */
  | { kind: 'failed'; message: string; status: number | undefined }
  /** The agent's process ended in mid-turn; `isLost`: with what kept it apart. */
  | { kind: 'exited'; message: string; isLost: boolean | undefined };

export interface Turn {
  end: TurnEnd;
  /** Messages and tool calls of the turn: none means that nothing was done, whatever the agent says. */
  acts: number;
  finalMessage: string;
  /** What the agent asked and nobody could answer, or a permission that policy refused. */
  question: string | undefined;
  usage: RequestUsage | undefined;
}

export interface Prompt {
  text: string;
  images: readonly { mimeType: string; data: string }[];
}

/**
 * A conversation with a running agent. `prompt` and `cancel` never reject: whatever goes wrong is
 * the turn's end.
 */
export interface AgentSession {
  /** What to resume by later; undefined where the agent cannot. */
  readonly sessionId: string | undefined;
  /** Name and version that the agent gives itself. */
  readonly version: string | undefined;
  /** True if an earlier conversation was picked up again. */
  readonly resumed: boolean;
  prompt(prompt: Prompt): Promise<Turn>;
  /** Asks the agent to stop its turn, which then ends as `cancelled` if the agent obeys. */
  cancel(): Promise<void>;
}
