import { RunlinkError } from '../../../base/error.ts';

const CODE = 'result_refused';

/**
 * Throws `result_refused`: the run's result is not accepted. Given an earlier refusal, throws that
 * one again.
 */
export function refuseResult(reason: string | RunlinkError): never {
  if (typeof reason !== 'string') throw reason;
  throw new RunlinkError(CODE, `What the run made was refused: ${reason}.`);
}

export function isRefusal(error: unknown): error is RunlinkError {
  return error instanceof RunlinkError && error.code === CODE;
}
