import { describe, it, type TestContext } from 'vitest';
import {
  commentEvent,
  onPullRequest,
  runOnThread,
  startWorld,
  type ActionWorld,
} from '../support/action-world.ts';
import { end } from '../support/fake-service.ts';
import { ownHead } from '../support/own-branch.ts';

async function world({ onTestFinished }: TestContext): Promise<ActionWorld> {
  const started = await startWorld();
  onTestFinished(() => started.close());
  return started;
}

const second = (body: string): ReturnType<typeof commentEvent> =>
  commentEvent(body, { comment: { id: 502, node_id: 'IC_2' } });

describe.concurrent('on a thread with a run', () => {
  it('status answers with its state and starts nothing', async (context) => {
    const { expect } = context;
    const w = await world(context);
    w.service.play = undefined;
    const first = await runOnThread(w, 'INPROGRESS');
    const step = await w.run(second('/agent status'));
    expect(step.outputs).toMatchObject({
      'reason-code': 'reported_status',
      'run-id': first.run_id,
    });
    expect(w.github.comments.at(-1)?.body).toContain('INPROGRESS');
    expect(w.service.runs).toHaveLength(1);
  });

  it('cancel cancels it and says so', async (context) => {
    const { expect } = context;
    const w = await world(context);
    w.service.play = undefined;
    const first = await runOnThread(w, 'INPROGRESS');
    const step = await w.run(second('/agent cancel'));
    expect(step.outputs).toMatchObject({ 'reason-code': 'cancel_requested', skipped: 'false' });
    expect(step.exitCode).toBe(0);
    expect(first.state).toBe('CANCELLED');
    expect(w.github.reactions).toContainEqual({ on: 'issues/502', content: 'rocket' });
    expect(w.github.comments.at(-1)?.body).toContain('`CANCELLED`');
    expect(w.github.comments).toHaveLength(1);
  });

  it('cancel of an ended run is refused in words', async (context) => {
    const { expect } = context;
    const w = await world(context);
    w.service.play = undefined;
    await runOnThread(w, 'SUCCEEDED');
    const step = await w.run(second('/agent cancel'));
    expect(step.outputs['reason-code']).toBe('run_ended');
    expect(w.github.comments.at(-1)?.body).toContain('the run has already ended');
  });

  it('more work is a follow-up to it, sent once, and its comment is the same one', async (context) => {
    const { expect } = context;
    const w = await world(context);
    w.service.play = undefined;
    const first = await runOnThread(w, 'SUCCEEDED');
    w.service.play = async (run, service) => {
      await service.whenAsked(run);
      end(service, run, 'SUCCEEDED', { words: 'Added.' });
    };
    const step = await w.run(second('/agent also add a changelog line'));
    expect(step.outputs).toMatchObject({
      'run-id': first.run_id,
      state: 'SUCCEEDED',
      'final-message': 'Added.',
    });
    expect(first.followups).toHaveLength(1);
    expect(first.followups[0]).toContain('also add a changelog line');
    expect(w.service.runs).toHaveLength(1);
    expect(w.github.comments).toHaveLength(1);
  });

  it('when-busy: skip leaves a working run alone', async (context) => {
    const { expect } = context;
    const w = await world(context);
    w.service.play = undefined;
    const first = await runOnThread(w, 'INPROGRESS');
    const step = await w.run(second('/agent more'), { inputs: { 'when-busy': 'skip' } });
    expect(step.outputs).toMatchObject({ 'reason-code': 'busy', skipped: 'true' });
    expect(first.followups).toEqual([]);
  });

  it('new starts another run', async (context) => {
    const { expect } = context;
    const w = await world(context);
    w.service.play = undefined;
    await runOnThread(w, 'INPROGRESS');
    w.service.play = (run, service) => end(service, run, 'SUCCEEDED');
    const step = await w.run(second('/agent new look from another side'));
    expect(w.service.runs).toHaveLength(2);
    expect(step.outputs['run-id']).toBe(w.service.runs[1]?.run_id);
    expect(w.github.comments).toHaveLength(2);
  });

  it('retry starts a new run of what the old one was asked', async (context) => {
    const { expect } = context;
    const w = await world(context);
    w.service.play = undefined;
    const first = await runOnThread(w, 'SUCCEEDED');
    w.service.play = (run, service) => end(service, run, 'SUCCEEDED');
    await w.run(second('/agent retry'));
    expect(w.service.runs).toHaveLength(2);
    expect(w.service.runs[1]?.prompt).toBe(first.prompt);
  });

  it('a command on the pull request it opened goes to the same run', async (context) => {
    const { expect } = context;
    const w = await world(context);
    w.service.play = undefined;
    const first = await runOnThread(w, 'SUCCEEDED');
    const pull = w.github.addPull({ number: 12, head: ownHead(first) });
    w.service.references.push({ url: pull.html_url, run_id: first.run_id });
    w.service.play = async (run, service) => {
      await service.whenAsked(run);
      end(service, run, 'SUCCEEDED');
    };
    const event = commentEvent('/agent also add a changelog line', {
      issue: onPullRequest(w.github),
      comment: { id: 600, node_id: 'IC_600' },
    });
    const step = await w.run(event);
    expect(step.outputs['run-id']).toBe(first.run_id);
    expect(first.followups).toHaveLength(1);
    expect(w.github.comments.filter(({ issue }) => issue === 12)).toHaveLength(1);
  });

  it('several commands in one comment are each answered', async (context) => {
    const { expect } = context;
    const w = await world(context);
    w.service.play = undefined;
    await runOnThread(w, 'INPROGRESS');
    await w.run(second('/agent status\n/agent cancel\n/agent help'));
    const bodies = w.github.comments.map(({ body }) => body);
    expect(bodies.some((body) => body.includes('INPROGRESS'))).toBe(true);
    expect(bodies.some((body) => body.includes('`CANCELLED`'))).toBe(true);
    expect(bodies.some((body) => body.includes('Begin a line'))).toBe(true);
  });
});

describe.concurrent('several commands in one comment', () => {
  it('are all taken up before any run is waited for, and each has its comment', async (context) => {
    const { expect } = context;
    const { service, github, run } = await world(context);
    service.play = (one, self) => {
      if (self.runs.length < 2) return;
      const [first] = self.runs;
      end(self, one, 'SUCCEEDED');
      if (first) end(self, first, 'FAILED');
    };
    const step = await run(commentEvent('/agent new do this\n/agent new do that'));
    const requests = service.runs.map(({ metadata }) => metadata['runlink.request']);
    expect(requests).toEqual(['comment:IC_1:1', 'comment:IC_1:2']);
    const endings = github.comments.map(({ body }) => /✅ Done|❌ Failed/.exec(body)?.[0]);
    expect(new Set(endings)).toEqual(new Set(['✅ Done', '❌ Failed']));
    expect(endings).toHaveLength(2);
    expect(step.outputs).toMatchObject({ state: 'FAILED', 'run-id': service.runs[0]?.run_id });
    expect(step.exitCode).toBe(1);
  });
});

describe.concurrent('a token that is not the workflow’s own', () => {
  it.for([
    ['an App’s, whose reactions say who it is', 'helper-app[bot]', { reactions: 'true' }, 0],
    ['a person’s, asked once where no reaction says it', 'machine-user', { reactions: 'false' }, 1],
  ] as const)('%s: its comment is found again', async ([, login, inputs, asked], context) => {
    const { expect } = context;
    const { service, github, run } = await world(context);
    github.login = login;
    service.play = (one, self) => end(self, one, 'SUCCEEDED');
    await run(commentEvent('/agent fix it'), { inputs });
    const isQuestion = ({ path }: { path: string }): boolean => path.endsWith('/graphql');
    expect(github.seen.filter(isQuestion)).toEqual([]);
    const forged = github.addComment(1, 'eve', github.comments[0]?.body ?? '');
    const more = commentEvent('/agent and that', { comment: { id: 502, node_id: 'IC_2' } });
    await run(more, { inputs });
    expect(service.runs).toHaveLength(1);
    expect(github.comments.map(({ user }) => user.login)).toEqual([login, 'eve']);
    expect(github.comments[1]?.body).toBe(forged.body);
    expect(github.seen.filter(isQuestion)).toHaveLength(asked);
    expect(github.reactions.length > 0).toBe(inputs.reactions === 'true');
  });
});
