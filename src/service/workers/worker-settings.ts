import type { WorkerSettings } from '../../contract/lease.ts';
import type { ServiceContext } from '../context.ts';

/** GET /worker/settings: the part of the operator's configuration that workers need. */
export function workerSettingsOf({ config }: Pick<ServiceContext, 'config'>): WorkerSettings {
  const { harnesses, default_harness, sandbox, limits, allow_insecure_remotes } = config;
  return {
    harnesses,
    ...(default_harness !== undefined && { default_harness }),
    sandbox: { driver: sandbox.driver, ...(sandbox.engine && { engine: sandbox.engine }) },
    limits: {
      run_time: limits.run_time,
      pull_time: limits.pull_time,
      ...(limits.budget_tokens !== undefined && { budget_tokens: limits.budget_tokens }),
    },
    allow_insecure_remotes,
  };
}
