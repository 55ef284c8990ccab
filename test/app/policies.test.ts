import { createHash } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import {
  freshId,
  from,
  issueOf,
  pullOf,
  soon,
  worldOfFile,
  type Place,
} from '../support/app-world.ts';
import { end } from '../support/fake-service.ts';

const world = await worldOfFile();

/** What was said, without where it was said. */
const firstLine = (text: string): string => (text.split('\n')[0] ?? '').trim();

const COMMAND =
  "commands: { look: { prompt: 'Look. {{instruction}}' }, skilled: { skill: 'a/b:c' } }";

describe.concurrent('while a run works on the thread, when-busy', () => {
  it.each([
    ['follow-up', '/agent and more', 'followed_up', 1, ['and more']],
    ['follow-up', '/agent look here', 'followed_up', 1, ['Look. here']],
    ['follow-up', '/agent look', 'followed_up', 1, ['Look. ']],
    ['follow-up', '/agent skilled', 'followed_up', 1, ['Use the skill a/b:c. ']],
    ['follow-up', '/agent --skill a/b:c', 'followed_up', 1, ['Use the skill a/b:c.']],
    ['new', '/agent and more', 'started', 2, []],
    ['new', '/agent look', 'started', 2, []],
    ['skip', '/agent and more', 'busy', 1, []],
    ['skip', '/agent look', 'busy', 1, []],
    ['skip', '/agent follow and more', 'followed_up', 1, ['and more']],
    ['skip', '/agent new and more', 'started', 2, []],
  ])('%s makes of %j: %s', async (policy, text, reason, runs, followups) => {
    const place = world.place(`when-busy: ${policy}\n${COMMAND}`);
    await world.reasonOf(await world.say(place, '/agent fix it'));
    const said = await world.say(place, text);
    expect(await world.reasonOf(said)).toBe(reason);
    const [run, ...others] = world.runsOf(place);
    expect(1 + others.length).toBe(runs);
    expect(run?.followups.map(firstLine)).toEqual(followups.map(firstLine));
    const seen = reason === 'busy' ? 'confused' : 'eyes';
    await vi.waitFor(() => expect(world.reactionsOn(said.id)).toEqual([seen]), soon);
  });

  it('keeps several that come at once in order, on one run', async () => {
    const place = world.place();
    const words = ['one', 'two', 'three', 'four', 'five'];
    const said = [];
    for (const word of words) said.push(await world.say(place, `/agent ${word}`));
    for (const one of said) await world.reasonOf(one);
    expect((await world.runOf(place)).followups.map(firstLine)).toEqual(words.slice(1));
  });
});

describe.concurrent('limits', () => {
  it('hold runs of one thread and of one day, and say so', async () => {
    const place = world.place('limits: { per-pull-request: 2, per-day: 3 }');
    const other = { ...place, number: place.number + 100_000 };
    const third = { ...place, number: place.number + 200_000 };
    const reason = async (at: Place) => world.reasonOf(await world.say(at, '/agent new x'));
    expect([await reason(place), await reason(place), await reason(place)]).toEqual([
      'started',
      'started',
      'limit_reached',
    ]);
    expect([await reason(other), await reason(third)]).toEqual(['started', 'limit_reached']);
    for (const at of [place, third]) {
      await vi.waitFor(
        () => expect(world.bodiesOn(at).join()).toContain('the limit on runs is reached'),
        soon,
      );
    }
    await world.database.pool.query(
      `update app.runs set created_at = created_at - interval '25 hours' where repository = $1`,
      [place.repository],
    );
    expect([await reason(third), await reason(place)]).toEqual(['started', 'limit_reached']);
  });
});

describe.concurrent('the configuration', () => {
  it('of the organisation holds for a repository that has none', async () => {
    const place = world.place();
    const own = { ...place, repository: `org${place.number}/own` };
    const bare = { ...own, repository: `org${place.number}/bare`, number: place.number + 50_000 };
    world.github.files[`org${place.number}/.github/.github/runlink.yml`] = 'model: of-all';
    world.github.files[`${own.repository}/.github/runlink.yml`] = 'model: of-one';
    await world.reasonOf(await world.say(own, '/agent x'));
    await world.reasonOf(await world.say(bare, '/agent x'));
    expect((await world.runOf(own)).agent_config).toMatchObject({ model_id: 'of-one' });
    expect((await world.runOf(bare)).agent_config).toMatchObject({ model_id: 'of-all' });
  });

  it('that a command finds broken is shown on the newest commit, each fault at its line, once', async () => {
    const place = world.place('model: good');
    await world.reasonOf(await world.say(place, '/agent new x'));
    const key = `${place.repository}/.github/runlink.yml`;
    world.github.files[key] = 'model: bad\ncolour: blue\nlimits:\n  per-day: many\n';
    await world.reasonOf(await world.say(place, '/agent new y'));
    await world.reasonOf(await world.say(place, '/agent help'));
    expect(world.runsOf(place).map((run) => run.agent_config['model_id'])).toEqual([
      'good',
      'good',
    ]);
    await vi.waitFor(() => {
      const shown = checksIn(place);
      expect(shown).toMatchObject([
        {
          name: 'Runlink configuration',
          head_sha: 'head-of-main',
          conclusion: 'failure',
          output: {
            annotations: [
              { path: '.github/runlink.yml', start_line: 4, annotation_level: 'failure' },
              {
                path: '.github/runlink.yml',
                start_line: 2,
                message: expect.stringContaining('colour'),
              },
            ],
          },
        },
      ]);
      expect(world.bodiesOn(place).join()).toContain('`.github/runlink.yml` is not in force');
    }, soon);
    delete world.github.files[key];
    await world.reasonOf(await world.say(place, '/agent new z'));
    expect(world.runsOf(place)[2]?.agent_config).toEqual({});
  });

  it('that a push breaks or mends is shown on its commit, and help names what is in force', async () => {
    const place = world.place(`${COMMAND}\ncolour: blue`);
    const key = `${place.repository}/.github/runlink.yml`;
    const push = async (after: string): Promise<string> => {
      const commits = [{ added: [], modified: ['.github/runlink.yml'], removed: [] }];
      const ref = 'refs/heads/main';
      await world.send('push', { ...from(place, undefined), ref, after, commits }, after);
      return world.reasonOf({ guid: after });
    };
    const [bad, good] = [freshId(), freshId()].map((id) => String(id).padStart(40, '0'));
    expect(await push(bad ?? '')).toBe('config_broken');
    world.github.files[key] = COMMAND;
    expect(await push(good ?? '')).toBe('config_read');
    await vi.waitFor(
      () =>
        expect(checksIn(place)).toMatchObject([
          { head_sha: bad, conclusion: 'failure' },
          { head_sha: good, conclusion: 'success' },
        ]),
      soon,
    );
    await world.reasonOf(await world.say(place, '/agent help'));
    await vi.waitFor(
      () => expect(world.bodiesOn(place).join()).toContain('- `/agent look`: Look.'),
      soon,
    );
    const elsewhere = { ...from(place, undefined), ref: 'refs/heads/topic', commits: [] };
    expect(await world.send('push', elsewhere)).toBe('config_untouched');
  });

  it('sets a run up as the command says, else its command, else the repository', async () => {
    const uid = 'Abcdefghijklmnopqrstuv';
    world.service.environments = [{ uid, config: { name: 'The Lab', github_repos: [] } }];
    const place = world.place(`
model: of-all
harness: claude
environment: the lab
commands: { look: { prompt: Look, model: of-command, skill: 'a/b:c', agent: agent-uid } }
`);
    const body = async (text: string) => {
      await world.reasonOf(await world.say(place, text));
      return world.runsOf(place).at(-1)?.['request'];
    };
    const harness = { type: 'claude' };
    expect(await body('/agent new x')).toMatchObject({
      config: { model_id: 'of-all', harness, environment_id: uid },
    });
    expect(await body('/agent new --model of-words x')).toMatchObject({
      config: { model_id: 'of-words', harness },
    });
    const quiet = { ...place, number: place.number + 400_000 };
    await world.reasonOf(await world.say(quiet, '/agent look'));
    expect(world.runsOf(place).at(-1)?.['request']).toMatchObject({
      config: { model_id: 'of-command', harness, environment_id: uid },
      skill: 'a/b:c',
      agent_identity_uid: 'agent-uid',
    });
  });
});

describe.concurrent('the configuration, in special cases,', () => {
  it('of the organisation holds where the repository’s own never was right', async () => {
    const place = world.place();
    const own = { ...place, repository: `org${place.number}/broken` };
    world.github.files[`org${place.number}/.github/.github/runlink.yml`] = 'model: of-all';
    world.github.files[`${own.repository}/.github/runlink.yml`] = 'modle: of-one';
    await world.reasonOf(await world.say(own, '/agent x'));
    expect((await world.runOf(own)).agent_config).toMatchObject({ model_id: 'of-all' });
  });

  it('that an earlier version took and this one does not is read and told of, though unchanged', async () => {
    const text = 'modle: good';
    const place = world.place(text);
    const etag = `"${createHash('sha1').update(text).digest('hex')}"`;
    const known = [place.repository, etag, text];
    await world.database.pool.query(
      'insert into app.configs (repository, etag, good) values ($1, $2, $3)',
      known,
    );
    await world.reasonOf(await world.say(place, '/agent help'));
    await vi.waitFor(
      () => expect(world.bodiesOn(place).join()).toContain('`.github/runlink.yml` is not in force'),
      soon,
    );
  });

  it.each([
    ['is a link that leads nowhere', { type: 'symlink', target: '../elsewhere' }],
    ['is a directory', { type: 'dir', entries: [] }],
    ['is larger than GitHub shows', { type: 'file', encoding: 'none', content: '', size: 2e6 }],
    ['is larger than anybody writes', encoded(`# ${'x'.repeat(200_000)}`)],
    ['is no text', encoded('model: a\0b')],
  ])('that %s leaves the last good one in force, and says so', async (_, json) => {
    const place = world.place('model: good');
    await world.reasonOf(await world.say(place, '/agent new x'));
    const path = `/repos/${place.repository}/contents/.github%2Frunlink.yml`;
    world.github.answers.set(path, { status: 200, json });
    await world.reasonOf(await world.say(place, '/agent new y'));
    expect(world.runsOf(place)[1]?.agent_config).toMatchObject({ model_id: 'good' });
    await vi.waitFor(
      () => expect(JSON.stringify(checksIn(place))).toContain('is not a text file of at most'),
      soon,
    );
  });

  it('may begin with a byte order mark, end its lines as Windows does and use anchors', async () => {
    const place = world.place(
      '\uFEFFcommands:\r\n  look: &look { prompt: Look. }\r\n  see: *look\r\n',
    );
    await world.reasonOf(await world.say(place, '/agent see'));
    expect((await world.runOf(place)).prompt).toContain('Look.');
  });

  it('that has more commands than a comment holds is shown as far as it goes', async () => {
    const names = Array.from({ length: 500 }, (_, n) => `c${n}: { skill: ${'s'.repeat(190)} }`);
    const place = world.place(`commands: {${names.join(', ')}}`);
    await world.reasonOf(await world.say(place, '/agent help'));
    await vi.waitFor(() => expect(world.bodiesOn(place).join()).toContain('/agent c300'), soon);
  });

  it('that names an environment there is none of starts nothing, and says so', async () => {
    const place = world.place('environment: nowhere');
    const said = await world.say(place, '/agent fix it');
    expect(await world.reasonOf(said)).toBe('unknown_environment');
    await vi.waitFor(
      () => expect(world.bodiesOn(place).join()).toContain('there is no environment of that name'),
      soon,
    );
  });

  it('costs nothing of GitHub’s limit while it stays as it is', async () => {
    const place = world.place('model: good');
    for (const text of ['/agent new one', '/agent new two\n\n/agent new three']) {
      await world.reasonOf(await world.say(place, text));
    }
    const reads = world.github.seen.filter(({ path }) =>
      path.startsWith(`/repos/${place.repository}/contents/`),
    );
    expect(reads.map(({ headers }) => headers['if-none-match'] !== undefined)).toEqual([
      false,
      true,
    ]);
    expect(world.runsOf(place).map((run) => run.agent_config['model_id'])).toEqual([
      'good',
      'good',
      'good',
    ]);
  });

  it('is read from the default branch alone (threats.md G12)', async () => {
    const place = world.place('model: good');
    await world.reasonOf(await world.say(place, '/agent x'));
    const reads = world.github.seen.filter(({ path }) =>
      path.startsWith(`/repos/${place.repository}/contents/`),
    );
    expect(reads.map(({ url }) => url)).toEqual([
      `/repos/${place.repository}/contents/.github%2Frunlink.yml`,
    ]);
  });
});

function encoded(text: string): object {
  return { type: 'file', encoding: 'base64', content: Buffer.from(text).toString('base64') };
}

function checksIn(place: Place): unknown[] {
  const path = `/repos/${place.repository}/check-runs`;
  return world.github.seen.filter((one) => one.path === path).map(({ body }) => body);
}

describe.concurrent('on-close', () => {
  const SHA = 'a'.repeat(40);

  async function close(place: Place, merged: boolean): Promise<string> {
    const guid = `close-${freshId()}`;
    const pull = world.github.pulls.find(({ number }) => number === place.number);
    Object.assign(pull ?? {}, {
      state: 'closed',
      merged_at: merged ? '2026-01-01T00:00:00Z' : null,
    });
    await world.send(
      'pull_request',
      { ...from(place, 'closed'), pull_request: pullOf(place, SHA) },
      guid,
    );
    return world.reasonOf({ guid });
  }

  async function asked(config: string) {
    const place = world.place(config);
    const repo = { full_name: place.repository };
    const html_url = `https://github.example/${place.repository}/pull/${place.number}`;
    world.github.addPull({
      number: place.number,
      html_url,
      head: { ref: 'topic', sha: SHA, repo },
      base: { ref: 'main', repo },
    });
    const issue = issueOf(place, { pull_request: { url: 'x' }, html_url });
    await world.reasonOf(await world.say(place, '/agent fix it', undefined, { issue }));
    return { place, run: await world.runOf(place) };
  }

  it.each([
    ['on-close: cancel', false, 'CANCELLED', 'pull_closed'],
    ['on-close: cancel', true, 'INPROGRESS', 'not_a_command'],
    ['on-close: keep', false, 'INPROGRESS', 'not_a_command'],
  ])('%j, merged %j: the run is %s', async (config, merged, state, reason) => {
    const { place, run } = await asked(config);
    expect(await close(place, merged)).toBe(reason);
    expect(run.state).toBe(state);
    if (state === 'INPROGRESS') return;
    await vi.waitFor(() => expect(world.bodiesOn(place).join()).toContain('`CANCELLED`'), soon);
  });
});

describe.concurrent('the requester', () => {
  it.each([
    ['', 'SUCCEEDED', 300_000, true],
    ['', 'SUCCEEDED', 1000, false],
    ['', 'BLOCKED', 1000, true],
    ['mention: false', 'BLOCKED', 300_000, false],
  ])(
    'with %j is called when a run ends %s after %d ms: %j',
    async (config, state, ms, isCalled) => {
      const place = world.place(config);
      await world.reasonOf(await world.say(place, '/agent fix it'));
      const run = await world.runOf(place);
      const finished_at = new Date(Date.parse(run.created_at) + ms).toISOString();
      end(world.service, run, state, { finished_at });
      await vi.waitFor(() => expect(world.bodiesOn(place)[0]).toContain(`\`${state}\``), soon);
      const calls = () => world.bodiesOn(place).filter((body) => /^@alice/m.test(body));
      await vi.waitFor(() => expect(calls()).toHaveLength(isCalled ? 1 : 0), soon);
      const said = await world.say(place, '/agent status');
      await world.reasonOf(said);
      await vi.waitFor(() => expect(world.bodiesOn(place)).toHaveLength(isCalled ? 3 : 2), soon);
      expect(calls()).toHaveLength(isCalled ? 1 : 0);
    },
  );
});
