import { RunlinkError } from '../../../base/error.ts';
import { EGRESS_PORT } from '../../sandbox/confinement.ts';
import type { RunContext } from '../run-context.ts';

const OTHERWISE =
  'Choose the sandbox bwrap or container, or remove `network` from the environment.';
const IN_POD =
  'The containers of a pod share its network: list the hosts in its NetworkPolicy and take `network` out of the environment, or have its runs done by overlays/workers.';

/**
 * Opens the run's access to the hosts that its environment lists, and logs requests for other
 * hosts. Returns a function that closes it. Throws `sandbox_unavailable` if the sandbox cannot
 * restrict the network.
 */
export async function openWayOut(run: RunContext): Promise<() => Promise<void>> {
  const { environment } = run.lease;
  if (environment?.network === undefined) return async () => undefined;
  const { sandbox, proxyEnv } = run.worker;
  if (!sandbox.canCutNetwork)
    throw new RunlinkError(
      'sandbox_unavailable',
      `The environment "${environment.name}" lists the hosts that may be reached, and the sandbox ${sandbox.name} of this worker cannot enforce that.`,
      { hint: sandbox.name === 'sidecar' ? IN_POD : OTHERWISE },
    );
  const { openEgress } = await import('../../egress/egress.ts');
  const egress = await openEgress({
    network: environment.network,
    proxyEnv,
    onDenied: (host, address) => {
      const entry = host.replace(/:(80|443)$/, '');
      const [why, wanted] =
        address === undefined
          ? ['The run may not reach it.', `"${entry}"`]
          : [`It leads to ${address}, no address of the public internet.`, `"${address}"`];
      const output = `${why} If it should, add ${wanted} to \`network\` of the environment "${environment.name}" in runlink.yaml.`;
      const at = new Date().toISOString();
      const step = { step: 'network', title: `Host ${host} refused`, output, is_error: true };
      void run.events.emit([{ type: 'setup', ...step, started_at: at, finished_at: at }]);
    },
  });
  run.egress = { socket: egress.socket, port: EGRESS_PORT };
  return async () => {
    run.egress = undefined;
    await egress.close();
  };
}
