import { AsyncLocalStorage } from 'node:async_hooks';
import { summary } from '@actions/core';
import { runStep } from '../../src/action/run-step.ts';
import { layOutStep, type StepInput, type StepResult } from './run-dist.ts';

/** What of the process each step has for itself, so that several run side by side. */
interface Own {
  env: NodeJS.ProcessEnv;
  stdout: string;
  /** The toolkit's one object for the job's summary keeps them. */
  _buffer: string;
  _filePath: string | undefined;
}

const steps = new AsyncLocalStorage<Own>();
const others: Own = { env: process.env, stdout: '', _buffer: '', _filePath: undefined };
divide(process, 'env');
divide(summary, '_buffer');
divide(summary, '_filePath');

function divide(object: object, name: '_buffer' | '_filePath' | 'env'): void {
  Object.defineProperty(object, name, {
    configurable: true,
    enumerable: true,
    get: () => (steps.getStore() ?? others)[name],
    set: (value: never) => {
      (steps.getStore() ?? others)[name] = value;
    },
  });
}

const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (chunk: string | Uint8Array, ...more: never[]): boolean => {
  const own = steps.getStore();
  if (!own) return write(chunk, ...more);
  own.stdout += String(chunk);
  return true;
};

/**
 * Runs the Action's source in this process as the runner runs the bundle: a tenth of the processor
 * time of a process. What is about the process itself (signals, proxies, what is loaded) takes
 * `startStep`.
 */
export async function runStepHere(step: StepInput): Promise<StepResult> {
  const { env, collect } = await layOutStep(step);
  const own: Own = { env, stdout: '', _buffer: '', _filePath: undefined };
  await steps.run(own, () => runStep(env, new AbortController().signal));
  // The toolkit's setFailed, which alone prints an error, sets the exit code of the process.
  process.exitCode = undefined;
  const exitCode = /^::error/m.test(own.stdout) ? 1 : 0;
  return collect({ exitCode, stdout: own.stdout, stderr: '' });
}
