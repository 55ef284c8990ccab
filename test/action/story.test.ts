import { onTestFinished, describe, expect, it } from 'vitest';
import { end, now } from '../support/fake-service.ts';
import { commentEvent, startWorld } from '../support/action-world.ts';
import { ownHead } from '../support/own-branch.ts';

function fail(): never {
  throw new Error('there is none');
}

describe('a comment with a command', () => {
  it('starts a run, waits, keeps one comment, reports the pull request and writes every output', async () => {
    const world = await startWorld();
    onTestFinished(() => world.close());
    world.service.play = async (run, service) => {
      world.github.addPull({ number: 12, title: 'Fix the login test', head: ownHead(run) });
      await service.whenAsked(run);
      service.change(run, { state: 'INPROGRESS', started_at: now() });
      await service.whenAsked(run);
      const url = `${world.github.url}/acme/widgets/pull/12`;
      end(service, run, 'SUCCEEDED', {
        status_message: { message: 'The test passes.' },
        words: 'Fixed @octocat’s test, closes #1.',
        artifacts: [
          {
            artifact_type: 'PULL_REQUEST',
            created_at: now(),
            data: { url, branch: 'runlink/x' },
          },
        ],
      });
    };

    const running = await world.start(commentEvent('/agent fix the failing test'));
    const step = await running.done;

    expect(step.stderr).toBe('');
    expect(step.exitCode).toBe(0);
    expect(world.service.runs).toHaveLength(1);
    const [run = fail()] = world.service.runs;
    expect(run.prompt).toContain('fix the failing test');
    expect(run.metadata).toMatchObject({
      'runlink.request': 'comment:IC_1:1',
      'runlink.repository': 'acme/widgets',
      'runlink.thread': 'acme/widgets#1',
      'runlink.comment': '501',
      'runlink.actor': 'alice',
    });
    expect(world.github.comments).toHaveLength(1);
    const [comment = fail()] = world.github.comments;
    expect(comment.body).toContain('✅ Done');
    expect(comment.body).toContain(`[acme/widgets#12](${world.github.url}/acme/widgets/pull/12)`);
    expect(comment.body).toContain('The test passes.');
    expect(comment.body).toContain('@&#8203;octocat’s test, closes #&#8203;1');
    expect(comment.body).toContain(`${world.service.url}/runs/${run.run_id}`);
    expect(world.service.references).toEqual([
      { url: `${world.github.url}/acme/widgets/pull/12`, run_id: run.run_id },
    ]);
    expect(world.github.reactions).toEqual([{ on: 'issues/501', content: 'rocket' }]);
    expect(step.outputs).toMatchObject({
      'run-id': run.run_id,
      state: 'SUCCEEDED',
      conclusion: 'success',
      'reason-code': 'succeeded',
      'final-message': 'Fixed @octocat’s test, closes #1.',
      'session-link': `${world.service.url}/runs/${run.run_id}`,
      'status-message': 'The test passes.',
      'pull-request-url': `${world.github.url}/acme/widgets/pull/12`,
      'comment-url': comment.html_url,
      skipped: 'false',
    });
    expect(JSON.parse(step.outputs['outcome'] ?? '')).toMatchObject({
      version: 1,
      state: 'SUCCEEDED',
      pull_request_urls: [`${world.github.url}/acme/widgets/pull/12`],
      skipped: false,
    });
    expect(step.summary).toContain('`SUCCEEDED`');
    expect(step.summary).toContain(`${world.github.url}/acme/widgets/pull/12`);
    // Permission, two reactions and the removal of the first; the comment found, written, looked at
    // again, edited while the run works and at its end; its pull request.
    expect(world.github.seen.length).toBeLessThanOrEqual(10);
  });
});
