import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Lease } from '../../src/contract/lease.ts';
import { listRunsResponse, type RunItem } from '../../src/contract/run.ts';
import {
  SCORE_REASON_MAX_BYTES,
  listScoresResponse,
  reportScoresResponse,
} from '../../src/contract/score.ts';
import { dispatchJudges } from '../../src/service/scores/dispatch-judges.ts';
import { startDriver, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let runs: RunDriver;
let key = '';

beforeAll(async () => {
  ({ service, runs, key } = await startDriver(() =>
    startTestService({
      config: {
        scorers: [
          { id: 7, name: 'quality', prompt: 'Is it good?', labels: ['good', 'bad'] },
          { id: 8, name: 'safety', prompt: 'Is it safe?', labels: ['safe', 'unsafe'] },
          { id: 9, name: 'elsewhere', team: 'others', prompt: 'p', labels: ['a'] },
        ],
      },
    }),
  ));
});
afterAll(() => service.close());

async function judgesOf(runId: string): Promise<RunItem[]> {
  const path = `/agent/runs?source=RUN_SCORER&metadata[runlink.scored_run]=${runId}`;
  const answer = await service.request('GET', path, { key });
  return listRunsResponse.parse(await answer.json()).runs;
}

/** A run that ended, and the lease of the judge that was sent for it. */
async function judged(prompt = 'Write a poem'): Promise<{ runId: string; judge: Lease }> {
  const runId = await runs.create({ prompt });
  await runs.complete(await runs.begin(), 'SUCCEEDED');
  await dispatchJudges(service.service.context, runId, 1);
  return { runId, judge: await runs.begin() };
}

function report(runId: string, as: string, results: unknown[]): Promise<Response> {
  return service.request('POST', `/agent/runs/${runId}/scores`, { key: as, body: { results } });
}

async function scoresOf(runId: string) {
  const answer = await service.request('GET', `/agent/runs/${runId}/scores`, { key });
  return listScoresResponse.parse(await answer.json()).scores;
}

describe('the judge of a run', () => {
  it('is sent when the run ends, once, with a key of its own and what it must know', async () => {
    const runId = await runs.create({ prompt: 'Write a poem about ```fences```' });
    await runs.complete(await runs.begin(), 'SUCCEEDED');
    await vi.waitFor(async () => expect(await judgesOf(runId)).toHaveLength(1), {
      timeout: 60_000,
    });
    const judge = await runs.begin();
    await dispatchJudges(service.service.context, runId, 1);
    const judges = await judgesOf(runId);
    expect(judges).toHaveLength(1);
    expect(judges[0]).toMatchObject({ source: 'RUN_SCORER', run_id: judge.run_id });
    expect(judge.prompt).toContain('Write a poem about ```fences```');
    expect(judge.prompt).toContain('````\nWrite a poem');
    expect(judge.prompt).toContain('Scorer 7: quality');
    expect(judge.prompt).toContain('"good", "bad"');
    expect(judge.prompt).not.toContain('elsewhere');
    expect(await scoresOf(runId)).toMatchObject([
      { scorer_id: 7, attempt_status: 'in_flight', scoring_run_id: judge.run_id },
      { scorer_id: 8, attempt_status: 'in_flight' },
    ]);
    await runs.complete(judge, 'SUCCEEDED');
  });

  it('is not judged itself, and leaves a failed attempt when it says nothing', async () => {
    const { runId, judge } = await judged();
    await runs.complete(judge, 'SUCCEEDED');
    expect(await scoresOf(runId)).toMatchObject([
      { scorer_id: 7, attempt_status: 'failed', classification: null },
      { scorer_id: 8, attempt_status: 'failed' },
    ]);
    await dispatchJudges(service.service.context, judge.run_id, 1);
    expect(await judgesOf(judge.run_id)).toEqual([]);
  });
});

describe('POST /agent/runs/{runId}/scores (interface.md 4.2)', () => {
  it('accepts or rejects each verdict by itself: 200 for all, 206 for some', async () => {
    const { runId, judge } = await judged();
    const all = await report(runId, judge.run_key, [
      { scorer_id: 7, classification: 'good', reason: 'It rhymes' },
    ]);
    expect(all.status).toBe(200);
    const some = await report(runId, judge.run_key, [
      { scorer_id: 7, classification: 'splendid' },
      { scorer_id: 8, classification: 'safe' },
      { scorer_id: 9, classification: 'a' },
      { scorer_id: 8 },
    ]);
    expect(some.status).toBe(206);
    expect(reportScoresResponse.parse(await some.json()).results).toMatchObject([
      { scorer_id: 7, status: 'rejected', error: expect.stringContaining('"good", "bad"') },
      { scorer_id: 8, status: 'accepted' },
      { scorer_id: 9, status: 'rejected' },
      { scorer_id: 8, status: 'rejected', error: expect.stringContaining('missing') },
    ]);
    const unread = await report(runId, judge.run_key, [
      { scorer_id: 8, classification: 5 },
      'good',
      { scorer_id: 'x', classification: 'safe' },
      { scorer_id: 8, classification: 'safe', reason: 'not \0 storable' },
      { scorer_id: 8, classification: JSON.parse('['.repeat(99) + ']'.repeat(99)) },
      { scorer_id: 8, classification: 'safe' },
    ]);
    expect(unread.status).toBe(206);
    expect(reportScoresResponse.parse(await unread.json()).results).toMatchObject([
      { scorer_id: 8, status: 'rejected', error: expect.stringContaining('classification') },
      { scorer_id: 0, status: 'rejected' },
      { scorer_id: 0, status: 'rejected', error: expect.stringContaining('scorer_id') },
      { scorer_id: 8, status: 'rejected', error: expect.stringContaining('reason') },
      { scorer_id: 8, status: 'rejected', error: expect.stringContaining('classification') },
      { scorer_id: 8, status: 'accepted' },
    ]);
    expect(await scoresOf(runId)).toMatchObject([
      { scorer_id: 7, attempt_status: 'scored', classification: 'good', reason: 'It rhymes' },
      { scorer_id: 8, attempt_status: 'scored', classification: 'safe', reason: null },
    ]);
    await runs.complete(judge, 'SUCCEEDED');
  });

  it('replaces an earlier verdict, and records none for a judge that could not evaluate', async () => {
    const { runId, judge } = await judged();
    await report(runId, judge.run_key, [{ scorer_id: 7, classification: 'good' }]);
    await report(runId, judge.run_key, [{ scorer_id: 7, classification: 'bad' }]);
    expect((await scoresOf(runId))[0]).toMatchObject({ classification: 'bad' });
    const answer = await report(runId, judge.run_key, [
      { scorer_id: 7, classification: null, reason: null, failed: true },
    ]);
    expect(answer.status).toBe(200);
    expect((await scoresOf(runId))[0]).toMatchObject({
      attempt_status: 'failed',
      classification: null,
    });
    await runs.complete(judge, 'SUCCEEDED');
  });

  it('is judged anew after a follow-up, replacing the scores', async () => {
    const { runId, judge } = await judged();
    await report(runId, judge.run_key, [{ scorer_id: 7, classification: 'good' }]);
    await runs.complete(judge, 'SUCCEEDED');
    await runs.ask('POST', `/agent/runs/${runId}/followups`, { message: 'Again' });
    await runs.complete(await runs.begin(), 'SUCCEEDED');
    await vi.waitFor(async () => expect(await judgesOf(runId)).toHaveLength(2), {
      timeout: 60_000,
    });
    expect((await scoresOf(runId))[0]).toMatchObject({
      attempt_status: 'in_flight',
      classification: 'good',
    });
    const second = await runs.begin();
    await report(runId, second.run_key, [{ scorer_id: 7, classification: 'bad' }]);
    expect((await scoresOf(runId))[0]).toMatchObject({ classification: 'bad' });
    await runs.complete(second, 'SUCCEEDED');
  });

  it('cuts a reason at 8 KB, never inside a character', async () => {
    const { runId, judge } = await judged();
    await report(runId, judge.run_key, [
      { scorer_id: 7, classification: 'good', reason: `a${'é'.repeat(SCORE_REASON_MAX_BYTES)}` },
    ]);
    const reason = (await scoresOf(runId))[0]?.reason ?? '';
    expect(Buffer.byteLength(reason)).toBe(SCORE_REASON_MAX_BYTES - 1);
    expect(reason.endsWith('é')).toBe(true);
    await runs.complete(judge, 'SUCCEEDED');
  });

  it('takes no key but that of the judge sent for this run, while the judge works', async () => {
    const { runId, judge } = await judged();
    const verdict = [{ scorer_id: 7, classification: 'good' }];
    expect((await report(runId, key, verdict)).status).toBe(403);
    const otherTeam = await service.personalKey('others', 'other');
    expect((await report(runId, otherTeam, verdict)).status).toBe(403);
    const another = await judged();
    expect((await report(runId, another.judge.run_key, verdict)).status).toBe(404);
    expect((await report(judge.run_id, judge.run_key, verdict)).status).toBe(404);
    await runs.complete(judge, 'SUCCEEDED');
    await runs.complete(another.judge, 'SUCCEEDED');
    expect((await report(runId, judge.run_key, verdict)).status).toBe(401);
  });

  it.each([
    ['no results', { results: [] }],
    ['nothing', {}],
  ])('refuses %s as a whole', async (_, body) => {
    const { runId, judge } = await judged();
    const options = { key: judge.run_key, body };
    const answer = await service.request('POST', `/agent/runs/${runId}/scores`, options);
    expect(answer.status).toBe(400);
    await runs.complete(judge, 'SUCCEEDED');
  });
});
