import { inertLine } from '../github/render/inert-line.ts';
import { errorMessage, RunlinkError } from '../base/error.ts';
import { isClientError, isProblem } from '../client/error.ts';
import { GithubUnreachable } from '../github/decide/github-unreachable.ts';
import { REASONS, type Reason } from '../github/decide/reason.ts';
import { answer } from './answer.ts';
import type { Asked, Face, Handled } from './face.ts';
import { missingPermission, readOutage } from './outage.ts';

const DETAIL_MAX = 1000;
/** An owner must accept what an App asks anew; its tokens keep what they could before for up to an hour. */
export const GRANT =
  'Whoever owns the App accepts its permissions in the settings of the installation; a workflow’s job names its own under `permissions`.';

/** What a failure means for whoever waits. */
export function failureReason(error: unknown): Reason {
  if (missingPermission(error) !== undefined) return 'permission_missing';
  if (error instanceof GithubUnreachable) return error.reason;
  if (isProblem(error, 'resource_not_found')) return 'run_vanished';
  if (isProblem(error) && error.status < 500 && error.status !== 429) return 'service_refused';
  if (isClientError(error)) return 'service_unreachable';
  return error instanceof RunlinkError && isReason(error.code) ? error.code : 'internal_error';
}

/** Whether trying again would end the same way: somebody said no, and said why. */
export function isFinal(error: unknown): boolean {
  if (missingPermission(error) !== undefined) return true;
  if (isProblem(error)) return readOutage(error, Date.now()) === undefined;
  return error instanceof RunlinkError && isReason(error.code);
}

/** What went wrong, and what to do about it where that is known. */
export function failureText(error: unknown): string {
  const denied = missingPermission(error);
  if (denied !== undefined) return `GitHub: ${denied}. ${GRANT}`;
  const hint = error instanceof RunlinkError && error.hint ? ` ${error.hint}` : '';
  const code = isProblem(error) ? `\`${error.code}\`: ` : '';
  return `${code}${errorMessage(error)}${hint}`;
}

/** Tells whoever asked that it could not be done and why. */
export async function tellFailure(face: Face, asked: Asked, error: unknown): Promise<Handled> {
  const reason = failureReason(error);
  const detail = failureText(error);
  const quoted = inertLine(detail, DETAIL_MAX);
  const text = `This could not be done: ${REASONS[reason].text}.\n\n> ${quoted}`;
  await answer(face, asked, 'confused', text);
  return { reason, detail };
}

function isReason(code: string): code is Reason {
  return Object.hasOwn(REASONS, code);
}
