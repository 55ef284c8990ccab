import type {
  CreateElicitationResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk';

/**
 * How to answer when the agent asks for permission: allow everything within its sandbox, or
 * nothing.
 */
export type PermissionPolicy = 'allow' | 'deny';

const PREFERRED = {
  allow: ['allow_once', 'allow_always'],
  deny: ['reject_once', 'reject_always'],
} as const;

/** Answers a permission request by the policy, because nobody is there to be asked. */
export function answerPermission(
  request: RequestPermissionRequest,
  policy: PermissionPolicy,
): { response: RequestPermissionResponse; decision: 'allowed' | 'denied' } {
  const kinds: readonly string[] = PREFERRED[policy];
  const option = kinds
    .map((kind) => request.options.find((each) => each.kind === kind))
    .find((each) => each !== undefined);
  const response: RequestPermissionResponse = {
    outcome: option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' },
  };
  return { response, decision: option && policy === 'allow' ? 'allowed' : 'denied' };
}

/**
 * Nobody is there to fill in a form, so the agent has to end its turn; the run then ends BLOCKED.
 */
export function answerElicitation(): CreateElicitationResponse {
  return { action: 'cancel' };
}
