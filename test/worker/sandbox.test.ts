import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readlinkSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { limitFiles, readHierarchies } from '../../src/worker/sandbox/cgroup.ts';
import { chooseIsolation } from '../../src/worker/sandbox/choose.ts';
import {
  BARE,
  inPlace,
  MODEL_PORT,
  type Confinement,
} from '../../src/worker/sandbox/confinement.ts';
import { pidsMarked } from '../../src/worker/sandbox/process-marker.ts';
import { machineView } from '../../src/worker/sandbox/machine-view.ts';
import type { Sandbox } from '../../src/worker/sandbox/sandbox.ts';
import { temporaryDirectory } from '../support/worker-bench.ts';

const open = async (name: 'bwrap' | 'direct'): Promise<Sandbox> =>
  (await chooseIsolation({ sandbox: name })).sandbox;

function wanted(command: string, change: Partial<Confinement> = {}): Confinement {
  const cwd = change.cwd ?? temporaryDirectory();
  return {
    ...BARE,
    ...machineView(),
    command: ['/bin/sh', '-c', command],
    cwd,
    env: { PATH: '/usr/bin:/bin' },
    user: { uid: 0, gid: 0 },
    writable: inPlace([cwd]),
    network: 'full',
    processMarker: randomUUID(),
    ...change,
  };
}

/** Output and end of a command. */
async function outputOf(
  sandbox: Sandbox,
  confinement: Confinement,
): Promise<{ output: string; summary: string }> {
  const child = await sandbox.spawn(confinement);
  child.stdin.end();
  const [output, exit] = await Promise.all([text(child.stdout), child.exited]);
  await child.destroy();
  return { output, summary: exit.summary };
}

describe.each(['bwrap', 'direct'] as const)('the sandbox %s', (name) => {
  it('shows nothing of the worker’s environment (threats.md S13)', async () => {
    const { output } = await outputOf(
      await open(name),
      wanted('env; tr "\\0" "\\n" </proc/1/environ'),
    );
    expect(output).toContain('RUN_MARKER=');
    expect(output).not.toContain('VITEST');
  });

  it('ends every process: daemons in sessions of their own, those that ignore signals, and forks of forks', async () => {
    const sandbox = await open(name);
    const spawn = wanted(
      'trap "" TERM INT HUP; for i in 1 2 3; do setsid sh -c "trap \\"\\" TERM; sleep 1000 & sleep 1000" & done; echo up; wait',
    );
    const child = await sandbox.spawn(spawn);
    await once(child.stdout, 'data');
    await expect
      .poll(() => pidsMarked(spawn.processMarker).length, { timeout: 60_000 })
      .toBeGreaterThan(3);
    await child.destroy();
    expect(pidsMarked(spawn.processMarker)).toEqual([]);
  });

  it('says when a program cannot be started', async () => {
    const sandbox = await open(name);
    const result = await sandbox.spawn({ ...wanted(''), command: ['/nonexistent/program'] }).then(
      (child) => child.exited,
      (error: Error) => ({ summary: error.message }),
    );
    expect(result.summary).toMatch(/could not be started|code (1|127)/);
  });

  it('holds files to their largest size', async () => {
    const limits = { ...BARE.limits, fileBytes: 100_000 };
    const spawn = wanted('head -c 1000000 /dev/zero > big; wc -c < big', { limits });
    const { output } = await outputOf(await open(name), spawn);
    expect(Number(output)).toBe(100_000);
  });
});

describe('bwrap', () => {
  it('shows what is listed and nothing else (threats.md S16)', async () => {
    const root = temporaryDirectory();
    const [work, secret] = [join(root, 'runs/1/ws'), join(root, 'owner.key')];
    mkdirSync(work, { recursive: true });
    writeFileSync(secret, 'key');
    const command = [
      'ls -A /',
      `ls -A ${root}`,
      'touch here && echo wrote',
      // Not tried out: what is tried would stay, should it be possible.
      'for dir in /usr /etc /; do [ -w "$dir" ] || echo refused; done',
      `cat ${secret} || echo unseen`,
      'echo "run:$(ls -A /run) shm:$(ls -A /dev/shm) tmp:$(ls -A /tmp | tr "\\n" " ")"',
      "ls /proc | grep -c '^[0-9]'",
    ].join('; ');
    const { output } = await outputOf(await open('bwrap'), wanted(command, { cwd: work }));
    const lines = output.split('\n');
    const shown = lines.slice(0, lines.indexOf('runs'));
    const listed = ['dev', 'etc', 'proc', 'run', 'tmp', 'usr', 'opt'];
    // What the agent's programs are part of lies where this project and its packages do.
    const places = [process.cwd(), realpathSync('node_modules')];
    const ours = places.map((path) => path.split('/')[1]);
    const links = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'];
    expect(shown.filter((name) => ![...listed, ...links, ...ours].includes(name))).toEqual([]);
    const rest = lines.slice(lines.indexOf('runs') + 1);
    expect(rest.slice(0, 5)).toEqual(['wrote', 'refused', 'refused', 'refused', 'unseen']);
    const [, inTmp = ''] = /^run: shm: tmp:(.*)$/.exec(rest[5] ?? '') ?? [];
    const shownThere = [work, ...places].map((path) => path.split('/')[2] ?? '');
    expect(
      inTmp
        .trim()
        .split(' ')
        .filter((name) => !shownThere.includes(name)),
    ).toEqual([]);
    expect(Number(output.trim().split('\n').at(-1))).toBeLessThan(10);
    expect(existsSync(join(work, 'here'))).toBe(true);
  });

  it('gives no capability, no terminal, and no part of the machine that programs share (threats.md S13)', async () => {
    const parts = ['pid', 'ipc', 'uts', 'net'].map((name) => `/proc/self/ns/${name}`);
    const command = [
      "grep -E 'Cap(Prm|Eff|Amb)' /proc/self/status | cut -f2",
      'cut -d" " -f6 /proc/self/stat',
      `readlink ${parts.join(' ')}`,
    ].join('; ');
    const spawn = wanted(command, { network: 'none' });
    const { output } = await outputOf(await open('bwrap'), spawn);
    const [prm, eff, amb, session, ...own] = output.trim().split('\n');
    expect([prm, eff, amb].map((bits) => Number.parseInt(bits ?? 'x', 16))).toEqual([0, 0, 0]);
    // That of a session which it cannot see would be 0.
    expect(Number(session)).toBeGreaterThan(0);
    expect(own).toHaveLength(parts.length);
    const ours = parts.map((part) => readlinkSync(part));
    expect(own.filter((name) => ours.includes(name))).toEqual([]);
  });

  it('without a network reaches the model by the worker’s socket, and nothing else', async () => {
    const root = temporaryDirectory();
    const socket = join(root, 'model');
    const server = createServer((_, response) => response.end('hello model'));
    server.listen(socket);
    const outside = createServer((_, response) => response.end('leak')).listen(0, '127.0.0.1');
    await Promise.all([once(server, 'listening'), once(outside, 'listening')]);
    const address = outside.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const get = (url: string) =>
      `fetch('${url}').then((r) => r.text()).then(console.log, () => console.log('none'))`;
    const code = `await ${get(`http://127.0.0.1:${MODEL_PORT}/`)}; await ${get(`http://127.0.0.1:${port}/`)}`;
    const spawn = {
      ...wanted('', { cwd: root, network: 'none' as const, doors: [{ socket, port: MODEL_PORT }] }),
      command: [process.execPath, '--input-type=module', '-e', code],
    };
    const { output } = await outputOf(await open('bwrap'), spawn);
    server.close();
    outside.close();
    expect(output).toBe('hello model\nnone\n');
  });
});

describe('limits by control group', () => {
  it('are written where the kernel keeps them, in both versions', () => {
    const limits = { memoryBytes: 1000, processes: 10, cpus: 1.5, fileBytes: 1 };
    const [two] = readHierarchies('0::/user.slice');
    expect(two && limitFiles(two, limits)).toEqual([
      ['memory.max', '1000'],
      ['pids.max', '10'],
      ['cpu.max', '150000 100000'],
    ]);
    const [memory, cpu] = readHierarchies('4:memory:/a\n3:cpu,cpuacct:/b\n2:devices:/\n');
    expect(memory).toMatchObject({ directory: '/sys/fs/cgroup/memory/a', version: 1 });
    expect(memory && limitFiles(memory, limits)).toEqual([['memory.limit_in_bytes', '1000']]);
    expect(cpu && limitFiles(cpu, { ...limits, cpus: undefined })).toEqual([]);
  });

  it('that this machine has do bound memory, and the end says so; what it has not is said as a gap', async () => {
    const sandbox = await open('direct');
    const bounded = !sandbox.gaps.some((gap) => gap.includes('memory'));
    const limits = { ...BARE.limits, memoryBytes: 64 * 1024 * 1024 };
    const code =
      'const a = []; for (let i = 0; i < 300; i += 1) a.push(Buffer.alloc(1 << 20, 1)); console.log("all")';
    const spawn = { ...wanted('', { limits }), command: [process.execPath, '-e', code] };
    const { output, summary } = await outputOf(sandbox, spawn);
    expect(output).toBe(bounded ? '' : 'all\n');
    expect(summary).toMatch(bounded ? /out of memory/ : /code 0/);
  });
});
