import { errorMessage } from '../base/error.ts';
import type { Log } from '../base/log.ts';
import { sleep } from '../base/time.ts';
import { connect, type Client } from '../client/connect.ts';
import { isClientError, isProblem } from '../client/error.ts';
import { nodeHttp, proxyVariables } from '../client/node-http.ts';
import { operatorConfig, type OperatorConfig } from '../config/operator-config.ts';
import { CALL_DEADLINE_MS, persistent } from './remote/reach.ts';
import type { WorkerSettings } from '../contract/lease.ts';

const RETRY_MS = 2000;
/**
 * Never given to an agent because a service asks for it. (The git token has a variable of its own.)
 */
const OWN_KEY = 'RUNLINK_API_KEY';

/**
 * A worker's configuration: its own file, and what the service sends. Its own profile wins over one
 * of the same name, and with a file of its own it keeps its own sandbox and limits. Only its own
 * file can choose `direct`. Waits for a service that does not answer, up to `withinMs` if that is
 * longer than other commands wait. Throws if the service refuses the key.
 */
export async function handedConfig(
  { baseUrl, apiKey }: { baseUrl: string; apiKey: string },
  own: { config: OperatorConfig; hasFile: boolean },
  log: Log,
  signal: AbortSignal,
  withinMs = Infinity,
): Promise<OperatorConfig> {
  const request = nodeHttp(proxyVariables(process.env));
  const say = (text: string): void => log.warn(text);
  const client = connect({ baseUrl, apiKey, request: persistent(request, say) });
  const until = performance.now() + Math.max(withinMs, CALL_DEADLINE_MS);
  const handed = await ask(client, log, signal, until);
  return handed ? merge(own, handed) : own.config;
}

async function ask(
  client: Client,
  log: Log,
  signal: AbortSignal,
  until: number,
): Promise<WorkerSettings | undefined> {
  for (;;) {
    const deadlineMs = Math.min(CALL_DEADLINE_MS, until - performance.now());
    try {
      return await client.worker.settings({ signal, deadlineMs });
    } catch (error) {
      signal.throwIfAborted();
      // Older services do not have it.
      if (isProblem(error, 'resource_not_found')) return undefined;
      if (!isClientError(error) || (error.kind === 'problem' && !error.retryable)) throw error;
      if (error.kind === 'network' && error.lasting) throw error;
      if (performance.now() + RETRY_MS > until) throw error;
      log.warn({ reason: errorMessage(error) }, 'the service does not answer');
      await sleep(RETRY_MS, signal);
    }
  }
}

function merge(
  { config, hasFile }: { config: OperatorConfig; hasFile: boolean },
  handed: WorkerSettings,
): OperatorConfig {
  const hidden = [OWN_KEY, config.github.token_variable];
  const harnesses = Object.entries(handed.harnesses).map(([name, profile]) => {
    const { variables } = profile;
    if (!Array.isArray(variables)) return [name, profile];
    return [name, { ...profile, variables: variables.filter((one) => !hidden.includes(one)) }];
  });
  const { driver, engine } = handed.sandbox;
  const read = operatorConfig.parse({
    harnesses: { ...Object.fromEntries(harnesses), ...config.harnesses },
    default_harness: config.default_harness ?? handed.default_harness,
    sandbox: driver === 'direct' ? {} : { driver, engine },
    limits: handed.limits,
    allow_insecure_remotes: handed.allow_insecure_remotes,
  });
  const { harnesses: all, default_harness } = read;
  if (hasFile) return { ...config, harnesses: all, default_harness };
  return { ...read, github: config.github };
}
