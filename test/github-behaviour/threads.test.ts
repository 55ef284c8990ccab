import { Octokit } from '@octokit/core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { askerName } from '../../src/github/read/event.ts';
import { readContext } from '../../src/github/read/context.ts';
import { renderPrompt } from '../../src/github/read/prompt.ts';
import { readEvent } from '../../src/github/read/read-event.ts';
import { openThreads } from '../../src/github/read/review-threads.ts';
import { deservesMention, type Report } from '../../src/github/render/report.ts';
import { alice, commentEvent, startWorld } from '../support/action-world.ts';
import {
  commentOf,
  freshId,
  from,
  issueOf,
  keepWorking,
  pullOf,
  soon,
  startAppWorld,
  type AppWorld,
  type Place,
} from '../support/app-world.ts';
import { startFakeGithub } from '../support/fake-github.ts';
import type { FaultRule } from '../support/fake-http.ts';
import { end, leftFile } from '../support/fake-service.ts';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

async function fake() {
  const github = await startFakeGithub();
  onTestFinished(() => github.close());
  return { github, octokit: new Octokit({ baseUrl: github.url, log }) };
}

function asked(comments: number) {
  const comment = { id: 999_999, created_at: new Date(Date.now() + 60_000).toISOString() };
  const { eventName, payload } = commentEvent('/agent sum up', { issue: { comments }, comment });
  const reading = readEvent(eventName, payload);
  if ('ignored' in reading) throw new Error(reading.ignored);
  return reading.event;
}

describe('the comments of a thread', () => {
  it('are its first and newest ones, and the rest by its number, whatever the payload counts (octokit/webhooks:payload-examples)', async () => {
    const { github, octokit } = await fake();
    for (let n = 1; n <= 207; n += 1) github.addComment(1, 'bob', `remark ${n}`);
    const context = await readContext(octokit, asked(3), { head: undefined, base: undefined });
    const prompt = await renderPrompt(context, { instruction: 'sum up', delimiter: 'D-42' });
    const shown = [...prompt.matchAll(/remark (\d+)/g)].map(([, n]) => Number(n));
    expect(shown).toEqual([1, 2, 3, 4, 5, ...Array.from({ length: 25 }, (_, n) => 183 + n)]);
    expect(prompt).toMatch(
      /remark 5\n\n\(177 other comments are left out\.\)\n\n[^\n]+\nremark 183/,
    );
  });

  it('are all there where the payload leaves the new one out (octokit/webhooks:payload-examples)', async () => {
    const { github, octokit } = await fake();
    github.addComment(1, 'bob', 'the only remark');
    const context = await readContext(octokit, asked(1), { head: undefined, base: undefined });
    expect(context.comments.map(({ body }) => body)).toEqual(['the only remark']);
    expect(context.commentsLeftOut).toBe(0);
  });
});

describe('the review threads of a pull request', () => {
  it('are read to the last page, with the first and the newest comments of each, and bots keep their names (docs: graphql/reference/objects, Bot)', async () => {
    const node = (line: number, author: object, bodies: readonly string[], newest: number) => {
      const nodes = bodies.map((body) => ({ author, body }));
      return {
        isResolved: false,
        path: 'a.ts',
        line,
        first: { nodes: nodes.slice(0, 1) },
        comments: { totalCount: nodes.length, nodes: nodes.slice(-newest) },
      };
    };
    const remarks = Array.from({ length: 120 }, (_, n) => `remark ${n + 1}`);
    const pages = (newest: number) => [
      {
        pageInfo: { hasNextPage: true, endCursor: 'next' },
        nodes: [node(1, { kind: 'Bot', login: 'renovate' }, ['Fix it'], newest)],
      },
      {
        pageInfo: { hasNextPage: false, endCursor: null },
        nodes: [node(2, { kind: 'User', login: 'bob' }, remarks, newest)],
      },
    ];
    const fetch = async (_: string, init: { body: string }): Promise<Response> => {
      const { query, variables } = JSON.parse(init.body) as {
        query: string;
        variables: { after?: string; newest: number };
      };
      expect(query).toMatch(/first: comments\(first: 1\)[\s\S]*comments\(last: \$newest\)/);
      const page = pages(variables.newest)[variables.after === 'next' ? 1 : 0];
      return Response.json({ data: { repository: { pullRequest: { reviewThreads: page } } } });
    };
    const github = new Octokit({ request: { fetch }, log });
    const threads = await openThreads(github, {
      owner: 'acme',
      name: 'widgets',
      number: 1,
      newest: 3,
    });
    expect(threads.map(({ comments }) => comments[0]?.author)).toEqual(['renovate[bot]', 'bob']);
    const pinned = { head: undefined, base: undefined };
    const context = { ...(await readContext(undefined, asked(0), pinned)), reviewThreads: threads };
    const prompt = await renderPrompt(context, { instruction: 'fix', delimiter: 'D-42' });
    expect(prompt).toContain('line 1\nrenovate[bot]: Fix it\n\n');
    expect(prompt).toContain(
      'bob: remark 1\n(116 other comments are left out.)\nbob: remark 118\nbob: remark 119\nbob: remark 120\n',
    );
  });
});

describe('review threads that GraphQL refuses', () => {
  const refusal = {
    data: { repository: { pullRequest: null } },
    errors: [{ type: 'FORBIDDEN', message: 'Resource not accessible by integration' }],
  };

  it('are told as the permission that is missing (docs: graphql, errors come with status 200)', async () => {
    const { github, service, run, close } = await startWorld();
    onTestFinished(close);
    github.addPull({ number: 12 });
    github.answers.set('/graphql', { status: 200, json: refusal });
    const [{ message } = {}] = refusal.errors;
    for (const rest of ['', '/comments']) {
      const path = `/repos/acme/widgets/pulls/12/reviews/9${rest}`;
      github.answers.set(path, { status: 403, json: { message } });
    }
    const repo = { full_name: 'acme/widgets' };
    const pull = {
      number: 12,
      node_id: 'PR_12',
      html_url: `${github.url}/acme/widgets/pull/12`,
      title: 'Fix the login test',
      user: alice,
      head: { ref: 'topic', sha: 'a'.repeat(40), repo },
      base: { ref: 'main', sha: 'b'.repeat(40), repo },
    };
    const { payload } = commentEvent('/agent fix it', {
      comment: {
        path: 'a.ts',
        line: 1,
        diff_hunk: '@@ -1 +1 @@\n+x',
        pull_request_review_id: 9,
      },
    });
    const step = await run(
      {
        eventName: 'pull_request_review_comment',
        payload: { ...(payload as object), issue: undefined, pull_request: pull },
      },
      { inputs: { wait: 'false' } },
    );
    expect(step.outputs['reason-code']).toBe('started');
    expect(service.runs[0]?.prompt).toContain(
      'the review threads (Resource not accessible by integration)',
    );
    expect(step.stdout).toMatch(
      /::warning::The run is not told the review threads: GitHub: Resource not accessible by integration\..*`permissions`/,
    );
  });

  it('one by one are left out alone (docs: graphql, nullable nodes)', async () => {
    const nodes = [null, { isResolved: false, path: 'a.ts', comments: { nodes: [] } }];
    const answer = { data: { repository: { pullRequest: { reviewThreads: { nodes } } } } };
    const fetch = async (): Promise<Response> =>
      Response.json({ ...answer, errors: refusal.errors });
    const github = new Octokit({ request: { fetch }, log });
    const place = { owner: 'acme', name: 'widgets', number: 1, newest: 1 };
    expect(await openThreads(github, place)).toMatchObject([{ path: 'a.ts' }]);
  });
});

describe('a bot that asked', () => {
  it('is never called by a name that may be somebody else’s (docs: apps, bot users)', () => {
    const report = (requester: string): Report => ({
      run: { run_id: 'r-1', state: 'BLOCKED' },
      thread: 'acme/widgets#1',
      requester,
      pullRequests: [],
      finalMessage: undefined,
      unwatched: false,
      notes: [],
      phrase: '/agent',
      now: new Date(),
    });
    expect(deservesMention(report('dependabot[bot]'))).toBe(false);
    expect(deservesMention(report('alice'))).toBe(true);
    const copilot = { actor: { login: 'Copilot', type: 'Bot' } } as const;
    expect(deservesMention(report(askerName(copilot) ?? ''))).toBe(false);
  });
});

let world: AppWorld;
beforeAll(async () => {
  world = await startAppWorld({ settings: { againEveryMs: 200 } });
  world.service.play = keepWorking;
});
afterAll(() => world.close());

const SHA = 'c'.repeat(40);

function openPull(): Place {
  const place = world.place();
  const repo = { full_name: place.repository };
  const html_url = `https://github.example/${place.repository}/pull/${place.number}`;
  const head = { ref: 'topic', sha: SHA, repo };
  world.github.addPull({ number: place.number, html_url, head, base: { ref: 'main', repo } });
  return place;
}

/** Submits a review with so many inline commands, told by GitHub from the last to the first. */
async function submitReview(place: Place, parts: number, text?: string) {
  const id = freshId();
  const ids = Array.from({ length: parts }, () => freshId());
  const comments = ids.map((comment, at) => ({
    ...commentOf(place, `/agent mend the part${at + 1}`, { login: 'alice' }, comment),
    pull_request_review_id: id,
    path: `src/part${at + 1}.ts`,
    line: at + 1,
    diff_hunk: `+part${at + 1} hunk`,
  }));
  const path = `/repos/${place.repository}/pulls/${place.number}/reviews/${id}/comments`;
  world.github.answers.set(path, { status: 200, json: comments });
  const review = { id, node_id: `PRR_${id}`, body: text, user: { login: 'alice' } };
  world.github.answers.set(path.replace('/comments', ''), { status: 200, json: review });
  const pull_request = pullOf(place, SHA);
  const whole = { ...from(place, 'submitted'), pull_request, review };
  const events = [
    ...comments.toReversed().map((comment) => {
      const payload = { ...from(place, 'created'), pull_request, comment };
      return ['pull_request_review_comment', payload] as const;
    }),
    ...(text === undefined ? [] : [['pull_request_review', whole] as const]),
  ];
  const reasons = await Promise.all(
    events.map(async ([name, payload], at) => {
      const guid = `review-${id}-${at}`;
      await world.send(name, payload, guid);
      return world.reasonOf({ guid });
    }),
  );
  return { id, ids, reasons: reasons.toSorted() };
}

const repliesTo = (ids: readonly number[]): number =>
  world.github.replies.filter(({ to }) => ids.includes(to)).length;

const writesOn = ({ repository }: Place): number =>
  world.github.seen.filter(
    ({ method, path }) => method !== 'GET' && path.startsWith(`/repos/${repository}/`),
  ).length;

describe('one review with several inline commands', () => {
  it('is one run that has its parts in order, and one comment, were they twenty (docs: webhooks, pull_request_review_comment)', async () => {
    const place = openPull();
    const { id, ids, reasons } = await submitReview(place, 20);
    expect(reasons).toEqual([...Array(19).fill('duplicate_request'), 'started']);
    const run = await world.runOf(place);
    expect(run.metadata['runlink.request']).toBe(`review:${id}`);
    expect(run.prompt).toMatch(
      /^1\. mend the part1\n\n2\. mend the part2\n\n[\s\S]*\n20\. mend the part20\n[\s\S]*part 1: src\/part1\.ts line 1[\s\S]*part 20: src\/part20\.ts line 20/,
    );
    await vi.waitFor(() => expect(repliesTo(ids)).toBe(1), soon);
    // The comment, the check, and a reaction.
    expect(writesOn(place)).toBeLessThanOrEqual(6);
  });

  it('has the command of its text in the same run (docs: webhooks, pull_request_review)', async () => {
    const place = openPull();
    const { id, reasons } = await submitReview(place, 1, '/agent mind the style');
    expect(reasons).toEqual(['duplicate_request', 'started']);
    const { prompt, metadata } = await world.runOf(place);
    expect(metadata['runlink.request']).toBe(`review:${id}`);
    expect(prompt).toMatch(/^1\. mind the style\n\n2\. mend the part1\n[^]*part 2: src\/part1/);
  });

  it('comes with five others at once: one run, which hears each review once, and one comment each (docs: webhooks, pull_request_review_comment)', async () => {
    const place = openPull();
    const reviews = await Promise.all(Array.from({ length: 6 }, () => submitReview(place, 4)));
    const reasons = reviews.flatMap(({ reasons: all }) => all).toSorted();
    expect(reasons).toEqual([
      ...Array(18).fill('duplicate_request'),
      ...Array(5).fill('followed_up'),
      'started',
    ]);
    const run = await world.runOf(place);
    expect(world.runsOf(place)).toEqual([run]);
    expect(run.followups).toHaveLength(5);
    for (const told of [run.prompt, ...run.followups])
      expect(told).toMatch(/1\. mend the part1\n\n2\. [\s\S]*\n4\. mend the part4\n/);
    for (const { ids } of reviews) await vi.waitFor(() => expect(repliesTo(ids)).toBe(1), soon);
    expect(writesOn(place)).toBeLessThanOrEqual(2 * 6 + 6);
  });
});

describe('several commands on one thread', () => {
  it('cost two writes each beside the run’s one comment (docs: using-the-rest-api/rate-limits)', async () => {
    const place = world.place();
    const said: { guid: string; id: number }[] = [];
    for (const part of ['one', 'two', 'three']) said.push(await world.say(place, `/agent ${part}`));
    for (const each of said) await world.reasonOf(each);
    const seen = (): string[][] => said.map(({ id }) => world.reactionsOn(id));
    await vi.waitFor(() => expect(seen()).toEqual([['eyes'], ['eyes'], ['eyes']]), soon);
    end(world.service, await world.runOf(place), 'SUCCEEDED');
    const both = ['eyes', 'rocket'];
    await vi.waitFor(() => {
      expect(seen()).toEqual([both, both, ['rocket']]);
      expect(world.bodiesOn(place)[0]).toContain('`SUCCEEDED`');
    }, soon);
    const edits = ({ method }: { method: string }): boolean => method !== 'PATCH';
    const writes = world.github.seen
      .filter(({ path }) => path.startsWith(`/repos/${place.repository}/`))
      .filter(({ method }) => method !== 'GET');
    expect(writes.filter(edits)).toHaveLength(3 * 2 + 1 + 1);
  });
});

describe('a limit of GitHub', () => {
  it.each([
    ['comments', '/comments'],
    ['images', ''],
  ])(
    'while a request’s %s are read costs the App’s run time and no context (docs: using-the-rest-api/rate-limits)',
    async (_, of) => {
      const place = world.place();
      const read = `/repos/${place.repository}/issues/${place.number}${of}`;
      const rule: FaultRule = {
        matches: ({ method, path }) => method === 'GET' && path === read,
        fault: { kind: 'status', status: 429, headers: { 'retry-after': '1' } },
        times: 1,
      };
      world.github.faults.push(rule);
      const issue = issueOf(place, { comments: 2, body: '![it](https://x.example/i.png)' });
      const sent = await world.say(place, '/agent sum up', undefined, { issue });
      expect(await world.reasonOf(sent)).toBe('started');
      expect(rule.times).toBe(0);
      const tries = world.github.seen.filter(({ path }) => path === read);
      expect(tries.length).toBeGreaterThan(1);
      const { prompt } = await world.runOf(place);
      expect(prompt).toContain('sum up');
      expect(prompt).not.toContain('the thread’s comments (');
      expect(world.runsOf(place)).toHaveLength(1);
    },
  );

  it('while what a run left is read costs the App’s review time, not until the next sweep (docs: using-the-rest-api/rate-limits)', async () => {
    const { github, service } = world;
    const place = openPull();
    const issue = issueOf(place, { pull_request: { url: 'x' } });
    await world.reasonOf(await world.say(place, '/agent review', undefined, { issue }));
    const run = await world.runOf(place);
    const rule: FaultRule = {
      matches: ({ path }) => path.startsWith(`/repos/${place.repository}/contents/`),
      fault: { kind: 'status', status: 429, headers: { 'retry-after': '1' } },
      times: 1,
    };
    github.faults.push(rule);
    const left = leftFile(service, 'review.json', JSON.stringify({ summary: 'So so.' }));
    end(service, run, 'SUCCEEDED', { artifacts: [left] });
    const posted = () => github.reviews.filter(({ pull }) => pull === place.number);
    await vi.waitFor(() => expect(posted()).toHaveLength(1), soon);
    expect(rule.times).toBe(0);
  });
});
