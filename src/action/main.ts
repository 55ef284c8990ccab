import { getInput } from '@actions/core';
import { EnvHttpProxyAgent, setGlobalDispatcher } from 'undici';
import { execute, executePost } from './execute.ts';
import { Interrupted } from './interrupted.ts';
import { STATE_NAMES } from './runner.ts';
import { createToolkitRunner } from './toolkit-runner.ts';

setGlobalDispatcher(new EnvHttpProxyAgent());
const controller = new AbortController();
const onSignal = (signal: NodeJS.Signals): void => controller.abort(new Interrupted(signal));
process.on('SIGINT', onSignal);
process.on('SIGTERM', onSignal);

const step = {
  env: process.env,
  runner: createToolkitRunner((text) => process.stdout.write(text)),
  getInput: (name: string) => getInput(name, { trimWhitespace: false }),
  interrupt: controller.signal,
};
const left = Object.fromEntries(STATE_NAMES.map((name) => [name, process.env[`STATE_${name}`]]));
// The same file is action.yml's `main` and `post`: one bundle, one copy of everything.
await (left['started'] === 'true' ? executePost(step, left) : execute(step));
process.exit();
