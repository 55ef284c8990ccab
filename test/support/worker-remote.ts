import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Lease } from '../../src/contract/lease.ts';
import type { FakeStep } from './fake-agent.ts';
import { plainProgram } from './plain-program.ts';
import type { WorkerProtocol } from './worker-protocol.ts';

const IDENTITY = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];

export function gitIn(dir: string, ...args: string[]): string {
  return execFileSync('git', [...IDENTITY, ...args], {
    cwd: dir,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', GIT_CONFIG_GLOBAL: '/dev/null', HOME: dir },
  });
}

/** The fake agent as an operator's profile `fake`. */
export const FAKE_AGENT = await plainProgram(join(import.meta.dirname, 'fake-agent.ts'));
export const FAKE_HARNESSES = {
  fake: { agent: 'acp' as const, command: [process.execPath, FAKE_AGENT], variables: [] },
};

/** A prompt that makes the fake agent take these steps. */
export function script(...steps: FakeStep[]): string {
  return `<<SCRIPT${JSON.stringify(steps)}SCRIPT>>`;
}

/** A tiny project with an off-by-one mistake that its test finds. */
export const BROKEN_PROJECT: Record<string, string> = {
  'package.json': '{"name":"demo","type":"module","scripts":{"test":"node --test"}}\n',
  'README.md': '# Demo\n',
  'src/sum.js':
    'export function sum(values) {\n  let total = 0;\n  for (let i = 0; i < values.length - 1; i += 1) total += values[i];\n  return total;\n}\n',
  'test/sum.test.js':
    "import assert from 'node:assert';\nimport test from 'node:test';\nimport { sum } from '../src/sum.js';\n\ntest('sums all', () => assert.equal(sum([1, 2, 3]), 6));\n",
};

/** A bare repository holding these files on `main`. */
export function makeRemote(root: string, files: Record<string, string> = BROKEN_PROJECT): string {
  const work = join(root, `seed-${randomUUID()}`);
  mkdirSync(work, { recursive: true });
  gitIn(work, 'init', '--quiet', '--initial-branch=main');
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(work, name)), { recursive: true });
    writeFileSync(join(work, name), content);
  }
  gitIn(work, 'add', '--all');
  gitIn(work, 'commit', '--quiet', '-m', 'First');
  const bare = join(root, `remote-${randomUUID()}.git`);
  gitIn(root, 'clone', '--quiet', '--bare', work, bare);
  return bare;
}

/** A lease of the default agent on this remote, or on nothing. */
export function makeLease(service: WorkerProtocol, change: Partial<Lease>, remote?: string): Lease {
  const run_id = change.run_id ?? randomUUID();
  const environment: Lease['environment'] = remote
    ? {
        id: 'e'.repeat(22),
        name: 'demo',
        repositories: [{ owner: 'o', name: 'demo', clone_url: remote }],
        setup_commands: [],
        pull_request: true,
      }
    : undefined;
  return {
    run_id,
    attempt: 1,
    token: `lease-${randomUUID()}`,
    expires_at: new Date(Date.now() + 30_000).toISOString(),
    title: 'Fix the failing test',
    prompt: 'fix the failing test',
    mode: 'normal',
    config: {},
    attachments: [],
    run_key: `rl_run_${randomUUID()}`,
    session_link: `${service.origin}/runs/${run_id}`,
    metadata: {},
    requester: { name: 'Grace', email: 'grace@example.org' },
    ...(environment ? { environment } : {}),
    git: {
      token: `ghs_${randomUUID().replaceAll('-', '')}`,
      api_url: `${service.origin}/api/v1/github`,
      author: { name: 'runlink[bot]', email: '1+runlink[bot]@users.noreply.github.com' },
    },
    ...change,
  };
}
