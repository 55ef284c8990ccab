import type { RunContext } from '../run-context.ts';

/**
 * A token for the run's repositories as of now: those of an installation live an hour, runs may take
 * longer. The worker's own where the service has none to give away.
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

/** The lease's own token; asked for again where GitHub did not give one in time for the claim. */
export async function leasedToken(run: RunContext): Promise<string | undefined> {
  const { git } = run.lease;
  return git && git.token === undefined ? await freshToken(run) : git?.token;
}
