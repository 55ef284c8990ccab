import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { killMarked } from '../../src/worker/sandbox/process-marker.ts';
import type { WorkerOptions } from '../../src/worker/worker-options.ts';
import { cleanEnvironment } from './clean-environment.ts';
import type { Bench } from './worker-bench.ts';
import { FAKE_HARNESSES } from './worker-remote.ts';
import { programFile } from './programs.ts';

const WORKER = programFile('test/support/worker-process.ts');

/**
 * A worker as a process of its own on a machine that looks different to it: `mount` is a shell
 * command in which `$0` is the path `at`. Answers its process id once it is ready.
 */
export async function startMountedWorker(
  { service, dataDir }: Pick<Bench, 'service' | 'dataDir'>,
  { mount, at, options = {} }: { mount: string; at: string; options?: Partial<WorkerOptions> },
): Promise<number | undefined> {
  const marker = randomUUID();
  const namespaces = process.getuid?.() === 0 ? ['-m'] : ['-r', '-m'];
  const command = ['/bin/sh', '-c', `${mount} && exec "$@"`, at, process.execPath, WORKER];
  const child = spawn('/usr/bin/env', ['unshare', ...namespaces, ...command], {
    env: {
      ...cleanEnvironment(),
      RUN_MARKER: marker,
      WORKER_OPTIONS: JSON.stringify({
        baseUrl: service.baseUrl,
        apiKey: 'rl_worker_key_of_the_test',
        dataDir,
        harnesses: FAKE_HARNESSES,
        allowInsecureRemotes: true,
        ...options,
      }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await killMarked(marker);
  });
  await once(child.stdout, 'data');
  return child.pid;
}
