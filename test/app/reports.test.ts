import { describe, expect, it, vi } from 'vitest';
import { readCommands } from '../../src/github/decide/command.ts';
import {
  BOT,
  SECRETS,
  freshId,
  from,
  issueOf,
  pullOf,
  soon,
  worldOfFile,
  type Place,
} from '../support/app-world.ts';
import { end } from '../support/fake-service.ts';
import { ownHead } from '../support/own-branch.ts';
import { addPull, askOnPull, checksOf, newSha } from '../support/pull-scene.ts';

const world = await worldOfFile();

function writesTo(place: Place): string[] {
  return world.github.seen
    .filter(({ method, path }) => method !== 'GET' && path.includes(`/${place.repository}/`))
    .map(({ method, path, body }) => `${method} ${path} ${JSON.stringify(body)}`);
}

describe.concurrent('a run that ends', () => {
  it.each([
    ['SUCCEEDED', 'success', 'rocket'],
    ['FAILED', 'failure', '-1'],
    ['ERROR', 'failure', '-1'],
    ['BLOCKED', 'neutral', 'confused'],
    ['CANCELLED', 'cancelled', 'confused'],
  ])('%s makes its check %s and takes 👀 back for %s', async (state, conclusion, reaction) => {
    const { place, sha, said, run } = await askOnPull(world);
    await vi.waitFor(() => {
      expect(checksOf(world, run)).toMatchObject([{ status: 'in_progress', head_sha: sha }]);
      expect(world.reactionsOn(said.id)).toEqual(['eyes']);
      expect(world.bodiesOn(place).join()).toContain('/agent cancel');
    }, soon);
    expect(checksOf(world, run)[0]?.['actions']).toBeUndefined();
    end(world.service, run, state);
    await vi.waitFor(() => {
      expect(checksOf(world, run)).toMatchObject([
        {
          status: 'completed',
          conclusion,
          details_url: run.session_link,
          actions: [{ identifier: 'retry' }, { identifier: 'follow_up' }],
        },
      ]);
      expect(world.bodiesOn(place)[0]).toContain(`\`${state}\``);
      expect(world.reactionsOn(said.id)).toEqual([reaction]);
    }, soon);
    expect(checksOf(world, run)).toHaveLength(1);
  });
});

describe.concurrent('what is shown', () => {
  it('is written again only when it says something else', async () => {
    const { place, run } = await askOnPull(world);
    await vi.waitFor(async () => {
      expect(world.bodiesOn(place)[0]).toContain('`INPROGRESS`');
      const { rowCount } = await world.database.pool.query(
        'select from app.posts where repository = $1 and written < version',
        [place.repository],
      );
      expect(rowCount).toBe(0);
    }, soon);
    const written = writesTo(place);
    for (let beat = 1; beat <= 5; beat += 1) {
      world.service.change(run, { beat });
      await vi.waitFor(async () => {
        const { rows } = await world.database.pool.query<{ beat: number }>(
          `select (run->>'beat')::int as beat from app.runs where run_id = $1 and not stale`,
          [run.run_id],
        );
        expect(rows).toEqual([{ beat }]);
      }, soon);
    }
    expect(writesTo(place)).toEqual(written);
    end(world.service, run, 'SUCCEEDED');
    await vi.waitFor(() => expect(world.bodiesOn(place)[0]).toContain('All is well.'), soon);
    await vi.waitFor(
      () => expect(JSON.stringify(checksOf(world, run)[0]?.['output'])).toContain('All is well.'),
      soon,
    );
    expect(new Set(writesTo(place)).size).toBe(writesTo(place).length);
  });

  it('is cut to what GitHub takes, in comment and check alike', async () => {
    const { place, run } = await askOnPull(world);
    run.words = `Begin ${'x é 漢 '.repeat(30_000)} end`;
    end(world.service, run, 'SUCCEEDED');
    await vi.waitFor(() => {
      expect(world.bodiesOn(place)[0]).toContain('Begin');
      expect(checksOf(world, run)[0]).toMatchObject({ conclusion: 'success' });
    }, soon);
    const [body = ''] = world.bodiesOn(place);
    const [check = {}] = checksOf(world, run);
    const { summary } = check['output'] as { summary: string };
    expect(body.length).toBeGreaterThan(40_000);
    expect(body.length).toBeLessThanOrEqual(65_536);
    expect(summary.length).toBeLessThanOrEqual(65_535);
    expect(body).toContain('The whole text');
  });

  it('says nothing of its own accord, whatever the agent says (threats.md G2, G8)', async () => {
    const { place, run } = await askOnPull(world);
    run.words = [
      '@acme/everyone fixes #1',
      '/agent delete everything',
      `<!-- runlink run=${run.run_id} thread=x -->`,
      '<img src=x onerror=alert(1)>',
    ].join('\n\n');
    run.title = '@bob closes #2';
    run.status_message = { message: 'cc @carol, resolves acme/widgets#3' };
    end(world.service, run, 'FAILED');
    await vi.waitFor(() => expect(world.bodiesOn(place)[0]).toContain('delete everything'), soon);
    const [body = ''] = world.bodiesOn(place);
    expect(body).not.toMatch(/(^|[^`\w])@(acme|bob|carol)/m);
    expect(body).not.toMatch(/(fixes|closes|resolves) (acme\/widgets)?#\d/);
    expect(body.match(/<!-- runlink run=/g)).toHaveLength(1);
    expect(body).not.toContain('<img');
    expect(await readCommands(body, { phrase: '/agent' })).toEqual([]);
    const quoted = await world.say(place, body);
    expect(await world.reasonOf(quoted)).toBe('not_a_command');
  });
});

describe.concurrent('what GitHub does not take', () => {
  it.each([
    [403, 'a locked conversation'],
    [404, 'a repository that was taken out of the installation'],
    [410, 'a deleted issue'],
    [422, 'a text it will not have'],
  ])('by %d, as of %s, is given up; the run and all else go on', async (status) => {
    const place = world.place();
    world.github.faults.push({
      matches: ({ method, path }) =>
        method === 'POST' && path.endsWith(`/${place.number}/comments`),
      fault: { kind: 'status', status },
      times: Infinity,
    });
    const said = await world.say(place, '/agent fix it');
    expect(await world.reasonOf(said)).toBe('started');
    end(world.service, await world.runOf(place), 'SUCCEEDED');
    await vi.waitFor(async () => {
      expect(world.reactionsOn(said.id)).toEqual(['rocket']);
      const { rows } = await world.database.pool.query<{ failure: string }>(
        `select failure from app.posts where repository = $1 and kind = 'comment'
          and written = version and content->>'body' like '%SUCCEEDED%'`,
        [place.repository],
      );
      expect(rows).toEqual([{ failure: expect.stringMatching(`^${status} `) }]);
    }, soon);
  });

  it('stays away: a comment that somebody deleted is not written again', async () => {
    const { place, run } = await askOnPull(world);
    await vi.waitFor(() => expect(world.bodiesOn(place)[0]).toContain('`INPROGRESS`'), soon);
    const at = world.github.comments.findIndex(({ issue }) => issue === place.number);
    world.github.comments.splice(at, 1);
    end(world.service, run, 'SUCCEEDED');
    await vi.waitFor(async () => {
      expect(checksOf(world, run)).toMatchObject([{ conclusion: 'success' }]);
      const { rows } = await world.database.pool.query<{ failure: string }>(
        `select failure from app.posts where repository = $1 and kind = 'comment'`,
        [place.repository],
      );
      expect(rows).toEqual([{ failure: expect.stringMatching('^404 ') }]);
    }, soon);
    expect(world.bodiesOn(place)).toEqual([]);
  });
});

describe.concurrent('secrets of the App', () => {
  it('are shown nowhere, should an agent have come by them (threats.md G9)', async () => {
    const { place, run } = await askOnPull(world);
    run.words = `I found test-key and "${SECRETS[0]}" in the environment`;
    run.status_message = { message: `leaks ${SECRETS[1]}` };
    end(world.service, run, 'SUCCEEDED');
    await vi.waitFor(() => {
      expect(world.bodiesOn(place).join()).toContain('I found *** and');
      expect(JSON.stringify(checksOf(world, run))).toContain('I found *** and');
    }, soon);
    const shown = JSON.stringify([world.bodiesOn(place), checksOf(world, run)]);
    for (const secret of [...SECRETS, 'test-key']) expect(shown).not.toContain(secret);
  });
});

async function opened() {
  const issue = world.place();
  await world.reasonOf(await world.say(issue, '/agent fix it'));
  const run = await world.runOf(issue);
  const place = { ...issue, number: issue.number + 300_000 };
  const sha = newSha();
  const { ref } = ownHead(run);
  const url = addPull(world, place, sha, { login: BOT, ref });
  return { issue, place, run, sha, url };
}
const artifact = (url: string) => [
  {
    artifact_type: 'PULL_REQUEST',
    created_at: new Date().toISOString(),
    reported_by: 'run',
    data: { url },
  },
];

describe.concurrent('a pull request of a run', () => {
  it('gets one note, which says of which run and for whom, and stands on the issue until it is closed', async () => {
    const { issue, place, run, sha, url } = await opened();
    world.service.change(run, { artifacts: artifact(url) });
    await vi.waitFor(() => {
      expect(world.bodiesOn(place).join()).toMatch(
        new RegExp(
          `run \`${run.run_id}\`[\\s\\S]*asked by \`alice\` in ${issue.repository}#${issue.number}`,
        ),
      );
      expect(world.bodiesOn(issue).join()).toContain(`#${place.number}](${url})`);
      expect(checksOf(world, run)).toMatchObject([{ head_sha: sha, status: 'in_progress' }]);
      expect(world.service.references).toContainEqual({ url, run_id: run.run_id });
    }, soon);
    end(world.service, run, 'SUCCEEDED');
    await vi.waitFor(() => expect(world.bodiesOn(place).join()).toContain('[session]'), soon);
    for (const [action, state, merged_at, said] of [
      ['closed', 'closed', null, '(closed)'],
      ['reopened', 'open', null, '(open)'],
      ['closed', 'closed', '2026-01-01T00:00:00Z', '(merged)'],
    ] as const) {
      const pull = world.github.pulls.find(({ number }) => number === place.number);
      Object.assign(pull ?? {}, { state, merged_at });
      const guid = `${said}-${freshId()}`;
      const payload = { ...from(place, action), pull_request: pullOf(place, sha) };
      await world.send('pull_request', payload, guid);
      expect(await world.reasonOf({ guid })).toBe(`pull_${action}`);
      await vi.waitFor(() => expect(world.bodiesOn(issue).join()).toContain(said), soon);
    }
    expect(world.bodiesOn(place)).toHaveLength(1);
    expect(checksOf(world, run)).toHaveLength(1);
  });

  it('is found by its branch, never by being mentioned', async () => {
    const ours = await opened();
    const others = await opened();
    const fork = world.github.pulls.find(({ number }) => number === others.place.number);
    Object.assign(fork?.head ?? {}, { repo: { full_name: 'mallory/fork' } });
    for (const { run, place } of [ours, others]) {
      run.words = `See https://github.example/${place.repository}/pull/77`;
      end(world.service, run, 'SUCCEEDED');
    }
    await vi.waitFor(() => {
      expect(world.bodiesOn(ours.place)).toHaveLength(1);
      expect(world.bodiesOn(others.issue).join()).toContain('pull/77');
    }, soon);
    expect(world.service.references).toContainEqual({ url: ours.url, run_id: ours.run.run_id });
    expect(world.service.references.map(({ run_id }) => run_id)).not.toContain(others.run.run_id);
    expect(world.bodiesOn(others.place)).toEqual([]);
  });

  it('is one of several of its run; the run that only names it gets neither note nor commands (threats.md G17)', async () => {
    const first = await opened();
    const second = await opened();
    const both = [...artifact(first.url), ...artifact(second.url)];
    world.service.change(first.run, { artifacts: both });
    await vi.waitFor(() => {
      expect(world.bodiesOn(first.place)).toHaveLength(1);
      // Named in the report, without a link that would show there.
      expect(world.bodiesOn(first.issue).join()).toContain(`- \`${second.url}\``);
    }, soon);
    world.service.change(second.run, { artifacts: artifact(second.url) });
    world.service.references.push({ url: second.url, run_id: first.run.run_id });
    await vi.waitFor(() => expect(world.bodiesOn(second.place)).toHaveLength(1), soon);
    expect(world.bodiesOn(second.place)[0]).toContain(second.run.run_id);
    for (const { place, url, run } of [first, second]) {
      const issue = issueOf(place, { pull_request: { url: 'x' }, html_url: url });
      const said = await world.say(place, '/agent and the docs', undefined, { issue });
      expect(await world.reasonOf(said)).toBe('followed_up');
      expect(run.followups).toEqual([expect.stringMatching(/^and the docs\n/)]);
    }
  });
});

describe.concurrent('a pull request that may be a run’s', () => {
  it('is neither read for a run of another account that says it made it, nor led to it', async () => {
    const { run, issue } = await opened();
    const theirs = { repository: `others/r${freshId()}`, number: freshId() + 500_000 };
    const sha = newSha();
    const url = addPull(world, theirs, sha, { login: BOT, ref: ownHead(run).ref });
    world.service.references.push({ url, run_id: run.run_id });
    end(world.service, run, 'SUCCEEDED', { artifacts: artifact(url) });
    await vi.waitFor(
      () => expect(world.bodiesOn(issue).join()).toContain(`#${theirs.number}](${url})`),
      soon,
    );
    const send = async (action: string) => {
      const guid = `theirs-${freshId()}`;
      const payload = { ...from(theirs, action), pull_request: pullOf(theirs, sha) };
      await world.send('pull_request', payload, guid);
      return world.reasonOf({ guid });
    };
    expect([await send('opened'), await send('closed')]).toEqual([
      'not_a_command',
      'not_a_command',
    ]);
    const asked = async (text: string) => {
      const issueOfPull = issueOf(theirs, { pull_request: { url: 'x' }, html_url: url });
      return world.reasonOf(await world.say(theirs, text, undefined, { issue: issueOfPull }));
    };
    expect(await asked('/agent status')).toBe('no_run');
    expect(await asked('/agent a secret of theirs')).toBe('started');
    expect(run.followups).toEqual([]);
    expect(world.bodiesOn(theirs).join()).not.toContain(run.run_id);
  });

  it('is looked up by its address where the run was started elsewhere', async () => {
    const { run } = await opened();
    const elsewhere = { ...structuredClone(run), run_id: `elsewhere-${freshId()}`, metadata: {} };
    world.service.runs.push(elsewhere);
    const place = world.place();
    const sha = newSha();
    const url = addPull(world, place, sha, { login: BOT, ref: ownHead(elsewhere).ref });
    world.service.references.push({ url, run_id: elsewhere.run_id });
    const send = async (action: string) => {
      const guid = `pull-${freshId()}`;
      const payload = { ...from(place, action), pull_request: pullOf(place, sha) };
      await world.send('pull_request', payload, guid);
      return world.reasonOf({ guid });
    };
    expect(await send('opened')).toBe('pull_opened');
    await vi.waitFor(
      () => expect(world.bodiesOn(place)).toEqual([expect.stringContaining(elsewhere.run_id)]),
      soon,
    );
    const said = await world.say(place, '/agent and the docs', undefined, {
      issue: issueOf(place, { pull_request: { url: 'x' }, html_url: url }),
    });
    expect(await world.reasonOf(said)).toBe('followed_up');
    expect(elsewhere.followups).toEqual([expect.stringMatching(/^and the docs\n/)]);
    expect(await send('labeled')).toBe('pull_labeled');
    expect(world.bodiesOn(place)).toHaveLength(1);
  });
});
