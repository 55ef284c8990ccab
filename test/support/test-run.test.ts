import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { isAlive } from '../../src/database/cluster.ts';

it.each(['when it is done', 'when it is killed'])(
  'a test run leaves neither a process nor a file behind %s',
  async (how) => {
    const run = fork(new URL('run-of-tests.ts', import.meta.url));
    const [{ folders, pids }] = (await once(run, 'message')) as [
      { folders: string[]; pids: number[] },
    ];
    expect([...folders.map(existsSync), ...pids.map(isAlive)]).toEqual(Array(5).fill(true));
    const mounted = join(folders.at(-1) ?? '', 'storage/of/containers');
    mkdirSync(mounted, { recursive: true });
    // Who is not root cannot mount, nor leave anything mounted.
    if (process.getuid?.() === 0) spawnSync('mount', ['-t', 'tmpfs', 'none', mounted]);
    if (how === 'when it is done') run.send('end');
    else run.kill('SIGKILL');
    await vi.waitFor(
      () =>
        expect([...folders.map(existsSync), ...pids.map(isAlive)]).toEqual(Array(5).fill(false)),
      { timeout: 60_000, interval: 50 },
    );
  },
);
