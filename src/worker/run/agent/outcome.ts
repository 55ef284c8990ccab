import { RunlinkError, errorMessage, isDiskFull } from '../../../base/error.ts';
import { ERROR_CATALOGUE, type ErrorCode } from '../../../contract/problem.ts';
import type { Turn, TurnEnd } from '../../agent/session.ts';

/** How an execution ends, in the form that is sent to the service. */
export interface Outcome {
  state: 'SUCCEEDED' | 'FAILED' | 'ERROR' | 'BLOCKED' | 'CANCELLED';
  message: string;
  error_code?: ErrorCode;
  retryable?: boolean;
}

/** The outcome for an error code, in the state that the catalogue assigns to it. */
export function problemOutcome(code: ErrorCode, message: string): Outcome {
  const { runState, retryable } = ERROR_CATALOGUE[code];
  return { state: runState, message, error_code: code, retryable };
}

export interface ModelFailure {
  /** HTTP status of the model's last answer; undefined if there was none. */
  status: number | undefined;
  message: string;
}

/**
 * Judges a turn. Only an explicit end after at least one message or tool call is a success; exit
 * codes prove nothing (agents.md, "How a turn ends"). `modelFailure` is what the model's proxy saw
 * last: two agents report a failed model call as a normal end.
 */
export function judgeTurn(turn: Turn, modelFailure: ModelFailure | undefined): Outcome {
  if (turn.question !== undefined) return { state: 'BLOCKED', message: turn.question };
  if (modelFailure && turn.end.kind !== 'cancelled') return modelOutcome(modelFailure);
  return judgeEnd(turn.end, turn);
}

function judgeEnd(end: TurnEnd, turn: Turn): Outcome {
  switch (end.kind) {
    case 'cancelled':
      return { state: 'CANCELLED', message: 'The run was cancelled.' };
    case 'exited':
      return brokenOutcome(
        end.isLost ? 'resource_unavailable' : 'agent_process_failed',
        `The agent ended before its turn did: ${end.message}.`,
      );
    case 'failed':
      return end.status === undefined
        ? brokenOutcome('agent_process_failed', `The agent failed: ${end.message}`)
        : modelOutcome({ status: end.status, message: end.message });
    case 'stopped':
      return judgeStop(end.reason, turn);
    default:
      return end satisfies never;
  }
}

type Stop = Extract<TurnEnd, { kind: 'stopped' }>['reason'];

function judgeStop(reason: Stop, turn: Turn): Outcome {
  if (reason === 'refusal')
    return problemOutcome('content_policy_violation', 'The model refused the request.');
  if (reason === 'max_tokens')
    return { state: 'FAILED', message: 'The model ran out of tokens before the work was done.' };
  if (reason === 'max_turn_requests')
    return { state: 'FAILED', message: 'The agent used up its steps before the work was done.' };
  if (turn.acts === 0)
    return problemOutcome('agent_process_failed', 'The agent ended without a word or a tool call.');
  return { state: 'SUCCEEDED', message: turn.finalMessage || 'Done.' };
}

/** The outcome of a failed call to the model (interface.md 7.2). */
export function modelOutcome({ status, message }: ModelFailure): Outcome {
  const said = `The model call failed${status === undefined ? '' : ` (${status})`}: ${message}`;
  if (status === undefined) return problemOutcome('agent_stream_network_error', said);
  if (status === 402) return problemOutcome('insufficient_credits', said);
  if (status === 401 || status === 403)
    return problemOutcome('external_authentication_required', said);
  if (status === 429) return problemOutcome('resource_unavailable', said);
  if (status >= 500) return problemOutcome('agent_stream_failure', said);
  return problemOutcome('invalid_request', said);
}

const CODES: Record<string, ErrorCode> = {
  git_failed: 'environment_setup_failed',
  repository_too_large: 'environment_setup_failed',
  bad_remote: 'environment_setup_failed',
  setup_failed: 'environment_setup_failed',
  image_failed: 'environment_setup_failed',
  image_unusable: 'environment_setup_failed',
  engine_failed: 'resource_unavailable',
  errand_late: 'infrastructure_timeout',
  agent_start_failed: 'agent_process_failed',
  agent_unusable: 'integration_not_configured',
  sandbox_unavailable: 'integration_not_configured',
  result_refused: 'agent_process_failed',
  unsupported_config: 'operation_not_supported',
  limit_exceeded: 'infrastructure_timeout',
  budget_exceeded: 'budget_exceeded',
  branch_moved: 'conflict',
  worker_ended: 'internal_error',
  push_failed: 'not_authorized',
  pull_request_failed: 'not_authorized',
};

/**
 * The outcome for an error that was thrown during the execution. `isFull`: the disk is full, whatever
 * the error says.
 */
export function thrownOutcome(error: unknown, isFull = false): Outcome {
  const { code = '', hint } = error instanceof RunlinkError ? error : {};
  const said = errorMessage(error);
  const known = CODES[code] ?? 'internal_error';
  return brokenOutcome(known, said, isFull || isDiskFull(said), isFull ? undefined : hint);
}

const FULL =
  'Make room on the worker\u2019s disk, or let it keep less: `workspaces: {keep, disk_gib}` in its runlink.yaml.';

/** The outcome of a failure, for which a full disk is the cause if there is one. */
function brokenOutcome(
  code: ErrorCode,
  said: string,
  isFull = isDiskFull(said),
  hint = isFull ? FULL : undefined,
): Outcome {
  const sentence = /[.!?]$/.test(said) ? said : `${said}.`;
  const message = hint === undefined ? said : `${sentence} ${hint}`;
  return problemOutcome(isFull ? 'resource_unavailable' : code, message);
}
