import { createProxy } from 'proxy';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Lease } from '../../src/contract/lease.ts';
import { openBench } from '../support/worker-bench.ts';
import { gitIn, makeRemote } from '../support/worker-remote.ts';

describe('a run of the demo agent', () => {
  it('repairs, tests, commits, pushes and opens one pull request; a follow-up goes to the same one', async () => {
    const bench = await openBench();
    const remote = makeRemote(bench.dataDir);
    await bench.start();
    const first = bench.lease({}, remote);
    const run = await bench.ended(bench.service.offer(first));

    expect(run.completed).toHaveLength(1);
    expect(run.completed[0]).toMatchObject({ state: 'SUCCEEDED' });
    expect(run.completed[0]?.message).toContain('All tests pass');
    const branch = run.completed[0]?.branch ?? '';
    expect(branch).toMatch(/^runlink\/fix-the-failing-test-[0-9a-f]{12}$/);
    const log = gitIn(remote, 'log', '-1', '--format=%an%n%B', branch);
    expect(log).toContain('runlink[bot]');
    expect(log).toContain(`Run: ${first.session_link}`);
    expect(log).toContain('Co-authored-by: Grace <grace@example.org>');
    expect(gitIn(remote, 'diff', '--stat', 'main', branch)).toContain('src/sum.js');
    expect(bench.service.pulls).toHaveLength(1);
    expect(run.artifacts.map(({ artifact_type }) => artifact_type)).toEqual([
      'PULL_REQUEST',
      'EXTERNAL_REFERENCE',
    ]);
    const edits = run.events.filter((event) => event.type === 'tool_call' && event.diff);
    expect(edits.at(-1)).toMatchObject({ diff: { path: 'src/sum.js' } });
    const types = run.events.map(({ type }) => type);
    for (const type of ['setup', 'agent_started', 'message', 'tool_call', 'plan', 'changes'])
      expect(types).toContain(type);
    const planned = ({ events } = run) =>
      events.findLast((event) => event.type === 'plan')?.entries;
    const done = (...steps: string[]) => steps.map((content) => ({ content, status: 'completed' }));
    const [look, test, commit] = ['Look at the repository', 'Run the tests', 'Commit'] as const;
    const repair = ['Repair what fails', 'Run the tests again'];
    expect(planned()).toMatchObject(done(look, test, ...repair, commit));

    const second = bench.lease(
      {
        run_id: first.run_id,
        attempt: 2,
        prompt: 'also add a changelog line',
        resume: { branch },
      },
      remote,
    );
    run.events.length = 0;
    const again = await bench.ended(bench.service.offer(second));
    expect(again.completed[0]).toMatchObject({ state: 'SUCCEEDED', branch });
    expect(gitIn(remote, 'show', `${branch}:CHANGELOG.md`)).toContain('- Fix off-by-one');
    expect(gitIn(remote, 'rev-list', '--count', `main..${branch}`).trim()).toBe('2');
    expect(bench.service.pulls).toHaveLength(1);

    const third = bench.lease(
      { run_id: first.run_id, attempt: 3, prompt: 'fix the failing test', resume: { branch } },
      remote,
    );
    const idle = await bench.ended(bench.service.offer(third));
    expect(idle.completed[0]).toMatchObject({ state: 'SUCCEEDED', branch });
    expect(planned(idle)).toMatchObject(done(look, test));
  });

  it('opens its pull request as a draft and signs its commits off where the environment wants that', async () => {
    const bench = await openBench();
    const remote = makeRemote(bench.dataDir);
    await bench.start();
    const lease = bench.lease({}, remote);
    const environment = lease.environment && { ...lease.environment, draft: true, sign_off: true };
    const run = await bench.ended(
      bench.service.offer({ ...lease, ...(environment ? { environment } : {}) }),
    );
    expect(bench.service.pulls).toMatchObject([{ draft: true, head: run.completed[0]?.branch }]);
    const log = gitIn(remote, 'log', '-1', '--format=%B', run.completed[0]?.branch ?? '');
    expect(log).toContain('Signed-off-by: runlink[bot] <1+runlink[bot]@users.noreply.github.com>');
  });

  it('pushes its branch and succeeds where no pull request is wanted, or the repository is not on GitHub', async () => {
    const bench = await openBench();
    await bench.start();
    const pushed = async (change: (lease: Lease) => Lease) => {
      const remote = makeRemote(bench.dataDir);
      const run = await bench.ended(bench.service.offer(change(bench.lease({}, remote))));
      expect(run.completed[0]).toMatchObject({ state: 'SUCCEEDED' });
      const branch = run.completed[0]?.branch ?? '';
      expect(gitIn(remote, 'rev-list', '--count', `main..${branch}`).trim()).toBe('1');
      const notices = run.events.filter((event) => event.type === 'notice');
      return notices.map(({ text }) => text).join('\n');
    };
    const only = { pull_request: false, push: true };
    const unwanted = await pushed(({ environment, ...lease }) => ({
      ...lease,
      ...(environment && { environment: { ...environment, ...only } }),
    }));
    expect(unwanted).toBe('');
    const elsewhere = await pushed(({ git, ...lease }) => ({
      ...lease,
      ...(git && { git: { ...git, api_url: 'https://api.github.com' } }),
    }));
    expect(elsewhere).toMatch(
      /^Pushed to branch runlink\/.*; no pull request: .* not on GitHub\.$/m,
    );
    expect(bench.service.pulls).toEqual([]);
  });

  it('asks for the token again that the service could not have in time for the claim, and uses it by the proxy', async () => {
    const bench = await openBench();
    const proxy = createProxy(createServer());
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    onTestFinished(() => void proxy.close());
    const passed: string[] = [];
    proxy.on('request', ({ url }) => passed.push(url ?? ''));
    const address = proxy.address() as AddressInfo;
    const http_proxy = `http://127.0.0.1:${address.port}`;
    const environment = { PATH: process.env['PATH'], http_proxy };
    await bench.start({ environment, useProxy: true });
    const sent: (string | undefined)[] = [];
    const remote = createServer((request, response) => {
      sent.push(request.headers.authorization);
      response.writeHead(403).end();
    });
    remote.listen(0, '127.0.0.1');
    await once(remote, 'listening');
    onTestFinished(() => void remote.close());
    const { port } = remote.address() as AddressInfo;
    const lease = bench.lease({}, `http://127.0.0.1:${port}/o/demo.git`);
    const token = lease.git?.token ?? '';
    const author = { name: 'a', email: 'a@x' };
    const git = { api_url: `http://127.0.0.1:${port}/api/v3`, author };
    const run = bench.service.offer({ ...lease, git });
    run.lease = { ...lease, git: { ...git, token } };
    await bench.ended(run);
    const basic = Buffer.from(`x-access-token:${token}`).toString('base64');
    expect(new Set(sent)).toEqual(new Set([`Basic ${basic}`]));
    expect(run.completed).toMatchObject([{ error_code: 'environment_setup_failed' }]);
    expect(JSON.stringify(run.events)).not.toContain(token);
    for (const way of [`:${port}/o/demo.git`, '/api/v1/worker/claim'])
      expect(passed.join(' ')).toContain(way);
  });

  it('says so and succeeds in an empty workspace', async () => {
    const bench = await openBench();
    await bench.start();
    const run = await bench.ended(bench.service.offer(bench.lease()));
    expect(run.completed[0]).toMatchObject({ state: 'SUCCEEDED' });
    expect(run.completed[0]?.message).toContain('workspace is empty');
  });
});
