import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { connectGithub } from '../../src/app/connect-github.ts';
import {
  alice,
  commentEvent,
  onPullRequest,
  repository,
  startWorld,
  type Event,
} from '../support/action-world.ts';
import {
  BOT,
  freshId,
  from,
  issueComment,
  keepWorking,
  pullOf,
  soon,
  startAppWorld,
  type AppWorld,
  type Place,
} from '../support/app-world.ts';
import type { FaultRule } from '../support/fake-http.ts';
import { end } from '../support/fake-service.ts';
import { askOnPull, checksOf, newSha } from '../support/pull-scene.ts';

let world: AppWorld;
beforeAll(async () => {
  world = await startAppWorld();
  world.service.play = keepWorking;
});
afterAll(() => world.close());

async function send(name: string, payload: object): Promise<string> {
  const guid = `sequence-${freshId()}`;
  const taken = await world.send(name, payload, guid);
  return taken === 'stored' ? world.reasonOf({ guid }) : taken;
}

const shows = (place: Place, text: string): Promise<void> =>
  vi.waitFor(() => expect(world.bodiesOn(place)[0]).toContain(text), soon);

describe('a pull request that changes while a run works on it', () => {
  it('force-pushed: the check follows the head, the run keeps the commit it was given (docs: webhooks, pull_request)', async () => {
    const { place, sha, run } = await askOnPull(world);
    await vi.waitFor(() => expect(checksOf(world, run)).toHaveLength(1), soon);
    const forced = newSha();
    const pull = world.github.pulls.find(({ number }) => number === place.number);
    Object.assign(pull?.head ?? {}, { sha: forced });
    const payload = { ...from(place, 'synchronize'), before: sha, after: forced };
    await send('pull_request', { ...payload, pull_request: pullOf(place, forced) });
    await vi.waitFor(
      () =>
        expect(checksOf(world, run)).toMatchObject([
          { head_sha: sha, status: 'completed', conclusion: 'neutral' },
          { head_sha: forced, status: 'in_progress' },
        ]),
      soon,
    );
    expect(run.metadata['runlink.sha']).toBe(sha);
    const html_url = `https://github.example/${place.repository}/pull/${place.number}`;
    const issue = { ...pullOf(place, forced), pull_request: { url: 'x' }, html_url };
    expect(await world.reasonOf(await world.say(place, '/agent go on', undefined, { issue }))).toBe(
      'followed_up',
    );
    expect(run.followups[0]).toContain(`Commit: ${forced}`);
  });

  it('closed and reopened: nothing starts by itself, and a command goes on with the run (docs: webhooks, pull_request)', async () => {
    const { place, sha, run } = await askOnPull(world);
    const issue = { ...pullOf(place, sha), pull_request: { url: 'x' } };
    for (const action of ['closed', 'reopened']) {
      await send('pull_request', { ...from(place, action), pull_request: pullOf(place, sha) });
    }
    await send('issues', { ...from(place, 'reopened'), issue });
    expect(run.followups).toEqual([]);
    expect(await world.reasonOf(await world.say(place, '/agent go on', undefined, { issue }))).toBe(
      'followed_up',
    );
    expect(world.runsOf(place)).toEqual([run]);
  });
});

describe('a thread that changes while a run works on it', () => {
  async function started(): Promise<{ place: Place; run: Awaited<ReturnType<AppWorld['runOf']>> }> {
    const place = world.place();
    await world.reasonOf(await world.say(place, '/agent mend it'));
    const run = await world.runOf(place);
    await shows(place, '`INPROGRESS`');
    return { place, run };
  }

  it('locked and unlocked: the run goes on, and its end is shown (docs: communities/moderating, locking conversations)', async () => {
    const { place, run } = await started();
    const locked = {
      matches: ({ method, path }: { method: string; path: string }) =>
        method === 'PATCH' && path.startsWith(`/repos/${place.repository}/issues/comments/`),
      fault: { kind: 'status', status: 403, message: 'Unable to update: issue is locked' } as const,
      times: Infinity,
    };
    world.github.faults.push(locked);
    world.service.change(run, { title: 'Another title' });
    await vi.waitFor(
      () => expect(world.github.seen.filter(locked.matches).length).toBeGreaterThan(0),
      soon,
    );
    locked.times = 0;
    end(world.service, run, 'SUCCEEDED');
    await shows(place, '`SUCCEEDED`');
    expect(world.bodiesOn(place)).toHaveLength(1);
  });

  it('transferred: its runs are shown in the new place, in the comment that GitHub moved, and commands go on there (Systemorph/MeshWeaver#4629)', async () => {
    const { place, run } = await started();
    const there = world.place();
    const [comment] = world.github.comments.filter(({ issue }) => issue === place.number);
    if (!comment) throw new Error('no comment');
    Object.assign(comment, { id: 900_000 + comment.id, issue: there.number });
    const { issue } = issueComment(place, '', alice, 1) as { issue: object };
    const changes = {
      new_issue: { number: there.number },
      new_repository: { id: 9, full_name: there.repository },
    };
    const sent = { ...from(place, 'transferred'), issue, changes };
    expect(await send('issues', sent)).toBe('issue_moved');
    expect(await world.reasonOf(await world.say(there, '/agent and this'))).toBe('followed_up');
    end(world.service, run, 'SUCCEEDED');
    await shows(there, '`SUCCEEDED`');
    expect([world.bodiesOn(place), world.bodiesOn(there)]).toEqual([[], [comment.body]]);
  });

  it('deleted: nothing is written there again, and the run ends as ever (docs: webhooks, issues)', async () => {
    const { place, run } = await started();
    world.github.comments.splice(
      0,
      Infinity,
      ...world.github.comments.filter(({ issue }) => issue !== place.number),
    );
    const issue = { ...(issueComment(place, '', alice, 1) as { issue: object }).issue };
    expect(await send('issues', { ...from(place, 'deleted'), issue })).toBe('unsupported_event');
    end(world.service, run, 'FAILED');
    await vi.waitFor(async () => {
      const { rows } = await world.database.pool.query(
        `select gone from app.posts where repository = $1 and kind = 'comment'`,
        [place.repository],
      );
      expect(rows).toEqual([{ gone: true }]);
    }, soon);
    expect(world.bodiesOn(place)).toEqual([]);
  });

  it('by somebody who loses the permission: the run goes on, and their commands count no more (docs: rest/collaborators)', async () => {
    world.github.people['carol'] = { permission: 'write', role_name: 'write' };
    const place = world.place();
    const carol = { login: 'carol' };
    await world.reasonOf(await world.say(place, '/agent mend it', carol));
    const run = await world.runOf(place);
    world.github.people['carol'] = { permission: 'read', role_name: 'read' };
    for (const words of ['cancel', 'follow more', 'retry', 'and more']) {
      const said = await world.say(place, `/agent ${words}`, carol);
      expect(await world.reasonOf(said)).toBe('actor_below_bar');
    }
    expect([run.state, run.followups]).toEqual(['INPROGRESS', []]);
    end(world.service, run, 'SUCCEEDED');
    await shows(place, '`SUCCEEDED`');
  });
});

describe('two bots', () => {
  const helper = { login: 'helper[bot]', type: 'Bot' };
  it('that answer each other come to rest: ours writes one comment, however often the other speaks (docs: apps, webhooks)', async () => {
    const place = world.place(`bots: ['helper[bot]']`);
    world.github.people['helper[bot]'] = { permission: 'write', role_name: 'write' };
    await world.reasonOf(await world.say(place, '/agent mend it'));
    const run = await world.runOf(place);
    const heard = new Set<string>();
    const reasons: string[] = [];
    // The other one answers each new comment of ours, and quotes it, as bots do.
    for (let round = 0; round < 5; round += 1) {
      await vi.waitFor(() => expect(world.bodiesOn(place)).not.toEqual([]), soon);
      const comments = world.github.comments.filter(
        ({ issue, user, id }) =>
          issue === place.number && user.login === BOT && !heard.has(`${id}`),
      );
      for (const { id, body } of comments) {
        heard.add(`${id}`);
        // Ours comes back as an event, too.
        reasons.push(
          await send('issue_comment', issueComment(place, body, { login: BOT, type: 'Bot' }, id)),
        );
        const answer = await world.say(place, `${body}\n\n/agent and now?`, helper);
        reasons.push(await world.reasonOf(answer));
      }
      end(world.service, run, 'SUCCEEDED');
      await shows(place, '`SUCCEEDED`');
    }
    expect(reasons).toEqual(['not_a_command', 'followed_up']);
    expect(world.runsOf(place)).toHaveLength(1);
    expect(world.bodiesOn(place)).toHaveLength(1);
  });
});

describe('an installation’s token', () => {
  it('that runs out in mid-run is replaced by the next one (docs: apps, authenticating as an installation; 1 h)', async () => {
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    let made = 0;
    const used: string[] = [];
    const server = createServer((request, response) => {
      request.resume();
      const isToken = request.url?.endsWith('/access_tokens');
      const expires_at = new Date(Date.now() + 3_600_000).toISOString();
      if (isToken) made += 1;
      else used.push(request.headers.authorization ?? '');
      // As long as they are today, with dots and underscores.
      const token = `ghs_7_${made}.${'a'.repeat(500)}`;
      const json = isToken ? { token, expires_at, permissions: {} } : { id: 1 };
      response.writeHead(isToken ? 201 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(json));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const access = connectGithub({ appId: 7, privateKey, apiUrl });
    const look = async (): Promise<void> => {
      const github = await access.installation(3);
      await github.request('GET /repos/{owner}/{repo}', { owner: 'acme', repo: 'widgets' });
    };
    await look();
    await look();
    vi.setSystemTime(Date.now() + 61 * 60_000);
    await look();
    expect(made).toBe(2);
    expect(used.map((header) => /ghs_7_\d/.exec(header)?.[0])).toEqual([
      'ghs_7_1',
      'ghs_7_1',
      'ghs_7_2',
    ]);
  });
});

/** One inline comment of a review with three commands, as its own event. */
function inline(pull: object, comment: object): Event {
  return {
    eventName: 'pull_request_review_comment',
    payload: { action: 'created', repository, comment, pull_request: pull, sender: alice },
  };
}

describe('jobs of the Action at the same time', () => {
  it('for the commands of one review, in its text and inline, are one run with its parts in order (docs: webhooks, pull_request_review_comment)', async () => {
    const { github, service, run, close } = await startWorld();
    onTestFinished(close);
    service.play = keepWorking;
    github.addPull({ number: 12 });
    const { pull_request: _, ...page } = onPullRequest(github) as { pull_request: object };
    const repo = { full_name: 'acme/widgets' };
    const pull = {
      ...page,
      user: alice,
      head: { ref: 'topic', sha: 'a'.repeat(40), repo },
      base: { ref: 'main', sha: 'b'.repeat(40), repo },
    };
    const comments = ['first', 'second', 'third'].map((word, at) => ({
      id: 70 + at,
      node_id: `PRRC_${70 + at}`,
      html_url: `https://github.example/c/${70 + at}`,
      body: `/agent mend the ${word}`,
      user: alice,
      created_at: '2026-11-21T08:00:00Z',
      pull_request_review_id: 9,
      path: `src/${word}.ts`,
      line: at + 1,
      diff_hunk: '@@ -1 +1 @@\n+x',
    }));
    github.answers.set('/repos/acme/widgets/pulls/12/reviews/9/comments', {
      status: 200,
      json: comments,
    });
    const submitted = { id: 9, node_id: 'PRR_9', user: alice, state: 'commented' };
    const review = { ...submitted, body: '/agent mind the style' };
    github.answers.set('/repos/acme/widgets/pulls/12/reviews/9', { status: 200, json: review });
    const inputs = { wait: 'false' };
    const whole = { action: 'submitted', repository, review, pull_request: pull, sender: alice };
    const events = [
      ...comments.toReversed().map((comment) => inline(pull, comment)),
      { eventName: 'pull_request_review', payload: whole },
    ];
    const steps = await Promise.all(events.map((event) => run(event, { inputs })));
    expect(steps.map(({ outputs }) => outputs['reason-code'])).toEqual(Array(4).fill('started'));
    expect(service.runs.map(({ metadata }) => metadata['runlink.request'])).toEqual(['review:9']);
    expect(service.runs[0]?.prompt).toMatch(
      /^1\. mind the style\n\n2\. mend the first\n\n3\. mend the second\n\n4\. mend the third\n[^]*part 2: src\/first/,
    );
    expect(new Set(github.replies.map(({ to }) => to))).toEqual(new Set([70]));
    expect(github.comments).toEqual([]);
  });

  it('of one reusable workflow, called twice, have a run each, and their next attempt joins its own (actions/toolkit#550)', async () => {
    const { github, service, run, close } = await startWorld();
    onTestFinished(close);
    service.play = keepWorking;
    const jobs: Record<string, string> = {
      11: 'api / agent',
      12: 'web / agent',
      21: 'api / agent',
      22: 'web / agent',
    };
    for (const [id, name] of Object.entries(jobs)) {
      github.answers.set(`/repos/acme/widgets/actions/jobs/${id}`, { status: 200, json: { name } });
    }
    const event = { eventName: 'workflow_dispatch', payload: { repository, sender: alice } };
    const job = async (id: number, attempt: number): Promise<string | undefined> => {
      const inputs = {
        prompt: 'Repair it.',
        wait: 'false',
        'check-run-id': String(id),
        'request-key': '0',
      };
      const env = { GITHUB_JOB: 'agent', GITHUB_RUN_ATTEMPT: String(attempt) };
      return (await run(event, { inputs, env })).outputs['run-id'];
    };
    const first = await Promise.all([job(11, 1), job(12, 1)]);
    expect(new Set(first).size).toBe(2);
    expect(await Promise.all([job(21, 2), job(22, 2)])).toEqual(first);
    expect(service.runs).toHaveLength(2);
  });
});

describe('what changes while a job of the Action waits', () => {
  it.each([
    ['deleted', 404, 'Not Found'],
    ['gone with its repository', 410, 'This issue was deleted'],
    ['locked', 403, 'Unable to create comment because issue is locked.'],
    ['one that its token may not write to any more', 403, 'Resource not accessible by integration'],
    ['one that its token, an hour old, is no longer good for', 401, 'Bad credentials'],
  ])(
    'the thread is %s: the run is seen to its end, and the step says so (docs: webhooks, issues; actions/security)',
    async (_, status, message) => {
      const { github, service, run, close } = await startWorld();
      onTestFinished(close);
      const rule: FaultRule = {
        matches: ({ method, path }) => method !== 'GET' && path.includes('/issues/'),
        fault: { kind: 'status', status, message },
        times: Infinity,
      };
      service.play = async (one) => {
        await vi.waitFor(() => expect(github.comments).toHaveLength(1), soon);
        github.faults.push(rule);
        service.change(one, { state: 'INPROGRESS' });
        await service.whenAsked(one);
        end(service, one, 'SUCCEEDED');
      };
      const step = await run(commentEvent('/agent fix it'));
      expect(step).toMatchObject({
        exitCode: 0,
        outputs: { state: 'SUCCEEDED', conclusion: 'success' },
      });
      expect(step.summary).toContain('SUCCEEDED');
      const tries = github.seen.filter((seen) => rule.matches(seen));
      expect(tries.length).toBeLessThan(12);
    },
  );

  it.each([
    ['renamed', 'acme/gadgets'],
    ['transferred', 'elsewhere/widgets'],
  ])(
    'the repository is %s: commands go on with the run, in the same comment (docs: repositories, renaming and transferring)',
    async (_, full_name) => {
      const { github, service, run, close } = await startWorld();
      onTestFinished(close);
      service.play = keepWorking;
      const inputs = { wait: 'false' };
      const env = { GITHUB_REPOSITORY: full_name };
      const say = async (id: number, words: string, about = {}) => {
        const { payload } = commentEvent(words, { comment: { id, node_id: `IC_${id}` }, ...about });
        const moved = { ...(payload as object), repository: { ...repository, full_name } };
        return (await run({ eventName: 'issue_comment', payload: moved }, { inputs, env })).outputs;
      };
      const { outputs } = await run(commentEvent('/agent fix it'), { inputs });
      const [first] = service.runs;
      expect(outputs['run-id']).toBe(first?.run_id);
      expect(await say(601, '/agent and the docs')).toMatchObject({
        'reason-code': 'followed_up',
        'run-id': first?.run_id,
      });
      expect(first?.followups).toEqual([expect.stringMatching(/^and the docs\n/)]);
      expect(await say(602, '/agent cancel')).toMatchObject({ 'reason-code': 'cancel_requested' });
      expect(github.comments.map(({ body }) => body)).toEqual([
        expect.stringContaining('`CANCELLED`'),
      ]);
      // Another thread of the same number is another.
      const issue = { node_id: 'I_other' };
      expect(await say(603, '/agent status', { issue })).toMatchObject({ 'reason-code': 'no_run' });
    },
  );

  it('the issue is moved here from another repository: its text starts nothing (docs: webhooks, issues; transferred)', async () => {
    const { service, run, close } = await startWorld();
    onTestFinished(close);
    service.play = keepWorking;
    const { payload } = commentEvent('/agent fix it');
    const { issue: moved } = payload as { issue: object };
    const event = {
      eventName: 'issues',
      payload: {
        action: 'opened',
        repository,
        issue: { ...moved, node_id: 'I_moved', body: '/agent fix it' },
        changes: { old_issue: moved, old_repository: repository },
        sender: alice,
      },
    };
    expect((await run(event)).outputs['reason-code']).toBe('not_the_authors');
    expect(service.runs).toEqual([]);
  });

  it('the pull request is force-pushed, closed and reopened: its run is told the new head (docs: webhooks, pull_request)', async () => {
    const { github, service, run, close } = await startWorld();
    onTestFinished(close);
    service.play = keepWorking;
    github.addPull({ number: 12 });
    const inputs = { wait: 'false' };
    const say = async (id: number, words: string) => {
      const comment = { id, node_id: `IC_${id}` };
      const event = commentEvent(words, { comment, issue: onPullRequest(github) });
      return (await run(event, { inputs })).outputs['reason-code'];
    };
    expect(await say(701, '/agent fix it')).toBe('started');
    const [first] = service.runs;
    const sha = newSha();
    const pull = github.pulls.find(({ number }) => number === 12);
    Object.assign(pull?.head ?? {}, { sha });
    for (const action of ['synchronize', 'closed', 'reopened']) {
      const pull_request = { ...pull, user: alice };
      const payload = { action, repository, pull_request, sender: alice };
      const step = await run({ eventName: 'pull_request', payload }, { inputs });
      expect([step.exitCode, step.outputs['skipped']]).toEqual([0, 'true']);
    }
    expect(await say(702, '/agent go on')).toBe('followed_up');
    expect(first?.followups[0]).toContain(`Commit: ${sha}`);
    expect(service.runs).toEqual([first]);
    expect(github.checks.map((check) => check['head_sha'])).toContain(sha);
  });

  it('the comment is edited, or another bot answers each of ours: nothing starts once more (docs: webhooks, issue_comment)', async () => {
    const { service, run, close } = await startWorld();
    onTestFinished(close);
    const event = commentEvent('/agent fix it');
    const first = await run(event, { inputs: { wait: 'false' } });
    expect(first.outputs['reason-code']).toBe('started');
    const edited = { ...(event.payload as object), action: 'edited', changes: { body: {} } };
    const bot = { login: 'other[bot]', type: 'Bot' };
    const comment = { id: 777, node_id: 'IC_777', user: bot, body: '/agent fix it' };
    const answered = commentEvent('/agent fix it', { comment });
    for (const next of [
      { ...event, payload: edited },
      { ...answered, payload: { ...(answered.payload as object), sender: bot } },
    ]) {
      const { outputs, exitCode } = await run(next, { inputs: { wait: 'false' } });
      expect([exitCode, outputs['skipped']]).toEqual([0, 'true']);
    }
    expect(service.runs).toHaveLength(1);
  });
});
