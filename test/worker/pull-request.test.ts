import { randomUUID } from 'node:crypto';
import { Octokit } from '@octokit/rest';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pullOf } from '../../src/contract/repeat-run.ts';
import type { Lease } from '../../src/contract/lease.ts';
import type { FakeStep } from '../support/fake-agent.ts';
import { pushFile, standInOfFile } from '../support/standin.ts';
import { openBench, type Bench } from '../support/worker-bench.ts';
import type { ServedRun } from '../support/worker-protocol.ts';

const LONG = process.env['RUNLINK_TEST_LONG'] !== undefined;
const github = await standInOfFile();
const { owner, name: repo } = github.repository;
const octocat = new Octokit({ baseUrl: github.apiUrl, auth: github.maintainer.token });
const token = github.maintainer.token;

interface Pull {
  branch: string;
  sha: string;
  number: number;
}

/** A pull request of somebody's, with one file. */
async function openPull(base = 'main'): Promise<Pull> {
  const branch = `feature/${randomUUID().slice(0, 8)}`;
  const sha = await pushFile(github, { branch, file: 'notes.txt', content: 'one\n', token });
  const { data } = await octocat.pulls.create({ owner, repo, head: branch, base, title: branch });
  return { branch, sha, number: data.number };
}

const about = ({ branch, sha, number }: Pull): Record<string, string> => ({
  'runlink.repository': `${owner}/${repo}`,
  'runlink.pull_request': String(number),
  'runlink.head_ref': branch,
  'runlink.sha': sha,
});

/** A worker that has these steps done on a pull request. */
async function work(
  metadata: Record<string, string>,
  steps: FakeStep[],
  change: Partial<Lease> = {},
  bench?: Bench,
): Promise<{ run: ServedRun; bench: Bench }> {
  const world = bench ?? (await openBench());
  if (!bench) await world.start();
  const { environment } = world.lease({}, github.repository.cloneUrl);
  const repositories = [{ owner, name: repo, clone_url: github.repository.cloneUrl }];
  const run = world.fake([...steps, { say: 'Done.' }], {
    metadata,
    ...(environment && { environment: { ...environment, repositories } }),
    git: { token, api_url: github.apiUrl, author: { name: 'bot', email: 'bot@example.com' } },
    ...change,
  });
  await world.ended(run);
  return { run, bench: world };
}

async function headOf(branch: string): Promise<string> {
  return (await octocat.git.getRef({ owner, repo, ref: `heads/${branch}` })).data.object.sha;
}

async function fileOn(ref: string, path: string): Promise<string> {
  const { data } = await octocat.repos.getContent({ owner, repo, path, ref });
  return 'content' in data ? Buffer.from(data.content, 'base64').toString() : '';
}

async function pullsOnto(base: string): Promise<{ head: string; body: string }[]> {
  const { data } = await octocat.pulls.list({ owner, repo, base });
  return data.map((pull) => ({ head: pull.head.ref, body: pull.body ?? '' }));
}

const addLine = (file: string, line: string): FakeStep => ({ shell: `echo ${line} >> ${file}` });
const COMMIT: FakeStep = { shell: 'git add -A && git commit -qm "By the agent"' };

describe('work on somebody’s pull request', () => {
  it('goes onto its branch, from the commit that was read, and a follow-up goes there too; no other is opened', async () => {
    const pull = await openPull();
    const { run, bench } = await work(about(pull), [addLine('notes.txt', 'two'), COMMIT]);
    expect(run.completed).toMatchObject([{ state: 'SUCCEEDED', branch: pull.branch }]);
    expect(await fileOn(pull.branch, 'notes.txt')).toBe('one\ntwo\n');
    const head = await headOf(pull.branch);
    const { data: commit } = await octocat.git.getCommit({ owner, repo, commit_sha: head });
    expect(commit.parents.map(({ sha }) => sha)).toEqual([pull.sha]);
    expect(commit.message).toContain(`Run: ${run.lease.session_link}`);
    const again = { run_id: run.lease.run_id, attempt: 2, resume: { branch: pull.branch } };
    const next = await work(about(pull), [addLine('notes.txt', 'three'), COMMIT], again, bench);
    expect(next.run.completed).toMatchObject([{ state: 'SUCCEEDED' }]);
    expect(await fileOn(pull.branch, 'notes.txt')).toBe('one\ntwo\nthree\n');
    expect(await pullsOnto(pull.branch)).toEqual([]);
    expect((await pullsOnto('main')).map(({ head: ref }) => ref)).not.toContain(/^runlink/);
    expect(run.artifacts).toEqual([]);
  });

  it('is put on top of what was pushed meanwhile where that fits, and never rewrites it', async () => {
    const pull = await openPull();
    const theirs = await pushFile(github, { ...pull, file: 'b.txt', content: 'theirs', token });
    const steps = [addLine('notes.txt', 'two'), COMMIT, addLine('more.txt', 'uncommitted')];
    // Asked for by "Fix this" below a finding of a run that read the commit before.
    const metadata = pullOf({ metadata: about(pull) });
    const { run } = await work(metadata ?? {}, steps);
    expect(run.completed).toMatchObject([{ state: 'SUCCEEDED' }]);
    expect(await fileOn(pull.branch, 'notes.txt')).toBe('one\ntwo\n');
    expect(await fileOn(pull.branch, 'more.txt')).toBe('uncommitted\n');
    const { data } = await octocat.repos.compareCommits({
      owner,
      repo,
      base: theirs,
      head: pull.branch,
    });
    expect(data).toMatchObject({ status: 'ahead', ahead_by: 2, behind_by: 0 });
  });

  it('that no longer fits ends the run with conflict, and its commits stand on a branch of the run', async () => {
    const pull = await openPull();
    const theirs = await pushFile(github, {
      ...pull,
      file: 'notes.txt',
      content: 'theirs\n',
      token,
    });
    const { run } = await work(about(pull), [addLine('notes.txt', 'two'), COMMIT]);
    expect(run.completed).toMatchObject([{ state: 'FAILED', error_code: 'conflict' }]);
    const branch = /branch (runlink\/\S+)\./.exec(run.completed[0]?.message ?? '')?.[1] ?? '';
    expect(await fileOn(branch, 'notes.txt')).toBe('one\ntwo\n');
    expect(await headOf(pull.branch)).toBe(theirs);
    expect(await pullsOnto(pull.branch)).toEqual([]);
  });

  // Below it is stacked for want of a right.
  it.runIf(LONG)(
    'is stacked on it where that is wanted, linked to it, and from then on',
    async () => {
      const pull = await openPull();
      const metadata = { ...about(pull), 'runlink.on_pull_request': 'stack' };
      const { run } = await work(metadata, [addLine('notes.txt', 'two'), COMMIT]);
      expect(run.completed).toMatchObject([{ state: 'SUCCEEDED' }]);
      expect(await headOf(pull.branch)).toBe(pull.sha);
      const [stacked] = await pullsOnto(pull.branch);
      expect(stacked?.head).toMatch(/^runlink\//);
      expect(stacked?.body).toContain(`Builds on #${pull.number}.`);
    },
  );

  it.each(['protected', ...(LONG ? ['protected by what GitHub says only at the push'] : [])])(
    'whose branch is %s is stacked',
    async (how) => {
      const pull = await openPull();
      const bench = await openBench();
      const hidden = new Octokit({ baseUrl: github.apiUrl, auth: token });
      hidden.hook.after('request', (response, { url }) => {
        if (url.endsWith('/branches/{branch}')) response.data.protected = false;
      });
      await bench.start(how === 'protected' ? {} : { github: async () => hidden });
      await github.protectBranch(pull.branch);
      const steps = [addLine('notes.txt', 'two'), COMMIT];
      const { run } = await work(about(pull), steps, {}, bench);
      expect(run.completed).toMatchObject([{ state: 'SUCCEEDED' }]);
      expect(await headOf(pull.branch)).toBe(pull.sha);
      expect(await pullsOnto(pull.branch)).toMatchObject([{ body: expect.any(String) }]);
    },
  );

  it('of a fork begins at the commit that was named, on a branch here, with a pull request into the same base', async () => {
    const pull = await openPull();
    const { bench, metadata } = await asFork(pull);
    // GitHub wants to wait, and the answer to the new pull request is lost.
    onTestFinished(() => github.faults.clear());
    const limit = { kind: 'secondary-limit', retryAfterSeconds: 1 } as const;
    github.faults.arm(limit, new RegExp(`^GET \\S+/pulls/${pull.number}$`), 1);
    github.faults.arm({ kind: 'lost' }, /^POST \S+\/pulls$/, 1);
    const { run } = await work(metadata, [addLine('notes.txt', 'two'), COMMIT], {}, bench);
    expect(run.completed).toMatchObject([{ state: 'SUCCEEDED' }]);
    const ours = (await pullsOnto('main')).find(({ head }) => head === run.completed[0]?.branch);
    expect(ours?.body).toContain(`Builds on #${pull.number}.`);
    expect(await fileOn(ours?.head ?? '', 'notes.txt')).toBe('one\ntwo\n');
    expect(await headOf(pull.branch)).toBe(pull.sha);
  });

  it('of a fork that changes workflows is refused before the agent begins (threats.md G6)', async () => {
    const pull = await openPull();
    const sha = await pushFile(github, {
      ...pull,
      file: '.github/workflows/ci.yml',
      content: 'on: push',
      token,
    });
    const { bench, metadata } = await asFork({ ...pull, sha });
    const { run } = await work(metadata, [COMMIT], {}, bench);
    expect(run.completed).toMatchObject([{ state: 'FAILED', error_code: 'not_authorized' }]);
    expect(run.events.map(({ type }) => type)).not.toContain('message');
  });
});

describe('metadata that somebody wrote himself', () => {
  it('leads to no branch but the head of that pull request (threats.md G20)', async () => {
    const [pull, other] = [await openPull(), await openPull()];
    const claimed = { ...about(pull), 'runlink.head_ref': other.branch };
    const { run, bench } = await work(claimed, [addLine('notes.txt', 'two'), COMMIT]);
    expect(run.completed).toMatchObject([{ state: 'FAILED', error_code: 'conflict' }]);
    expect(await headOf(other.branch)).toBe(other.sha);
    if (!LONG) return;
    const main = { ...about(pull), 'runlink.head_ref': 'main' };
    const onMain = await work(main, [addLine('notes.txt', 'two'), COMMIT], {}, bench);
    expect(onMain.run.completed).toMatchObject([{ state: 'FAILED', error_code: 'conflict' }]);
  });

  it('of another repository, or of a closed pull request, makes a pull request of the run’s own', async () => {
    const pull = await openPull();
    const elsewhere = { ...about(pull), 'runlink.repository': 'acme/others' };
    const steps = [addLine('more.txt', 'two'), COMMIT];
    const { run, bench } = await work(elsewhere, steps);
    await octocat.pulls.update({ owner, repo, pull_number: pull.number, state: 'closed' });
    const closed = await work(about(pull), steps, {}, bench);
    for (const { completed } of [run, closed.run])
      expect(completed).toMatchObject([
        { state: 'SUCCEEDED', branch: expect.stringMatching(/^runlink/) },
      ]);
    expect(await headOf(pull.branch)).toBe(pull.sha);
  });

  it('never reaches the default branch, also where it is a pull request’s own', async () => {
    await octocat.git.createRef({
      owner,
      repo,
      ref: 'refs/heads/release',
      sha: await headOf('main'),
    });
    const sha = await pushFile(github, { branch: 'main', file: 'new.txt', content: '1\n', token });
    const { data } = await octocat.pulls.create({
      owner,
      repo,
      head: 'main',
      base: 'release',
      title: 'Release',
    });
    const pull = { branch: 'main', sha, number: data.number };
    const { run } = await work(about(pull), [addLine('new.txt', 'two'), COMMIT]);
    expect(run.completed).toMatchObject([{ state: 'SUCCEEDED' }]);
    expect(await headOf('main')).toBe(sha);
  });
});

describe('a pull request that is closed, and its branch deleted, while the agent works', () => {
  it('gets no commits any more: they go into a pull request of their own', async () => {
    const pull = await openPull();
    const bench = await openBench();
    const asked = new Octokit({ baseUrl: github.apiUrl, auth: token });
    let looks = 0;
    asked.hook.before('request', async ({ method, url }) => {
      if (method !== 'GET' || !url.endsWith('/pulls/{pull_number}')) return;
      looks += 1;
      // The second look is the one before the push.
      if (looks !== 2) return;
      await octocat.pulls.update({ owner, repo, pull_number: pull.number, state: 'closed' });
      await octocat.git.deleteRef({ owner, repo, ref: `heads/${pull.branch}` });
    });
    await bench.start({ github: async () => asked });
    const { run } = await work(about(pull), [addLine('after.txt', 'two'), COMMIT], {}, bench);
    expect(run.completed).toMatchObject([{ state: 'SUCCEEDED' }]);
    const own = (await pullsOnto('main')).find(({ body }) => body.includes(run.lease.run_id));
    expect(own?.head).toMatch(/^runlink\//);
    expect(await fileOn(own?.head ?? '', 'after.txt')).toBe('two\n');
  });
});

/** GitHub says of this pull request that its branch is of a fork. */
async function asFork(pull: Pull): Promise<{ bench: Bench; metadata: Record<string, string> }> {
  const bench = await openBench();
  const asked = new Octokit({ baseUrl: github.apiUrl, auth: token });
  asked.hook.after('request', (response) => {
    if (response.data.number === pull.number)
      response.data.head.repo.full_name = 'passer-by/widgets';
  });
  await bench.start({ github: async () => asked });
  return { bench, metadata: about(pull) };
}
