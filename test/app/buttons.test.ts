import { describe, expect, it, vi } from 'vitest';
import { as, comment, commentsOn, deliver, openAppDatabase, startApp } from '../support/app.ts';
import { useTestDatabase } from '../support/database.ts';
import { startFakeService } from '../support/fake-service.ts';
import { pushFile, startStandIn } from '../support/standin.ts';

const soon = { timeout: 20_000, interval: 100 };

/** A pull request on which a run was asked for and has ended, with its check. */
async function stage() {
  const github = await startStandIn();
  const service = await startFakeService();
  const database = await openAppDatabase((await useTestDatabase()).url);
  const app = await startApp({ database, github, service, windows: [] });
  github.setWebhookUrl(app.webhookUrl);
  const { owner, name: repo } = github.repository;
  const octokit = as(github, github.maintainer);
  const { token } = github.maintainer;
  const sha = await pushFile(github, { branch: 'topic', file: 'a.txt', content: 'a', token });
  const { data: pull } = await octokit.request('POST /repos/{owner}/{repo}/pulls', {
    owner,
    repo,
    title: 'Topic',
    head: 'topic',
    base: 'main',
  });
  await comment(github, github.maintainer, '/agent review this', pull.number);
  const checksOn = async (ref: string) => {
    const { data } = await octokit.request('GET /repos/{owner}/{repo}/commits/{ref}/check-runs', {
      owner,
      repo,
      ref,
    });
    return data.check_runs.filter((check) => check.name === 'Runlink');
  };
  await vi.waitFor(async () => {
    const [check] = await checksOn(sha);
    expect(check).toMatchObject({ status: 'completed', conclusion: 'success' });
  }, soon);
  const [run] = service.runs;
  if (!run) throw new Error('there is a run');
  const press = (
    login: string,
    action: 'requested_action' | 'rerequested',
    identifier: string,
    guid: string,
  ) =>
    deliver(
      app,
      github.app.webhookSecret,
      'check_run',
      {
        action,
        check_run: {
          id: 1,
          name: 'Runlink',
          head_sha: sha,
          external_id: run.run_id,
          html_url: '',
          status: 'completed',
          conclusion: 'success',
          pull_requests: [{ number: pull.number }],
          app: { id: github.app.id },
        },
        requested_action: { identifier },
        repository: { full_name: `${owner}/${repo}`, html_url: github.url, default_branch: 'main' },
        sender: { login, type: 'User' },
        installation: { id: github.app.installationId },
      },
      guid,
    );
  const reasonOf = async (guid: string): Promise<string | null> => {
    const { rows } = await database.pool.query<{ reason: string | null }>(
      'select reason from app.deliveries where guid = $1',
      [guid],
    );
    return rows[0]?.reason ?? null;
  };
  return { github, service, run, sha, press, checksOn, reasonOf, pull, token, database };
}

describe('the buttons of a completed check', () => {
  it('start the same again, and let the run go on, once per press', async () => {
    const { github, service, run, press, reasonOf } = await stage();
    const { login } = github.maintainer;
    await press(login, 'requested_action', 'retry', 'press-1');
    await press(login, 'requested_action', 'retry', 'press-1');
    await vi.waitFor(() => expect(service.runs).toHaveLength(2), soon);
    expect(service.runs[1]?.prompt).toBe(run.prompt);
    await vi.waitFor(async () => expect(await reasonOf('press-1')).toBe('started'), soon);
    await press(login, 'requested_action', 'follow_up', 'press-2');
    await vi.waitFor(() => expect(run.followups).toHaveLength(1), soon);
    await vi.waitFor(async () => expect(await reasonOf('press-2')).toBe('followed_up'), soon);
    expect(service.runs).toHaveLength(2);
  });

  it('and Re-run do nothing for a stranger', async () => {
    const { github, service, press, reasonOf, pull } = await stage();
    await press(github.stranger.login, 'rerequested', '', 'press');
    await vi.waitFor(async () => expect(await reasonOf('press')).toBe('actor_below_bar'), soon);
    await vi.waitFor(async () => {
      const bodies = (await commentsOn(github, pull.number)).map((one) => one.body).join();
      expect(bodies).toContain('needs `write` permission');
    }, soon);
    expect(service.runs).toHaveLength(1);
  });
});

describe('a new head', () => {
  it('takes the check of a working run with it; none stays open behind', async () => {
    const { github, service, run, sha, checksOn, token } = await stage();
    service.play = undefined;
    service.change(run, { state: 'INPROGRESS', finished_at: null });
    await vi.waitFor(async () => {
      expect((await checksOn(sha))[0]?.status).toBe('in_progress');
    }, soon);
    const next = await pushFile(github, { branch: 'topic', file: 'b.txt', content: 'b', token });
    await vi.waitFor(async () => {
      expect((await checksOn(next))[0]?.status).toBe('in_progress');
      expect((await checksOn(sha))[0]).toMatchObject({
        status: 'completed',
        conclusion: 'neutral',
      });
    }, soon);
    service.change(run, { state: 'FAILED', finished_at: new Date().toISOString() });
    await vi.waitFor(async () => {
      expect((await checksOn(next))[0]?.conclusion).toBe('failure');
    }, soon);
    expect(await checksOn(next)).toHaveLength(1);
  });
});
