import { describe, expect, it, vi } from 'vitest';
import { freshId, issueOf, pullOf, soon, worldOfFile, type Place } from '../support/app-world.ts';
import { end } from '../support/fake-service.ts';

const world = await worldOfFile();
const { github } = world;
github.people['carol'] = { permission: 'write', role_name: 'maintain' };
github.people['root'] = { permission: 'admin', role_name: 'admin' };
github.people['tim'] = { permission: 'read', role_name: 'triage' };
github.teams['acme/releasers'] = ['alice'];
github.teams['other/helpers'] = ['carol'];

const CONFIG = `
permission: triage
commands:
  deploy: { prompt: Deploy it, permission: maintain }
  release: { prompt: Release it, teams: ['@releasers', other/helpers] }
  purge: { prompt: Purge it, users: ['@root'] }
`;

describe.concurrent('a command of the repository’s own', () => {
  it.each([
    ['tim', 'fix it', 'started'],
    ['mallory', 'fix it', 'actor_below_bar'],
    ['alice', 'deploy', 'actor_below_bar'],
    ['carol', 'deploy', 'started'],
    ['alice', 'release', 'started'],
    ['carol', 'release', 'started'],
    ['root', 'release', 'command_not_allowed'],
    ['root', 'purge', 'started'],
    ['alice', 'purge', 'command_not_allowed'],
    ['mallory', 'purge', 'actor_below_bar'],
  ])('lets %s give “%s” or not: %s', async (login, words, reason) => {
    const place = world.place(CONFIG);
    const said = await world.say(place, `/agent ${words}`, { login });
    expect(await world.reasonOf(said)).toBe(reason);
    expect(world.runsOf(place)).toHaveLength(reason === 'started' ? 1 : 0);
    if (reason === 'started') return;
    await vi.waitFor(() => {
      expect(world.reactionsOn(said.id)).toEqual(['-1']);
      expect(world.bodiesOn(place).join()).toMatch(/needs `\w+` permission|reserves this/);
    }, soon);
  });

  it('holds its bar for whoever steers its run or starts it again (threats.md G13)', async () => {
    const place = world.place(CONFIG);
    await world.reasonOf(await world.say(place, '/agent purge', { login: 'root' }));
    const run = await world.runOf(place);
    for (const words of ['cancel', 'follow and the backups', 'and the backups']) {
      const said = await world.say(place, `/agent ${words}`);
      expect(await world.reasonOf(said)).toBe('command_not_allowed');
    }
    expect([run.state, run.followups]).toEqual(['INPROGRESS', []]);
    end(world.service, run, 'FAILED');
    await vi.waitFor(() => expect(world.bodiesOn(place).join()).toContain('`FAILED`'), soon);
    const again = await world.say(place, '/agent retry');
    expect(await world.reasonOf(again)).toBe('command_not_allowed');
    const status = await world.say(place, '/agent status');
    expect(await world.reasonOf(status)).toBe('reported_status');
    const own = await world.say(place, '/agent retry', { login: 'root' });
    expect(await world.reasonOf(own)).toBe('started');
    const second = await world.say(place, '/agent cancel');
    expect(await world.reasonOf(second)).toBe('command_not_allowed');
    expect(world.runsOf(place)).toHaveLength(2);
  });
});

describe.concurrent('a bot', () => {
  const bot = (login: string) => ({ login, type: 'Bot' });

  it('starts nothing unless its login is listed (threats.md G2)', async () => {
    const place = world.place("bots: ['renovate[bot]']");
    const other = await world.say(place, '/agent fix it', bot('dependabot[bot]'));
    expect(await world.reasonOf(other)).toBe('bot');
    const likeIt = await world.say(place, '/agent fix it', bot('renovate-x[bot]'));
    expect(await world.reasonOf(likeIt)).toBe('bot');
    expect([world.runsOf(place), world.bodiesOn(place)]).toEqual([[], []]);
    const listed = await world.say(place, '/agent fix it', bot('renovate[bot]'));
    expect(await world.reasonOf(listed)).toBe('started');
  });

  it('or anybody else cannot speak through a comment that is not theirs', async () => {
    const place = world.place();
    const sender = { sender: { login: 'alice', type: 'User' } };
    const said = await world.say(place, '/agent fix it', { login: 'mallory' }, sender);
    expect(await world.reasonOf(said)).toBe('actor_mismatch');
  });
});

describe.concurrent('a comment', () => {
  it.each(['edited', 'deleted'])('that is %s starts nothing (threats.md G3)', async (action) => {
    const place = world.place();
    const id = freshId();
    const guid = `edit-${id}`;
    const comment = { id, node_id: `IC_${id}`, body: '/agent fix it', user: { login: 'alice' } };
    const taken = await world.send(
      'issue_comment',
      { action, issue: issueOf(place), comment, repository: { full_name: place.repository } },
      guid,
    );
    expect(taken).toBe('not_created');
  });
});

describe.concurrent('while GitHub does not say who may', () => {
  it('nothing starts; once it does, the command is carried out', async () => {
    const place = world.place();
    const rule = {
      matches: ({ path }: { path: string }) =>
        path === `/repos/${place.repository}/collaborators/alice/permission`,
      fault: { kind: 'status', status: 500 } as const,
      times: 1,
    };
    world.github.faults.push(rule);
    const said = await world.say(place, '/agent fix it');
    await vi.waitFor(() => expect(rule.times).toBe(0), soon);
    expect(world.runsOf(place)).toEqual([]);
    expect(await world.reasonOf(said)).toBe('started');
  });

  it('a team that cannot be asked lets nobody in', async () => {
    const place = world.place(CONFIG);
    const rule = {
      matches: ({ path }: { path: string }) => path.includes('/memberships/tess'),
      fault: { kind: 'status', status: 403 } as const,
      times: 1,
    };
    world.github.people['tess'] = { permission: 'write', role_name: 'write' };
    world.github.faults.push(rule);
    const said = await world.say(place, '/agent release', { login: 'tess' });
    await vi.waitFor(() => expect(rule.times).toBe(0), soon);
    expect(await world.reasonOf(said)).toBe('command_not_allowed');
    expect(world.runsOf(place)).toEqual([]);
  });
});

describe.concurrent('a pull request from a fork (threats.md G6)', () => {
  const SHA = 'e'.repeat(40);
  const LATER = 'f'.repeat(40);

  function fork(config?: string): Place {
    const place = world.place(config);
    world.github.addPull({
      number: place.number,
      user: { login: 'mallory' },
      head: { ref: 'topic', sha: SHA, repo: { full_name: 'mallory/widgets' } },
      base: { ref: 'main', repo: { full_name: place.repository } },
    });
    return place;
  }

  const command = (place: Place, text: string) =>
    world.say(place, text, undefined, {
      issue: issueOf(place, { pull_request: { url: 'x' }, html_url: pullUrl(place) }),
    });
  const pullUrl = (place: Place) =>
    `https://github.example/${place.repository}/pull/${place.number}`;

  it.each([
    ['', '/agent fix it', 'fork', 'from forks are not allowed here'],
    ['', `/agent fix it --sha ${SHA}`, 'fork', 'from forks are not allowed here'],
    ['allow-forks: true', '/agent fix it', 'fork_sha_required', `--sha ${SHA}`],
    ['allow-forks: true', `/agent fix it --sha ${LATER}`, 'fork_sha_mismatch', 'The head is'],
    [
      'allow-forks: true',
      `/agent fix it --sha ${SHA.slice(0, 12)}`,
      'fork_sha_mismatch',
      'The head',
    ],
  ])('with %j refuses %j: %s', async (config, text, reason, said) => {
    const place = fork(config);
    expect(await world.reasonOf(await command(place, text))).toBe(reason);
    await vi.waitFor(() => expect(world.bodiesOn(place).join()).toContain(said), soon);
    expect(world.runsOf(place)).toEqual([]);
  });

  it('is worked on where it is allowed and its head is named; a later push changes nothing', async () => {
    const place = fork('allow-forks: true');
    expect(await world.reasonOf(await command(place, `/agent fix it --sha ${SHA}`))).toBe(
      'started',
    );
    const run = await world.runOf(place);
    const pull = world.github.pulls.find(({ number }) => number === place.number);
    if (pull) pull.head.sha = LATER;
    const head = { ref: 'topic', sha: LATER, repo: { full_name: 'mallory/widgets' } };
    const guid = `push-${freshId()}`;
    await world.send(
      'pull_request',
      {
        action: 'synchronize',
        repository: { full_name: place.repository, html_url: 'x' },
        sender: { login: 'mallory', type: 'User' },
        pull_request: { ...pullOf(place, LATER), head },
      },
      guid,
    );
    await world.reasonOf({ guid });
    expect(run.metadata['runlink.sha']).toBe(SHA);
    expect(run.prompt).toContain(`Commit: ${SHA}`);
    expect(run.prompt).not.toContain(LATER);
    expect(await world.reasonOf(await command(place, '/agent go on'))).toBe('fork_sha_required');
  });
});
