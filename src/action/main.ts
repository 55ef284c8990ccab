import type { ChildProcess } from 'node:child_process';
import { askEarly } from './early.ts';
import { Interrupted } from './interrupted.ts';
import { prepare, type Invocation, type Prepared } from './prepare.ts';
import { createRunner, readInput } from './runner-protocol.ts';
import { STATE_NAMES } from './runner.ts';

const { env } = process;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const PROXIES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'];

// Node's fetch looks at none of them by itself.
const needsProxy = PROXIES.some((name) => env[name]);
const deputy = needsProxy ? (await import('./proxy.ts')).useProxy(process) : undefined;
process.exit(deputy ? await leaveTo(deputy) : await act());

/** The runner signals the process it knows; its work is another's. */
async function leaveTo(child: ChildProcess): Promise<number> {
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  return new Promise((onEnd, onFailure) => {
    child.on('error', onFailure).on('exit', (code) => onEnd(code ?? 1));
  });
}

async function act(): Promise<typeof process.exitCode> {
  const controller = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => controller.abort(new Interrupted(signal));
  for (const signal of SIGNALS) process.on(signal, onSignal);
  const invocation: Invocation = {
    env,
    runner: createRunner(env, (text) => process.stdout.write(text)),
    getInput: (name) => readInput(env, name),
    interrupt: controller.signal,
  };
  const left = Object.fromEntries(STATE_NAMES.map((name) => [name, env[`STATE_${name}`]]));
  // The same file is action.yml's `main` and `post`: one bundle, one copy of everything.
  const isPost = left['started'] === 'true';
  if (isPost && left['finished'] === 'true') return 0;
  if (!isPost) invocation.runner.state('started', 'true');
  const prepared = await prepareOrNot(invocation);
  const early = isPost || 'error' in prepared ? undefined : await askEarly(prepared);
  if (isPost) await (await import('./post-step.ts')).runPostStep(invocation, prepared, left);
  else await (await import('./main-step.ts')).runMainStep(invocation, prepared, early);
  return process.exitCode;
}

async function prepareOrNot(step: Invocation): Promise<Prepared | { error: unknown }> {
  try {
    return await prepare(step);
  } catch (error) {
    return { error };
  }
}
