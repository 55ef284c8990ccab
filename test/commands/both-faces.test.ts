import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { commentEvent, startWorld, type ActionWorld } from '../support/action-world.ts';
import { freshId, issueOf, soon, startAppWorld, type AppWorld } from '../support/app-world.ts';
import type { FakeGithub } from '../support/fake-github-shape.ts';
import { end, type FakeRun, type FakeService } from '../support/fake-service.ts';
import { ownHead } from '../support/own-branch.ts';

/** One thread of one face, as a person on GitHub sees it. */
interface Door {
  github: FakeGithub;
  service: FakeService;
  /** `owner/name`. */
  repository: string;
  number: number;
  /** Writes a comment; answers the reason code of what became of it. */
  say: (body: string, inputs?: { wait: string }) => Promise<string>;
  /** Bodies of our comments on the thread, once so many are there. */
  comments: (count: number) => Promise<string[]>;
  runs: () => FakeRun[];
}

let app: AppWorld;
let action: ActionWorld;
beforeAll(async () => {
  [app, action] = await Promise.all([startAppWorld(), startWorld()]);
});
afterAll(async () => {
  await Promise.all([app.close(), action.close()]);
});

type OpenDoor = (isPull?: boolean, closesIssue?: boolean) => Door;

const FACES: [face: string, open: OpenDoor][] = [
  ['the App', openApp],
  ['the Action', openAction],
];

function openApp(isPull = false, closesIssue = false): Door {
  const place = app.place(closesIssue ? 'closes-issue: true\n' : undefined);
  const { repository, number } = place;
  const kind = isPull ? 'pull' : 'issues';
  const html_url = `${app.github.url}/${repository}/${kind}/${number}`;
  const issue = issueOf(place, { html_url, ...(isPull && { pull_request: { url: 'x' } }) });
  return {
    ...app,
    repository,
    number,
    say: async (body) => app.reasonOf(await app.say(place, body, undefined, { issue })),
    comments: async (count) => shown(app.github, number, count),
    runs: () => app.runsOf(place),
  };
}

function openAction(isPull = false, closesIssue = false): Door {
  const repository = `acme/a${freshId()}`;
  const number = freshId();
  const kind = isPull ? 'pull' : 'issues';
  const html_url = `${action.github.url}/${repository}/${kind}/${number}`;
  const issue = { number, html_url, node_id: `I_${number}`, ...(isPull && { pull_request: {} }) };
  return {
    ...action,
    repository,
    number,
    say: async (body, inputs = { wait: 'false' }) => {
      const id = freshId();
      const event = commentEvent(body, { issue, comment: { id, node_id: `IC_${id}` } });
      const payload = { ...(event.payload as object), repository: { full_name: repository } };
      const step = await action.run(
        { ...event, payload },
        {
          inputs: { ...inputs, 'closes-issue': String(closesIssue) },
          env: { GITHUB_REPOSITORY: repository },
        },
      );
      return step.outputs['reason-code'] ?? '';
    },
    comments: async (count) => shown(action.github, number, count),
    runs: () =>
      action.service.runs.filter((run) => run.metadata['runlink.repository'] === repository),
  };
}

function shown(github: FakeGithub, number: number, count: number): Promise<string[]> {
  return vi.waitFor(() => {
    const bodies = github.comments
      .filter(({ issue, user }) => issue === number && user.login === github.login)
      .map(({ body }) => body);
    expect(bodies).toHaveLength(count);
    return bodies;
  }, soon);
}

/** A run that somebody started on this thread long ago, in a way that neither face remembers. */
function runOfLongAgo({ service, repository, number }: Door, state: string): FakeRun {
  const created_at = '2025-01-01T00:00:00Z';
  const id = `00000000-0000-4000-8000-${String(freshId()).padStart(12, '0')}`;
  const metadata = {
    'runlink.thread': `${repository}#${number}`,
    'runlink.repository': repository,
  };
  const run: FakeRun = {
    run_id: id,
    task_id: id,
    state,
    prompt: 'Long ago',
    title: 'Long ago',
    created_at,
    updated_at: created_at,
    started_at: created_at,
    finished_at: null,
    metadata,
    agent_config: {},
    artifacts: [],
    followups: [],
    words: '',
  };
  service.runs.push(run);
  return run;
}

describe.each(FACES)('%s', (_, open) => {
  it('retries the same request with all its options, under a new id', async () => {
    const door = open();

    const words = '/agent --model fast --skill acme/skills:review/SKILL.md fix it';
    expect(await door.say(words)).toBe('started');
    const [first] = door.runs();
    if (!first) throw new Error('no run');
    Object.assign(first, { agent_skill: { full_path: 'acme/skills:review/SKILL.md' } });
    end(door.service, first, 'SUCCEEDED');
    expect(await door.say('/agent retry')).toBe('started');
    const [one, other] = door.runs().map((run) => run['request'] as Record<string, unknown>);
    const id = (body: unknown): unknown =>
      (body as { metadata: Record<string, string> }).metadata['runlink.request'];
    for (const field of ['prompt', 'title', 'config', 'skill', 'agent_identity_uid']) {
      expect([field, other?.[field]]).toEqual([field, one?.[field]]);
    }
    expect(one).toMatchObject({
      config: { model_id: 'fast' },
      skill: 'acme/skills:review/SKILL.md',
    });
    expect(id(other)).not.toBe(id(one));
  });

  it('finds the run of a thread however old it is', async () => {
    const door = open();
    const run = runOfLongAgo(door, 'INPROGRESS');
    expect(await door.say('/agent and the docs')).toBe('followed_up');
    expect([run.followups.length, door.runs().length]).toEqual([1, 1]);
  });

  it('finds the run of its pull request, however old, before one by metadata', async () => {
    const door = open(true);
    const { github, service, repository, number } = door;
    const run = runOfLongAgo({ ...door, number: freshId() }, 'INPROGRESS');
    const html_url = `${github.url}/${repository}/pull/${number}`;
    const base = { ref: 'main', repo: { full_name: repository } };
    github.addPull({ number, html_url, head: ownHead(run, repository), base });
    service.references.push({ url: html_url, run_id: run.run_id });
    expect(await door.say('/agent and the docs')).toBe('followed_up');
    expect(run.followups).toHaveLength(1);
  });

  it('says where work on a pull request begins and where its commits go', async () => {
    const door = open(true);
    const { github, repository, number } = door;
    const sha = 'c'.repeat(40);
    const repo = { full_name: repository };
    const html_url = `${github.url}/${repository}/pull/${number}`;
    const base = { ref: 'main', repo };
    github.addPull({ number, html_url, head: { ref: 'topic', sha, repo }, base });
    const place = {
      'runlink.pull_request': String(number),
      'runlink.head_ref': 'topic',
      'runlink.sha': sha,
    };
    expect(await door.say('/agent address the review')).toBe('started');
    expect(await door.say('/agent new --stack rewrite it')).toBe('started');
    const [pushed, stacked] = door.runs();
    expect(pushed?.metadata).toMatchObject(place);
    expect(pushed?.metadata).not.toHaveProperty(['runlink.on_pull_request']);
    expect(pushed?.prompt).toContain('Your commits belong on the branch of this pull request');
    expect(stacked?.metadata).toMatchObject({ ...place, 'runlink.on_pull_request': 'stack' });
    expect(stacked?.prompt).toContain('with a pull request onto the branch of this one');
  });

  it('names the issue that its pull request is to close, only where that is wished', async () => {
    const [wished, plain] = [open(false, true), open()];
    for (const door of [wished, plain]) expect(await door.say('/agent fix it')).toBe('started');
    expect(wished.runs()[0]?.metadata).toMatchObject({ 'runlink.closes': String(wished.number) });
    expect(plain.runs()[0]?.metadata).not.toHaveProperty(['runlink.closes']);
  });

  it('says of a run that is gone that it vanished', async () => {
    const door = open();
    const run = runOfLongAgo(door, 'INPROGRESS');
    door.service.faults.push({
      matches: ({ path }) => path.includes(run.run_id),
      fault: { kind: 'status', status: 404 },
      times: 10,
    });
    expect(await door.say('/agent cancel')).toBe('run_vanished');
    expect((await door.comments(1)).join()).toContain(
      'Nothing was done: the service no longer knows the run.',
    );
  });

  it('refuses what comes to nothing in one text', async () => {
    const door = open();
    expect(await door.say('/agent cancel')).toBe('no_run');
    expect((await door.comments(1)).join()).toContain(
      'Nothing was done: there is no run on this thread.',
    );
  });

  it('writes its one comment once, also when the answer to that was lost', async () => {
    const door = open();
    door.github.faults.push({
      matches: ({ method, path }) =>
        method === 'POST' && path === `/repos/${door.repository}/issues/${door.number}/comments`,
      fault: { kind: 'reset' },
      times: 1,
      effective: true,
    });
    expect(await door.say('/agent fix it')).toBe('started');
    const [run] = door.runs();
    const [body] = await door.comments(1);
    expect(body).toContain(run?.run_id);
  });

  it('reports a pull request of the run as its github_pull_request', async () => {
    const door = open();
    const { github, service, repository } = door;
    service.play = undefined;
    const number = freshId();
    const html_url = `${github.url}/${repository}/pull/${number}`;
    const asked = door.say('/agent fix it', { wait: 'true' });
    const run = await vi.waitFor(() => {
      const [first] = door.runs();
      if (!first) throw new Error('no run');
      return first;
    }, soon);
    const base = { ref: 'main', repo: { full_name: repository } };
    github.addPull({ number, html_url, head: ownHead(run, repository), base });
    end(service, run, 'SUCCEEDED', {
      artifacts: [
        { artifact_type: 'PULL_REQUEST', created_at: run.created_at, data: { url: html_url } },
      ],
    });
    await asked;
    const reported = await vi.waitFor(() => {
      const found = service.seen.find(
        ({ path, body }) =>
          path.endsWith('/report-artifact') && JSON.stringify(body).includes(html_url),
      );
      if (!found) throw new Error('not reported');
      return found.body;
    }, soon);
    expect(reported).toMatchObject({
      artifact_type: 'EXTERNAL_REFERENCE',
      data: { reference_type: 'github_pull_request', url: html_url },
    });
  });
});
