import { RunlinkError } from '../../../base/error.ts';
import { ModelSession } from '../../model/model-session.ts';
import type { OpenedAccess } from '../../model/proxy.ts';
import { findUpstream, keyVariablesOf } from '../../model/upstream.ts';
import type { ResolvedProfile } from '../../profile/resolve.ts';
import { networkOf, type RunContext } from '../run-context.ts';

/**
 * Opens the agent's access to its model through the worker. Undefined if the agent needs none, or
 * if the operator passes it its own keys. Throws `agent_unusable` if there is no key at all.
 */
export async function openModel(
  run: RunContext,
  { profile, model, variables, name }: ResolvedProfile,
  alive: () => void,
): Promise<(OpenedAccess & { session: ModelSession }) | undefined> {
  const protocol = profile.protocol(model);
  if (protocol === undefined) return undefined;
  const { options, limits, proxy } = run.worker;
  const upstream = findUpstream(protocol, options.environment);
  if (!upstream && Object.keys(variables).length > 0) return undefined;
  if (!upstream)
    throw new RunlinkError('agent_unusable', `The worker has no key for the model of "${name}".`, {
      hint: `Set ${keyVariablesOf(protocol).join(' or ')} for the worker.`,
    });
  run.addSecret(upstream.key);
  const used = (run.usage?.total_tokens ?? 0) - (run.lease.used?.total_tokens ?? 0);
  const session = new ModelSession({
    upstream,
    budgetTokens: limits.budgetTokens === undefined ? undefined : limits.budgetTokens - used,
    onExceeded: () =>
      run.stop.abort(new RunlinkError('budget_exceeded', 'The run used up its budget of tokens.')),
    onUncounted: () =>
      run.stop.abort(
        new RunlinkError(
          'budget_exceeded',
          'The model does not report how many tokens it used, so the run\u2019s budget cannot be enforced.',
        ),
      ),
    failuresMax: profile.modelFailuresMax,
    onGivenUp: () => run.stop.abort(new RunlinkError('model_failed', 'The model keeps failing.')),
    onCall: alive,
  });
  const opened = await (await proxy()).open(session, networkOf(run) === 'none');
  run.addSecret(opened.access.key);
  return { ...opened, session };
}
