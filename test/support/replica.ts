import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ReplicaSettings } from './app-process.ts';
import { programFile } from './programs.ts';

const SCRIPT = programFile('test/support/app-process.ts');
const NODE = resolve(import.meta.dirname, '../../node_modules/.bin/node');

export interface Replica {
  url: string;
  webhookUrl: string;
  /** Ends it as a power cut does. */
  kill(): Promise<void>;
}

/** Starts the App as a process of its own. */
export async function startReplica(settings: ReplicaSettings): Promise<Replica> {
  const child: ChildProcess = fork(SCRIPT, [JSON.stringify(settings)], {
    execPath: NODE,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  onTestFinished(kill);
  const [message] = (await Promise.race([
    once(child, 'message'),
    exited.then(() => {
      throw new Error('the replica ended while starting');
    }),
  ])) as [{ url: string }];
  return { url: message.url, webhookUrl: `${message.url}/api/github/webhooks`, kill };
}
