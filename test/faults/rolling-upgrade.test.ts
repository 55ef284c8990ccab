import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { cleanEnvironment } from '../support/clean-environment.ts';
import { useEmptyDatabase } from '../support/database.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** The first commit whose migrations only expand. */
const FIRST = 'af320ab';
const isLong = process.env['RUNLINK_TEST_LONG'] === '1';
const within = { timeout: 120_000, interval: 100 };

/** The tree of that commit, with today's packages. */
function oldTree(): string {
  const folder = mkdtempSync(join(tmpdir(), 'runlink-old-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  execFileSync('sh', ['-c', `git archive ${FIRST} | tar -x -C ${folder}`], { cwd: ROOT });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

interface Node {
  api: string;
  key: string;
  stop(): Promise<void>;
}

/** A `serve` of a tree on the database, with a worker of its own that has the demo agent. */
async function serve(tree: string, url: string, keyFrom?: string): Promise<Node> {
  const data = mkdtempSync(join(tmpdir(), 'runlink-node-'));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  const ready = join(data, 'ready.json');
  const words = ['--port', '0', '--data', data, '--ready-file', ready, '--database-url', url];
  const child: ChildProcess = spawn(process.execPath, ['src/cli/main.ts', 'serve', ...words], {
    cwd: tree,
    env: { ...cleanEnvironment(), RUNLINK_LOG: 'warn' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  onTestFinished(stop);
  const said = await vi.waitFor(
    () => JSON.parse(readFileSync(ready, 'utf8')) as { api_base_url: string },
    within,
  );
  const key = keyFrom ?? readFileSync(join(data, 'owner.key'), 'utf8').trim();
  return { api: said.api_base_url, key, stop };
}

async function ask<T>({ api, key }: Node, method: string, path: string, body?: object): Promise<T> {
  const answer = await fetch(api + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

const create = async (node: Node): Promise<string> => {
  const config = { harness: { type: 'demo' } };
  const made = await ask<{ run_id: string }>(node, 'POST', '/agent/runs', {
    prompt: 'Look',
    config,
  });
  return made.run_id;
};
const stateOf = async (node: Node, id: string): Promise<string> =>
  (await ask<{ state: string }>(node, 'GET', `/agent/runs/${id}`)).state;

describe.runIf(isLong)('a rolling upgrade', () => {
  it('from the first release of which old and new may run side by side: every run ends once, on either', async () => {
    const url = await useEmptyDatabase();
    const before = await serve(oldTree(), url);
    const ids = await Promise.all(Array.from({ length: 6 }, () => create(before)));
    const after = await serve(ROOT, url, before.key);
    // Both take runs of both, and both show all of them.
    for (let round = 0; round < 3; round += 1) ids.push(await create(before), await create(after));
    await vi.waitFor(async () => {
      for (const node of [before, after])
        for (const id of ids) expect(await stateOf(node, id)).toBe('SUCCEEDED');
    }, within);
    for (const id of ids) {
      const { events } = await ask<{ events: { event_type: string }[] }>(
        after,
        'GET',
        `/agent/runs/${id}/timeline`,
      );
      expect(events.filter(({ event_type: type }) => type === 'oz_run_done')).toHaveLength(1);
    }
    const last = await create(before);
    await before.stop();
    await vi.waitFor(
      async () => expect(await stateOf(after, last)).toMatch(/SUCCEEDED|ERROR/),
      within,
    );
    const alone = await create(after);
    await vi.waitFor(async () => expect(await stateOf(after, alone)).toBe('SUCCEEDED'), within);
    // And back: a process of the old release takes the newer schema as it is.
    const again = await serve(oldTree(), url, before.key);
    expect(await stateOf(again, alone)).toBe('SUCCEEDED');
  }, 400_000);
});
