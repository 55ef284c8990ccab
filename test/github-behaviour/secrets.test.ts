import { describe, expect, it, onTestFinished } from 'vitest';
import {
  alice,
  commentEvent,
  issue,
  repository,
  startWorld,
  type Event,
} from '../support/action-world.ts';

const NO_KEY = { 'api-key': '' };
const dependabot = { login: 'dependabot[bot]', type: 'Bot' };
const outsider = { login: 'mallory', type: 'User' };

function pullEvent(sender: object, from: string): Event {
  const side = (full_name: string) => ({ ref: 'topic', sha: 'a'.repeat(40), repo: { full_name } });
  const pull_request = { ...issue(12), user: sender, head: side(from), base: side('acme/widgets') };
  return {
    eventName: 'pull_request',
    payload: { action: 'opened', repository, pull_request, sender },
  };
}

function reviewEvent(sender: object, from: string): Event {
  const { payload } = pullEvent(sender, from);
  const comment = { id: 7, node_id: 'PRRC_7', body: '/agent fix it', user: sender, path: 'a.ts' };
  return {
    eventName: 'pull_request_review_comment',
    payload: { ...(payload as object), action: 'created', comment },
  };
}

async function run(event: Event, inputs: Record<string, string> = {}) {
  const world = await startWorld();
  onTestFinished(world.close);
  const step = await world.run(event, { inputs: { ...NO_KEY, ...inputs } });
  return { step, ...world };
}

describe('a workflow to which GitHub gives no secrets ends green, with a notice', () => {
  const comment = commentEvent('/agent fix it');
  const inFork = { ...(comment.payload as object), repository: { ...repository, fork: true } };
  it.each([
    ['of a comment in somebody’s fork', { ...comment, payload: inFork }, {}],
    ['of a review of a fork’s pull request', reviewEvent(outsider, 'mallory/widgets'), {}],
    ['of a fork’s pull request', pullEvent(outsider, 'mallory/widgets'), { prompt: 'Review it.' }],
    ['of Dependabot’s', pullEvent(dependabot, 'acme/widgets'), { prompt: 'Review it.' }],
  ])('%s (docs: actions/reference/security/secrets)', async (_, event, inputs) => {
    const { step, github, service } = await run(event, inputs);
    expect(step.exitCode).toBe(0);
    expect(step.outputs).toMatchObject({ 'reason-code': 'secrets_withheld', skipped: 'true' });
    expect(step.stdout).toContain('::notice::');
    expect(github.seen.filter(({ method }) => method !== 'GET')).toEqual([]);
    expect(service.seen).toEqual([]);
  });
});

describe('a key that was never set', () => {
  it('is told to who may ask, and is red (docs: actions/reference/security/secrets)', async () => {
    const { step } = await run(commentEvent('/agent fix it', { sender: alice }));
    expect(step.exitCode).toBe(1);
    expect(step.outputs['reason-code']).toBe('invalid_input');
  });

  it.each([
    ['talk', commentEvent('Thank you!'), 'not_a_command'],
    [
      'an outsider',
      commentEvent('/agent fix it', { sender: outsider, comment: { user: outsider } }),
      'actor_below_bar',
    ],
  ])(
    'makes no run of %s red (docs: actions/reference/security/secrets)',
    async (_, event, reason) => {
      const { step } = await run(event);
      expect(step.exitCode).toBe(0);
      expect(step.outputs['reason-code']).toBe(reason);
    },
  );
});
