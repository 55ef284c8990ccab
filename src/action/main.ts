import { askEarly } from './early.ts';
import { Interrupted } from './interrupted.ts';
import { prepare, type Prepared, type Step } from './prepare.ts';
import { createRunner, readInput } from './runner-protocol.ts';
import { STATE_NAMES } from './runner.ts';

const { env } = process;
// Neither fetch nor undici looks at proxy variables by itself; without one undici is not loaded.
const proxies = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'];
const hasProxy = proxies.some((name) => env[name]);
if (hasProxy) {
  const { EnvHttpProxyAgent, setGlobalDispatcher } = await import('undici');
  setGlobalDispatcher(new EnvHttpProxyAgent());
}
const controller = new AbortController();
const onSignal = (signal: NodeJS.Signals): void => controller.abort(new Interrupted(signal));
process.on('SIGINT', onSignal);
process.on('SIGTERM', onSignal);

const step: Step = {
  env,
  runner: createRunner(env, (text) => process.stdout.write(text)),
  getInput: (name) => readInput(env, name),
  interrupt: controller.signal,
};
const left = Object.fromEntries(STATE_NAMES.map((name) => [name, env[`STATE_${name}`]]));
// The same file is action.yml's `main` and `post`: one bundle, one copy of everything.
const isPost = left['started'] === 'true';

async function prepareOrNot(): Promise<Prepared | { error: unknown }> {
  try {
    return await prepare(step);
  } catch (error) {
    return { error };
  }
}

if (!isPost || left['finished'] !== 'true') {
  if (!isPost) step.runner.state('started', 'true');
  const prepared = await prepareOrNot();
  const early = isPost || hasProxy || 'error' in prepared ? undefined : await askEarly(prepared);
  const { execute, executePost } = await import('./execute.ts');
  await (isPost ? executePost(step, prepared, left) : execute(step, prepared, early));
}
process.exit();
