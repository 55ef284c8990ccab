import { describe, expect, it, vi } from 'vitest';
import {
  BOT,
  commentOf,
  freshId,
  from,
  pullOf,
  soon,
  worldOfFile,
  type Place,
} from '../support/app-world.ts';
import { end } from '../support/fake-service.ts';

const world = await worldOfFile();

const SHA = 'c'.repeat(40);

/** A pull request of a person, of whom nobody asked anything yet. */
function pullRequest(): Place {
  const place = world.place();
  const repo = { full_name: place.repository };
  world.github.addPull({
    number: place.number,
    user: { login: 'alice' },
    html_url: `https://github.example/${place.repository}/pull/${place.number}`,
    head: { ref: 'topic', sha: SHA, repo },
    base: { ref: 'main', repo },
  });
  return place;
}

/** Somebody writes on a line of code; `thread` is the comment that opened the review thread. */
async function onLine(place: Place, body: string, thread?: number) {
  const id = freshId();
  const guid = `line-${id}`;
  await world.send(
    'pull_request_review_comment',
    {
      ...from(place, 'created'),
      pull_request: pullOf(place, SHA),
      comment: {
        ...commentOf(place, body, { login: 'alice' }, id),
        path: 'src/price.js',
        line: 8,
        diff_hunk: '@@ -6,3 +6,3 @@\n-  return count > 10;',
        ...(thread === undefined ? {} : { in_reply_to_id: thread }),
      },
    },
    guid,
  );
  return { id, guid };
}

function repliesTo(thread: number): string[] {
  return world.github.replies.filter(({ to }) => to === thread).map(({ body }) => body);
}

describe.concurrent('a comment on a line', () => {
  it('is answered in its thread, and its run knows the code it is about', async () => {
    const place = pullRequest();
    const asked = await onLine(place, '/agent is this bound right?');
    expect(await world.reasonOf(asked)).toBe('started');
    const run = await world.runOf(place);
    expect(run.prompt).toMatch(/src\/price\.js line 8[\s\S]*return count > 10/);
    end(world.service, run, 'SUCCEEDED');
    await vi.waitFor(
      () => expect(repliesTo(asked.id)).toEqual([expect.stringContaining('`SUCCEEDED`')]),
      soon,
    );
    await vi.waitFor(() => expect(world.reactionsOn(asked.id)).toEqual(['rocket']), soon);
    expect(world.bodiesOn(place)).toEqual([]);
  });

  it('that replies in a thread is answered under the comment that opened it', async () => {
    const place = pullRequest();
    const opened = freshId();
    expect(await world.reasonOf(await onLine(place, '/agent status', opened))).toBe('no_run');
    await vi.waitFor(() => expect(repliesTo(opened)).toHaveLength(1), soon);
    expect(world.bodiesOn(place)).toEqual([]);
  });

  it('in another thread of the same pull request tells the run more, and is answered there', async () => {
    const place = pullRequest();
    const first = await onLine(place, '/agent is this bound right?');
    await world.reasonOf(first);
    const run = await world.runOf(place);
    const second = await onLine(place, '/agent and is this name right?');
    expect(await world.reasonOf(second)).toBe('followed_up');
    expect(run.followups[0]).toMatch(/and is this name right\?[\s\S]*src\/price\.js line 8/);
    end(world.service, run, 'BLOCKED', { status_message: { message: 'Which name?' } });
    for (const { id } of [first, second]) {
      await vi.waitFor(
        () => expect(repliesTo(id)[0]).toMatch(/`BLOCKED`[\s\S]*Which name\?/),
        soon,
      );
      await vi.waitFor(() => expect(world.reactionsOn(id)).toContain('confused'), soon);
    }
    await vi.waitFor(() => expect(world.reactionsOn(second.id)).toEqual(['confused']), soon);
    const tracking = repliesTo(second.id).filter((body) => body.includes('runlink run='));
    expect(tracking).toHaveLength(1);
    expect(world.github.comments.filter(({ issue }) => issue === place.number)).toEqual([]);
  });
});

describe.concurrent('the text of a review', () => {
  const review = (place: Place, body: string, action = 'submitted') => {
    const id = freshId();
    const guid = `review-${id}`;
    const text = { ...commentOf(place, body, { login: 'alice' }, id), state: 'commented' };
    const payload = { ...from(place, action), pull_request: pullOf(place, SHA), review: text };
    return world.send('pull_request_review', payload, guid).then((taken) => ({ guid, taken }));
  };

  it('holds commands like a comment, is shown its run, and gets a check on the head', async () => {
    const place = pullRequest();
    const text = 'Good, but the bound is wrong.\n\n/agent fix the bound';
    expect(await world.reasonOf(await review(place, text))).toBe('started');
    const run = await world.runOf(place);
    expect(run.metadata).toMatchObject({ 'runlink.sha': SHA, 'runlink.comment_kind': 'review' });
    end(world.service, run, 'SUCCEEDED');
    await vi.waitFor(
      () => expect(world.bodiesOn(place)).toEqual([expect.stringContaining('`SUCCEEDED`')]),
      soon,
    );
    await vi.waitFor(() => {
      const checks = world.github.checks.filter((check) => check['external_id'] === run.run_id);
      expect(checks).toMatchObject([{ head_sha: SHA, conclusion: 'success' }]);
    }, soon);
    expect(world.github.reactions.filter(({ on }) => on.endsWith(`/${place.number}`))).toEqual([]);
  });

  it('and its comments on lines are handled side by side with it, each once', async () => {
    const place = pullRequest();
    const [whole, line] = await Promise.all([
      review(place, '/agent fix the bound'),
      onLine(place, '/agent help'),
    ]);
    expect(await world.reasonOf(whole)).toBe('started');
    expect(await world.reasonOf(line)).toBe('reported_help');
    await vi.waitFor(() => expect(repliesTo(line.id)).toHaveLength(1), soon);
    await world.runOf(place);
  });

  it('that is edited or dismissed starts nothing (threats.md G3)', async () => {
    const place = pullRequest();
    for (const action of ['edited', 'dismissed']) {
      expect((await review(place, '/agent fix it', action)).taken).toBe('not_created');
    }
  });

  it('quoted back, ours or anybody’s, is no command (threats.md G2)', async () => {
    const place = pullRequest();
    const text = '> /agent fix the bound\n\nI agree.\n\n```\n/agent do it\n```\n\n`/agent x`';
    expect(await world.reasonOf(await review(place, text))).toBe('not_a_command');
    const own = { login: BOT, type: 'Bot' };
    const said = await world.say(place, '/agent fix it', own);
    expect(await world.reasonOf(said)).toBe('own_comment');
    expect(world.runsOf(place)).toEqual([]);
  });
});
