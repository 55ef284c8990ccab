import { describe, expect, it, vi } from 'vitest';
import {
  as,
  comment,
  commentsOn,
  deliver,
  openAppDatabase,
  reactionsOn,
  startApp,
} from '../support/app.ts';
import { useTestDatabase } from '../support/database.ts';
import { startFakeService, type FakeRun } from '../support/fake-service.ts';
import type { Fault as ServiceFault } from '../support/fake-http.ts';
import type { Fault as GithubFault } from '../../src/demo/faults.ts';
import { pushFile, startStandIn } from '../support/standin.ts';

async function stage(replicas = 1) {
  const github = await startStandIn();
  const service = await startFakeService();
  const { url } = await useTestDatabase();
  const database = await openAppDatabase(url);
  const times = { sweepEveryMs: 500, leaseMs: 1000 };
  const start = async () =>
    startApp({
      database: replicas === 1 ? database : await openAppDatabase(url),
      github,
      service,
      windows: [],
      settings: { tellAfterMs: 0 },
      ...times,
    });
  const apps = [await start()];
  while (apps.length < replicas) apps.push(await start());
  const [app] = apps;
  if (!app) throw new Error('there is an App');
  github.setWebhookUrl(app.webhookUrl);
  return { github, service, database, app, apps };
}
type Stage = Awaited<ReturnType<typeof stage>>;

const soon = { timeout: 45_000, interval: 250 };

/** Every third fault in the short run, all in the long one. */
function some<T>(faults: readonly T[]): T[] {
  const isLong = process.env['RUNLINK_TEST_LONG'] !== undefined;
  return faults.filter((_, index) => isLong || index % 3 === 2);
}

/** One comment and one reaction that say how it ended. */
async function expectTruth({ github }: Stage, asked: number): Promise<void> {
  await vi.waitFor(async () => {
    const ours = (await commentsOn(github)).filter(
      (one) => one.author === github.app.botLogin && one.body.includes('runlink run='),
    );
    expect(ours.map((one) => one.body)).toEqual([expect.stringContaining('`SUCCEEDED`')]);
    expect(await reactionsOn(github, asked)).toEqual(['rocket']);
  }, soon);
}

describe('GitHub', () => {
  const faults: [string, GithubFault, RegExp, number][] = [
    ['is down', { kind: 'down' }, /./, 6],
    ['answers 502', { kind: 'error', status: 502 }, /./, 6],
    ['answers garbage to a new comment', { kind: 'garbage' }, /^POST .*\/issues\/1\/comments$/, 1],
    ['breaks off its answers', { kind: 'half' }, /^(POST|PATCH) /, 2],
    ['loses the answer to a new comment', { kind: 'lost' }, /^POST .*\/issues\/1\/comments$/, 1],
    ['is slow', { kind: 'slow', delayMs: 400 }, /./, 8],
    [
      'tells of a secondary limit',
      { kind: 'secondary-limit', retryAfterSeconds: 1 },
      /^POST .*\/issues\/1\/comments$/,
      2,
    ],
  ];
  it.each(some(faults))('that %s costs time, nothing else', async (_, fault, matches, times) => {
    const scene = await stage();
    const person = scene.github.maintainer;
    const asked = await comment(scene.github, person, '/agent fix it');
    scene.github.faults.arm(fault, matches, times);
    await expectTruth(scene, asked);
    expect(scene.service.runs).toHaveLength(1);
  });
});

describe('the run service', () => {
  const faults: [string, ServiceFault, number][] = [
    ['answers 503', { kind: 'status', status: 503 }, 5],
    ['resets connections', { kind: 'reset' }, 5],
    ['answers garbage', { kind: 'garbage' }, 3],
    ['breaks off its answers', { kind: 'half' }, 3],
    ['is slow', { kind: 'slow', ms: 300 }, 8],
  ];
  it.each(some(faults))('that %s costs time, nothing else', async (_, fault, times) => {
    const scene = await stage();
    scene.service.faults.push({ matches: () => true, fault, times });
    const asked = await comment(scene.github, scene.github.maintainer, '/agent fix it');
    await expectTruth(scene, asked);
    expect(scene.service.runs).toHaveLength(1);
  });

  it('that starts a run and loses the answer is asked before it is told again', async () => {
    const scene = await stage();
    scene.service.faults.push({
      matches: (seen) => seen.method === 'POST' && seen.path.endsWith('/agent/runs'),
      fault: { kind: 'reset' },
      times: 1,
      effective: true,
    });
    const asked = await comment(scene.github, scene.github.maintainer, '/agent fix it');
    await expectTruth(scene, asked);
    expect(scene.service.runs).toHaveLength(1);
  });

  it('that forgets a run is told of on the thread, until it remembers', async () => {
    const scene = await stage();
    const { github, service } = scene;
    service.play = (run: FakeRun) => void (run.state = 'INPROGRESS');
    const asked = await comment(github, github.maintainer, '/agent fix it');
    await vi.waitFor(() => expect(service.runs).toHaveLength(1), soon);
    const forgotten = service.runs.splice(0);
    const shown = async (): Promise<string> =>
      (await commentsOn(github)).map((one) => one.body).join();
    await vi.waitFor(async () => expect(await shown()).toContain('has not known this run'), soon);
    for (const run of forgotten) {
      service.runs.push(run);
      service.change(run, { state: 'SUCCEEDED', finished_at: new Date().toISOString() });
    }
    await expectTruth(scene, asked);
    expect(scene.service.runs).toHaveLength(1);
    expect(await shown()).not.toContain('has not known this run');
  });
});

describe('several replicas', () => {
  it('of the App behave as one, whoever gets the delivery', async () => {
    const scene = await stage(3);
    const { github, apps } = scene;
    github.setWebhookUrl(undefined);
    const asked = await comment(github, github.maintainer, '/agent fix it');
    const payload = await payloadOf(scene, asked, '/agent fix it');
    const { webhookSecret } = github.app;
    await Promise.all(
      apps.flatMap((app, index) => [
        deliver(app, webhookSecret, 'issue_comment', payload, 'the-same'),
        deliver(app, webhookSecret, 'issue_comment', payload, `another-${index}`),
      ]),
    );
    await expectTruth(scene, asked);
    expect(scene.service.runs).toHaveLength(1);
  });

  it('go on when the one that leads ends', async () => {
    const scene = await stage(2);
    const { github, service, apps } = scene;
    service.play = (run: FakeRun) => void (run.state = 'INPROGRESS');
    const asked = await comment(github, github.maintainer, '/agent fix it');
    await vi.waitFor(() => expect(service.runs).toHaveLength(1), soon);
    await apps[0]?.stop();
    const [run] = service.runs;
    if (run) service.change(run, { state: 'SUCCEEDED', finished_at: new Date().toISOString() });
    await expectTruth(scene, asked);
    expect(scene.service.runs).toHaveLength(1);
  });
});

describe('deliveries', () => {
  it('that were missed while the App was away are asked for again, once', async () => {
    const github = await startStandIn();
    const service = await startFakeService();
    const database = await openAppDatabase((await useTestDatabase()).url);
    github.setWebhookUrl('http://127.0.0.1:9/nobody');
    const asked = await comment(github, github.maintainer, '/agent fix it');
    const app = await startApp({ database, github, service, windows: [], recoverEveryMs: 300 });
    github.setWebhookUrl(app.webhookUrl);
    await expectTruth({ github, service, database, app, apps: [app] }, asked);
    expect(service.runs).toHaveLength(1);
  });

  it('that come in the wrong order leave the newest state standing', async () => {
    const scene = await stage();
    const { github, app, service } = scene;
    const { owner, name: repo } = github.repository;
    service.play = (run: FakeRun) => void (run.state = 'INPROGRESS');
    await comment(github, github.maintainer, '/agent fix it');
    await vi.waitFor(() => expect(service.runs).toHaveLength(1), soon);
    const [run] = service.runs;
    if (!run) throw new Error('there is a run');
    const { token } = github.maintainer;
    const branch = `fix-${run.run_id}`;
    await pushFile(github, { branch, file: 'fix.txt', content: 'x', token });
    const { data: pull } = await as(github, github.maintainer).request(
      'POST /repos/{owner}/{repo}/pulls',
      { owner, repo, title: 'Fix it', head: branch, base: 'main' },
    );
    service.change(run, {
      state: 'SUCCEEDED',
      finished_at: new Date().toISOString(),
      artifacts: [
        {
          artifact_type: 'PULL_REQUEST',
          created_at: new Date().toISOString(),
          data: { url: pull.html_url, branch },
        },
      ],
    });
    const shown = async (): Promise<string> =>
      (await commentsOn(github)).map((one) => one.body).join();
    await vi.waitFor(async () => expect(await shown()).toContain('(open)'), soon);
    await as(github, github.maintainer).request(
      'PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge',
      { owner, repo, pull_number: pull.number },
    );
    await vi.waitFor(async () => expect(await shown()).toContain('(merged)'), soon);
    const late = {
      action: 'opened',
      number: pull.number,
      pull_request: { ...pull, state: 'open', merged: false },
      repository: { full_name: `${owner}/${repo}`, html_url: github.url, default_branch: 'main' },
      sender: { login: github.maintainer.login, type: 'User' },
      installation: { id: github.app.installationId },
    };
    await deliver(app, github.app.webhookSecret, 'pull_request', late, 'late');
    await vi.waitFor(async () => {
      const { rows } = await scene.database.pool.query(
        `select reasons from app.deliveries where guid = 'late'`,
      );
      expect(rows).toEqual([{ reasons: ['pull_opened'] }]);
    }, soon);
    expect(await shown()).toContain('(merged)');
  });
});

async function payloadOf({ github }: Stage, id: number, body: string) {
  const { owner, name: repo, issueNumber } = github.repository;
  const { data: issue } = await as(github, github.maintainer).request(
    'GET /repos/{owner}/{repo}/issues/{issue_number}',
    { owner, repo, issue_number: issueNumber },
  );
  const { data: written } = await as(github, github.maintainer).request(
    'GET /repos/{owner}/{repo}/issues/comments/{comment_id}',
    { owner, repo, comment_id: id },
  );
  expect(written.body).toBe(body);
  return {
    action: 'created',
    issue,
    comment: written,
    repository: { full_name: `${owner}/${repo}`, html_url: github.url, default_branch: 'main' },
    sender: { login: github.maintainer.login, type: 'User' },
    installation: { id: github.app.installationId },
  };
}
