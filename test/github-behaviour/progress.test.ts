import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readCommands } from '../../src/github/decide/command.ts';
import { progressLines, roughly } from '../../src/github/render/progress.ts';
import { commentEvent, startWorld } from '../support/action-world.ts';
import { keepWorking, soon, startAppWorld } from '../support/app-world.ts';
import { end, logged, type FakeRun } from '../support/fake-service.ts';

const HOSTILE =
  '@octocat closes #1 <img src=x> [it](https://evil.example) https://github.com/a/b/issues/1';

/** A run that plans, says and does something, and works on. */
function work(run: FakeRun): void {
  keepWorking(run);
  run['request_usage'] = { inference_cost_usd: 0.42 };
  const entries = [
    { content: 'Read the code', status: 'completed' },
    { content: '/agent cancel', status: 'in_progress' },
    { content: HOSTILE, status: 'pending' },
  ];
  const call = { call_id: 'c1', kind: 'execute', status: 'failed', exit_code: 1 };
  logged(
    run,
    { type: 'message', message_id: 'm1', role: 'assistant', delta: 'I look.\n::error::forged' },
    { type: 'plan', entries },
    {
      ...call,
      type: 'tool_call',
      title: 'Run the tests',
      input: { command: 'npm test ##[error]x\n::add-mask::y' },
      output_delta: '1 failed: test-key\n::set-output name=a::b',
    },
    { type: 'tool_call', call_id: 'c2', kind: 'execute', status: 'running', title: 'npm run lint' },
  );
}

function expectTicks(body: string): void {
  expect(body).toContain('**Plan** (1 of 3 done)');
  expect(body).toContain('- [x] Read the code');
  expect(body).toContain('- [ ] **\\/agent cancel**');
  expect(body).toContain('Now: npm run lint');
  expect(body).toContain('· $0.42 ·');
  expect(body.replace(/^<!--.*-->/, '')).not.toMatch(/@octocat|#1\b|<img|(?<!\\)\]\(|https:\/\/g/);
}

describe('a plan that ticks', () => {
  it('stands on the one comment of the Action while it waits, and goes when the run ends (docs: rest/issues/comments)', async () => {
    const { github, service, start, close } = await startWorld();
    onTestFinished(close);
    service.play = work;
    const step = await start(commentEvent('/agent mend it'));
    await vi.waitFor(() => expectTicks(github.comments[0]?.body ?? ''), soon);
    const [run] = service.runs;
    if (run) end(service, run, 'SUCCEEDED');
    const { stdout, exitCode } = await step.done;
    expect(exitCode).toBe(0);
    expect(github.comments).toHaveLength(1);
    expect(github.comments[0]?.body).not.toContain('Plan');
    expect(github.comments[0]?.body).toMatch(/`SUCCEEDED` · \S+ · \$0\.42 · /);
    expect(stdout).toMatch(/\d\d:\d\d:\d\d I look\.\n: :error::forged/);
    expect(stdout).toMatch(
      /::group::\d\d:\d\d:\d\d \$ npm test # #\[error\]x ::add-mask::y \(failed, exit 1, 0\.0s\)/,
    );
    expect(stdout).toContain('1 failed: ***\n: :set-output name=a::b');
    expect(stdout).toMatch(
      /^\d\d:\d\d:\d\d Plan, 1 of 3 done:\n {2}\[x\] Read the code\n {2}\[>\] \/agent cancel/m,
    );
    expect(stdout).toContain('Done (SUCCEEDED) after');
    const [, told] = stdout.split('Started run');
    expect(told).not.toMatch(/^\s*::(?:error|add-mask|set-output)/m);
  });

  it('stands on the App’s comment too, and is picked up by the next process (docs: rest/issues/comments)', async () => {
    const world = await startAppWorld({ settings: { lookEveryMs: 50 } });
    onTestFinished(() => world.close());
    world.service.play = keepWorking;
    const place = world.place();
    await world.say(place, '/agent mend it');
    const run = await world.runOf(place);
    work(run);
    await vi.waitFor(() => expectTicks(world.bodiesOn(place)[0] ?? ''), soon);
    await world.restart(() => {
      const entries = [{ content: 'Read the code', status: 'completed' }];
      logged(run, { type: 'plan', entries });
    });
    await vi.waitFor(
      () => expect(world.bodiesOn(place)[0]).toContain('**Plan** (1 of 1 done)'),
      soon,
    );
    expect(world.bodiesOn(place)).toHaveLength(1);
    end(world.service, run, 'BLOCKED');
    await vi.waitFor(() => expect(world.bodiesOn(place)[0]).toContain('`BLOCKED`'), soon);
    expect(world.bodiesOn(place)[0]).not.toContain('Plan');
  });

  it('is edited half as often where a run is shown on two threads (docs: using-the-rest-api/rate-limits)', async () => {
    const world = await startAppWorld({ settings: { lookEveryMs: 50, editEveryMs: 60_000 } });
    onTestFinished(() => world.close());
    world.service.play = keepWorking;
    const place = world.place();
    await world.say(place, '/agent mend it');
    const run = await world.runOf(place);
    await vi.waitFor(() => expect(world.bodiesOn(place)[0]).toContain('`INPROGRESS`'), soon);
    const { pool } = world.database;
    await pool.query(
      `insert into app.run_threads (run_id, repository, number, is_pull_request, actor, asked)
        values ($1, $2, 999999, false, 'alice', true)`,
      [run.run_id, place.repository],
    );
    let step = 0;
    await vi.waitFor(async () => {
      logged(run, { type: 'plan', entries: [{ content: `Step ${(step += 1)}` }] });
      const { rows } = await pool.query<{ wait: number }>(
        `select extract(epoch from run_at - edited_at)::float8 as wait from app.posts
          where kind = 'comment' and edited_at is not null and written < version`,
      );
      expect(rows.map(({ wait }) => Math.round(wait))).toEqual([120, 120]);
    }, soon);
  });

  it('holds no command, whatever a step is called, and is cut around the step under way (threats.md G8)', async () => {
    const plan = Array.from({ length: 60 }, (_, at) => ({
      content: [`${'/'.repeat(at % 4)}agent x`, '**/agent x**', `${at}`.repeat(9999)][at % 3] ?? '',
      status: at < 30 ? 'completed' : 'pending',
    }));
    const lines = progressLines({ plan, step: '\u200B/agent stop', cost: '' });
    expect(await readCommands(lines.join('\n'), { phrase: '/agent' })).toEqual([]);
    expect(lines.filter((line) => /^- \[[ x]\]/.test(line))).toHaveLength(20);
    expect(lines).toContain('- … 22 earlier');
    expect(lines).toContain('- … 18 more');
    expect(lines.join('\n').length).toBeLessThan(6000);
  });

  it.each([
    [59_000, ''],
    [61_000, '1 min'],
    [59 * 60_000, '55 min'],
    [100 * 60_000, '1 h 30 min'],
    [120 * 60_000, '2 h'],
  ])('says %d ms in words that change seldom: %j', (ms, words) => {
    expect(roughly(ms)).toBe(words);
  });
});
