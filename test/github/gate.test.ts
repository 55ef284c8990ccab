import { Octokit } from '@octokit/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { GithubEvent } from '../../src/github/read/event.ts';
import {
  gateActor,
  gateFork,
  pinHead,
  readLogins,
  type GateRules,
} from '../../src/github/decide/gate.ts';
import { meets, permissionLevel, PERMISSIONS } from '../../src/github/read/permission.ts';
import { readEvent } from '../../src/github/read/read-event.ts';
import { commentEvent, onPullRequest } from '../support/action-world.ts';
import { startFakeGithub } from '../support/fake-github.ts';
import type { FakeGithub } from '../support/fake-github-shape.ts';

const rules: GateRules = {
  permission: 'write',
  allowedBots: [],
  allowedUsers: [],
  allowForks: false,
  ownLogins: ['github-actions[bot]'],
};

function eventOf(
  login: string,
  more: { type?: string; author?: string; issue?: object } = {},
): GithubEvent {
  const user = { login, type: more.type ?? 'User' };
  const comment = { user: { ...user, login: more.author ?? login } };
  const { eventName, payload } = commentEvent('/agent x', {
    sender: user,
    comment,
    ...(more.issue ? { issue: more.issue } : {}),
  });
  const reading = readEvent(eventName, payload);
  if ('ignored' in reading) throw new Error(reading.ignored);
  return reading.event;
}

async function githubWith(
  people: FakeGithub['people'],
): Promise<{ github: Octokit; fake: FakeGithub }> {
  const fake = await startFakeGithub();
  onTestFinished(() => fake.close());
  Object.assign(fake.people, people);
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  return { github: new Octokit({ baseUrl: fake.url, log }), fake };
}

describe('GitHub’s two words for a permission', () => {
  it.each([
    ['admin', 'admin', 'admin'],
    ['write', 'maintain', 'maintain'],
    ['write', 'write', 'write'],
    ['read', 'triage', 'triage'],
    ['read', 'read', 'read'],
    ['none', 'none', 'none'],
    ['write', 'a custom role', 'write'],
    ['read', 'a custom role', 'read'],
    ['push', 'write', 'write'],
    ['pull', 'read', 'read'],
    ['read', 'admin', 'read'],
    ['none', 'admin', 'none'],
    ['write', 'read', 'read'],
    ['superpowers', 'admin', 'none'],
    [undefined, undefined, 'none'],
    ['toString', 'constructor', 'none'],
  ])('%s with role %s is %s', (permission, role, level) => {
    expect(permissionLevel(permission, role)).toBe(level);
  });

  it('are ordered', () => {
    for (const [at, one] of PERMISSIONS.entries()) {
      for (const [below, other] of PERMISSIONS.entries())
        expect(meets(one, other)).toBe(at >= below);
    }
  });
});

describe('the gate', () => {
  it('asks GitHub at that moment, each time', async () => {
    const { github, fake } = await githubWith({ eve: { permission: 'write', role_name: 'write' } });
    expect(await gateActor(github, eventOf('eve'), rules)).toMatchObject({ allowed: true });
    fake.people['eve'] = { permission: 'read', role_name: 'read' };
    expect(await gateActor(github, eventOf('eve'), rules)).toMatchObject({
      allowed: false,
      reason: 'actor_below_bar',
      detail: expect.stringContaining('`write`'),
    });
    expect(fake.seen).toHaveLength(2);
  });

  it('takes an unknown person for nobody, and silence for no answer', async () => {
    const { github, fake } = await githubWith({});
    expect(await gateActor(github, eventOf('eve'), rules)).toMatchObject({
      reason: 'actor_below_bar',
    });
    fake.faults.push({ matches: () => true, fault: { kind: 'status', status: 500 }, times: 1 });
    await expect(gateActor(github, eventOf('eve'), rules)).rejects.toMatchObject({
      reason: 'permission_unknown',
    });
    fake.faults.push({ matches: () => true, fault: { kind: 'half' }, times: 1 });
    await expect(gateActor(github, eventOf('eve'), rules)).rejects.toMatchObject({
      reason: 'permission_unknown',
    });
    expect(await gateActor(undefined, eventOf('eve'), rules)).toMatchObject({
      reason: 'permission_unknown',
    });
  });

  it.each([
    ['a bot', eventOf('helper[bot]', { type: 'Bot' }), 'bot'],
    ['a bot that calls itself a user', eventOf('helper[bot]'), 'bot'],
    ['ourselves', eventOf('github-actions[bot]', { type: 'Bot' }), 'own_comment'],
    ['a sender who is not the author', eventOf('alice', { author: 'eve' }), 'actor_mismatch'],
    ['nobody', { ...eventOf('alice'), actor: undefined }, 'no_actor'],
  ])('refuses %s without asking', async (_, event, reason) => {
    const { github, fake } = await githubWith({});
    expect(await gateActor(github, event, rules)).toMatchObject({ allowed: false, reason });
    expect(fake.seen).toEqual([]);
  });

  it('lets those through who are listed by name, whatever their case', async () => {
    const { github } = await githubWith({});
    const listed = { ...rules, allowedUsers: ['Eve'], allowedBots: ['helper[bot]'] };
    expect(await gateActor(github, eventOf('eve'), listed)).toMatchObject({ allowed: true });
    expect(await gateActor(github, eventOf('helper[bot]'), listed)).toMatchObject({
      allowed: true,
    });
    expect(await gateActor(github, eventOf('evelyn'), listed)).toMatchObject({ allowed: false });
  });

  it('keeps what is reserved for some from all others, also from who is nobody', async () => {
    const { github } = await githubWith({ eve: { permission: 'admin', role_name: 'admin' } });
    const reserved = { ...rules, only: { users: ['Alice'], teams: [] } };
    const scheduled = {
      ...eventOf('eve'),
      name: 'schedule',
      actor: undefined,
      thread: undefined,
      comment: undefined,
    };
    for (const event of [eventOf('eve'), scheduled]) {
      expect(await gateActor(github, event, rules)).toMatchObject({ allowed: true });
      expect(await gateActor(github, event, reserved)).toMatchObject({
        reason: 'command_not_allowed',
      });
    }
  });

  it.each(['*', 'dep*', '?', 'a, *'])('refuses the pattern %j in a list', (list) => {
    expect(() => readLogins(list)).toThrow('is a pattern');
  });

  it('reads lists by comma, blank and line', () => {
    expect(readLogins('@a, b\nc  d[bot]')).toEqual(['a', 'b', 'c', 'd[bot]']);
  });
});

describe('a fork', () => {
  const sha = 'f'.repeat(40);
  const head = { sha, ref: 'x', repository: 'eve/widgets', fork: true };

  it.each([
    ['not allowed', false, { text: sha }, 'fork'],
    ['without its commit', true, { text: 'review it' }, 'fork_sha_required'],
    ['with an abbreviated commit', true, { text: 'review fffffff' }, 'fork_sha_required'],
    ['with another commit', true, { sha: 'e'.repeat(40), text: '' }, 'fork_sha_mismatch'],
    ['whose head moved since', true, { text: `review ${'e'.repeat(40)}` }, 'fork_sha_mismatch'],
  ])('%s is refused', (_, allowForks, asked, reason) => {
    expect(gateFork(head, { allowForks }, asked)).toMatchObject({ allowed: false, reason });
  });

  it('with its head named is allowed, as option or in the text', () => {
    expect(gateFork(head, { allowForks: true }, { sha, text: '' })).toEqual({ allowed: true });
    expect(gateFork(head, { allowForks: true }, { text: `look at ${sha.toUpperCase()}` })).toEqual({
      allowed: true,
    });
    expect(gateFork({ ...head, fork: false }, { allowForks: false }, { text: '' })).toEqual({
      allowed: true,
    });
  });

  it('is told from a branch by the repository it comes from, a deleted one included', async () => {
    const { github, fake } = await githubWith({});
    const event = eventOf('alice', { issue: onPullRequest(fake) });
    fake.addPull({ number: 12, head: { ref: 'x', sha, repo: null } });
    expect(await pinHead(github, event)).toMatchObject({ head: { sha, fork: true }, base: 'main' });
    fake.pulls[0] = { ...fake.addPull({ number: 12 }) };
    expect(await pinHead(github, event)).toMatchObject({ head: { fork: false } });
  });

  it('is not worked on while its head cannot be read', async () => {
    const { github, fake } = await githubWith({});
    const event = eventOf('alice', { issue: onPullRequest(fake) });
    await expect(pinHead(github, event)).rejects.toMatchObject({ reason: 'head_unknown' });
  });
});
