import { describe, expect, it, vi } from 'vitest';
import {
  as,
  comment,
  commentsOn,
  openAppDatabase,
  reactionsOn,
  startApp,
  type SeenComment,
} from '../support/app.ts';
import { useTestDatabase } from '../support/database.ts';
import { startFakeService, type FakeRun } from '../support/fake-service.ts';
import { pushFile, startStandIn } from '../support/standin.ts';

async function stage(options: { settings?: { tellAfterMs: number } } = {}) {
  const github = await startStandIn();
  const service = await startFakeService();
  const database = await openAppDatabase((await useTestDatabase()).url);
  const app = await startApp({ database, github, service, windows: [], ...options });
  github.setWebhookUrl(app.webhookUrl);
  const ours = async (number?: number): Promise<SeenComment[]> =>
    (await commentsOn(github, number)).filter((one) => one.author === github.app.botLogin);
  return { github, service, database, app, ours };
}

const soon = { timeout: 15_000, interval: 50 };

/** A run that goes on working until somebody changes it. */
function works(run: FakeRun): void {
  run.state = 'INPROGRESS';
}

describe('commands', () => {
  it('answers each of several commands in one comment', async () => {
    const { github, service, ours } = await stage();
    await comment(github, github.maintainer, '/agent fix it\n\n/agent help\n\n/agent statsu');
    await vi.waitFor(async () => {
      const bodies = (await ours()).map((one) => one.body).join('\n---\n');
      expect(bodies).toContain('`SUCCEEDED`');
      expect(bodies).toContain('Begin a line of a comment with `/agent`');
      expect(bodies).toContain('Did you mean `/agent status`?');
    }, soon);
    expect(service.runs).toHaveLength(1);
  });

  it('tells a working run more, and cancels it', async () => {
    const { github, service, ours } = await stage();
    service.play = works;
    await comment(github, github.maintainer, '/agent fix it');
    await vi.waitFor(() => expect(service.runs).toHaveLength(1), soon);
    await comment(github, github.maintainer, '/agent and the docs');
    await vi.waitFor(() => expect(service.runs[0]?.followups).toEqual(['and the docs']), soon);
    await comment(github, github.maintainer, '/agent cancel');
    await vi.waitFor(async () => {
      expect(service.runs[0]?.state).toBe('CANCELLED');
      expect((await ours()).map((one) => one.body).join()).toContain('`CANCELLED`');
    }, soon);
    expect(service.runs).toHaveLength(1);
    expect(await ours()).toHaveLength(1);
  });

  it('starts a second run beside a working one only when told so', async () => {
    const { github, service, ours } = await stage();
    service.play = works;
    await comment(github, github.maintainer, '/agent fix it');
    await vi.waitFor(() => expect(service.runs).toHaveLength(1), soon);
    await comment(github, github.maintainer, '/agent new write a changelog');
    await vi.waitFor(async () => expect(await ours()).toHaveLength(2), soon);
    expect(service.runs).toHaveLength(2);
  });

  it('runs the same prompt again on retry', async () => {
    const { github, service } = await stage();
    await comment(github, github.maintainer, '/agent fix it');
    await vi.waitFor(() => expect(service.runs[0]?.state).toBe('SUCCEEDED'), soon);
    await comment(github, github.maintainer, '/agent retry');
    await vi.waitFor(() => expect(service.runs).toHaveLength(2), soon);
    expect(service.runs[1]?.prompt).toBe(service.runs[0]?.prompt);
  });

  it('refuses a stranger visibly, once, and starts nothing', async () => {
    const { github, service, ours } = await stage();
    const first = await comment(github, github.stranger, '/agent delete everything');
    const second = await comment(github, github.stranger, '/agent delete it all');
    await vi.waitFor(async () => {
      expect(await reactionsOn(github, first)).toEqual(['-1']);
      expect(await reactionsOn(github, second)).toEqual(['-1']);
      expect(await ours()).toHaveLength(1);
    }, soon);
    expect((await ours())[0]?.body).toContain('`write` permission');
    expect(service.runs).toHaveLength(0);
  });

  it('meets a stranger’s typing error with silence', async () => {
    const { github, database, ours } = await stage();
    await comment(github, github.stranger, '/agent statsu');
    await vi.waitFor(async () => {
      const { rows } = await database.pool.query('select reason from app.deliveries');
      expect(rows).toEqual([{ reason: 'not_a_command' }]);
    }, soon);
    expect(await ours()).toEqual([]);
  });

  it('says what the service refuses', async () => {
    const { github, service, ours } = await stage();
    service.environments = [];
    service.faults.push({
      matches: (seen) => seen.method === 'POST' && seen.path.endsWith('/agent/runs'),
      fault: { kind: 'status', status: 400 },
      times: 1,
    });
    await comment(github, github.maintainer, '/agent fix it');
    await vi.waitFor(
      async () => expect((await ours())[0]?.body).toContain('The run service refused'),
      soon,
    );
  });
});

describe('a pull request of a run', () => {
  async function withPullRequest() {
    const scene = await stage();
    const { github, service } = scene;
    const { owner, name: repo } = github.repository;
    service.play = works;
    await comment(github, github.maintainer, '/agent fix it');
    await vi.waitFor(() => expect(service.runs).toHaveLength(1), soon);
    const [run] = service.runs;
    if (!run) throw new Error('there is a run');
    const { token } = github.maintainer;
    const sha = await pushFile(github, { branch: 'fix', file: 'fix.txt', content: 'x', token });
    const { data: pull } = await as(github, github.maintainer).request(
      'POST /repos/{owner}/{repo}/pulls',
      { owner, repo, title: 'Fix it', head: 'fix', base: 'main' },
    );
    service.change(run, {
      artifacts: [
        {
          artifact_type: 'PULL_REQUEST',
          created_at: new Date().toISOString(),
          data: { url: pull.html_url, branch: 'fix' },
        },
      ],
    });
    return { ...scene, run, pull, sha };
  }

  it('is linked, gets one note and a check, and leads back to its run', async () => {
    const { github, service, ours, run, pull, sha } = await withPullRequest();
    const { owner, name: repo } = github.repository;
    await vi.waitFor(async () => {
      expect(service.references).toContainEqual({ url: pull.html_url, run_id: run.run_id });
      expect((await ours(pull.number)).map((one) => one.body).join()).toContain(run.run_id);
      expect((await ours())[0]?.body).toContain(`#${pull.number}`);
    }, soon);
    await comment(github, github.maintainer, '/agent add a changelog line', pull.number);
    await vi.waitFor(() => expect(run.followups).toEqual(['add a changelog line']), soon);
    service.change(run, { state: 'SUCCEEDED', finished_at: new Date().toISOString() });
    await vi.waitFor(async () => {
      const { data } = await as(github, github.maintainer).request(
        'GET /repos/{owner}/{repo}/commits/{ref}/check-runs',
        { owner, repo, ref: sha },
      );
      expect(data.check_runs).toHaveLength(1);
      expect(data.check_runs[0]).toMatchObject({
        name: 'Runlink',
        external_id: run.run_id,
        conclusion: 'success',
      });
      expect((await ours(pull.number))[0]?.body).toContain('`SUCCEEDED`');
    }, soon);
    expect(await ours(pull.number)).toHaveLength(1);
    expect(service.runs).toHaveLength(1);
  });

  it('says on the thread that it was merged', async () => {
    const { github, service, ours, run, pull } = await withPullRequest();
    const { owner, name: repo } = github.repository;
    service.change(run, { state: 'SUCCEEDED', finished_at: new Date().toISOString() });
    await vi.waitFor(async () => expect((await ours())[0]?.body).toContain('(open)'), soon);
    await as(github, github.maintainer).request(
      'PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge',
      { owner, repo, pull_number: pull.number },
    );
    await vi.waitFor(async () => expect((await ours())[0]?.body).toContain('(merged)'), soon);
  });
});

describe('an outage', () => {
  it('of the service is told on the thread and ends when it is back', async () => {
    const { github, service, ours } = await stage({ settings: { tellAfterMs: 0 } });
    service.faults.push({
      matches: () => true,
      fault: { kind: 'status', status: 503 },
      times: Infinity,
    });
    await comment(github, github.maintainer, '/agent fix it');
    await vi.waitFor(
      async () => expect((await ours())[0]?.body).toContain('The run service does not answer'),
      { timeout: 30_000, interval: 100 },
    );
    service.faults.length = 0;
    await vi.waitFor(async () => expect((await ours()).at(-1)?.body).toContain('`SUCCEEDED`'), {
      timeout: 40_000,
      interval: 100,
    });
    expect(service.runs).toHaveLength(1);
  });
});
