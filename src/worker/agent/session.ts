import type { RequestUsage } from '../../contract/run.ts';

/** Why a turn ended. Only `end_turn` may become a success. */
export type TurnEnd =
  | { kind: 'stopped'; reason: 'end_turn' | 'max_tokens' | 'max_turn_requests' | 'refusal' }
  | { kind: 'cancelled' }
  /** The agent reported a failure: a JSON-RPC error, an exit code, a broken stream. */
  | { kind: 'failed'; message: string; status: number | undefined }
  /**
   * The agent's process ended during the turn; `isLost` if the sandbox failed and not the agent.
   */
  | { kind: 'exited'; message: string; isLost: boolean | undefined };

export interface Turn {
  end: TurnEnd;
  /**
   * Number of messages and tool calls in the turn. Without any nothing was done, whatever the agent
   * says.
   */
  acts: number;
  finalMessage: string;
  /** What the agent asked without getting an answer, or the permission that it was denied. */
  question: string | undefined;
  usage: RequestUsage | undefined;
}

export interface Prompt {
  text: string;
  images: readonly { mimeType: string; data: string }[];
}

/**
 * A conversation with a running agent. `prompt` and `cancel` never reject: a failure shows as the
 * turn's end.
 */
export interface AgentSession {
  /** Id to resume the session by; undefined if the agent cannot resume. */
  readonly sessionId: string | undefined;
  /** Name and version as the agent reports them. */
  readonly version: string | undefined;
  /** Whether an earlier conversation was resumed. */
  readonly resumed: boolean;
  prompt(prompt: Prompt): Promise<Turn>;
  /** Asks the agent to stop its turn; if it obeys, the turn ends as `cancelled`. */
  cancel(): Promise<void>;
}
