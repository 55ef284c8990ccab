import type { RunContext } from '../run-context.ts';

/**
 * A current token for the run's repositories: an installation's token lives an hour, a run may take
 * longer. If the service has none, it is the worker's own.
 */
export async function freshToken(run: RunContext): Promise<string | undefined> {
  const { lease, worker } = run;
  const again = await worker.client.worker.lease(lease.run_id, {
    lease: lease.token,
    signal: run.stop.signal,
  });
  const token = again.lease.git?.token ?? lease.git?.token ?? worker.options.gitToken;
  if (token !== undefined) run.addSecret(token);
  return token;
}

/**
 * The token that came with the lease; requested again if GitHub was too slow when the run was
 * claimed.
 */
export async function leasedToken(run: RunContext): Promise<string | undefined> {
  const { git } = run.lease;
  return git && git.token === undefined ? await freshToken(run) : git?.token;
}
