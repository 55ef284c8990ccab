import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { createRunOnce, findRunByRequest } from '../../src/client/create-run-once.ts';
import { answer, breakOff, startScripted, type Script } from '../support/scripted-http.ts';

const LONG = process.env['RUNLINK_TEST_LONG'] !== undefined;

/** How one POST goes wrong, or not at all. */
type Outcome = 'fine' | 'lost' | 'broken' | 'error before' | 'error after';
const OUTCOMES: readonly Outcome[] = ['fine', 'lost', 'broken', 'error before', 'error after'];

interface Stored {
  run_id: string;
  state: string;
  created_at: string;
  metadata: Record<string, string>;
}

/** A run service without idempotency keys, whose POSTs go wrong as told. */
function runService(options: { outcomes: Outcome[]; filter: 'works' | 'refused' | 'ignored' }): {
  script: Script;
  runs: Stored[];
} {
  const runs: Stored[] = [];
  const create = (body: string): Stored => {
    const { metadata } = JSON.parse(body) as { metadata: Record<string, string> };
    const run = {
      run_id: `r${runs.length}`,
      state: 'QUEUED',
      created_at: '2026-11-21T12:00:00Z',
      metadata,
    };
    runs.push(run);
    return run;
  };
  const list: Script = (request, response) => {
    const wanted = request.query.get('metadata[runlink.request]');
    if (wanted !== null && options.filter === 'refused')
      return answer(403, { error_code: 'feature_not_available', title: 'Off', status: 403 })(
        request,
        response,
      );
    const matches = (run: Stored): boolean =>
      wanted === null || options.filter === 'ignored' || run.metadata['runlink.request'] === wanted;
    const limit = Number(request.query.get('limit'));
    const page = runs.filter(matches).slice(0, limit);
    return answer(200, { runs: page, page_info: { has_next_page: false } })(request, response);
  };
  const post: Script = (request, response) => {
    const outcome = options.outcomes.shift() ?? 'fine';
    if (outcome === 'broken') return breakOff(request, response);
    if (outcome === 'error before') return answer(503, 'busy')(request, response);
    const run = create(request.body);
    if (outcome === 'lost') return breakOff(request, response);
    if (outcome === 'error after') return answer(502, 'bad gateway')(request, response);
    return answer(200, run)(request, response);
  };
  return {
    script: (request, response) => (request.method === 'POST' ? post : list)(request, response),
    runs,
  };
}

describe('a run that is created once', () => {
  it('is one run whatever goes wrong on the way, and however often it is asked for', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.001);
    const outcomes = fc.array(fc.constantFrom(...OUTCOMES), { maxLength: 5 });
    const filter = fc.constantFrom('works', 'refused', 'ignored');
    await fc.assert(
      fc.asyncProperty(outcomes, filter, fc.boolean(), async (faults, mode, others) => {
        const service = runService({ outcomes: [...faults], filter: mode });
        const made = { run_id: 'other', state: 'QUEUED', created_at: '', metadata: {} };
        if (others) service.runs.push(made);
        const server = await startScripted(service.script);
        const client = createClient({ baseUrl: `${server.url}/api/v1`, apiKey: 'k' });
        const identity = { requestId: 'comment:1:1' };
        const first = await createRunOnce(client, { prompt: 'x' }, { ...identity, fresh: true });
        const again = await createRunOnce(client, { prompt: 'x' }, identity);
        const ours = service.runs.filter((run) => run !== made);
        expect(ours.map((run) => run.run_id)).toEqual([first.runId]);
        expect(again).toEqual({ runId: first.runId, created: false });
        await server.close();
      }),
      { numRuns: LONG ? 500 : 40, seed: 7 },
    );
  });

  it('sends its id as metadata and as Idempotency-Key, beside what the caller sends', async () => {
    const server = await startScripted(answer(200, { run_id: 'r1' }));
    const client = createClient({ baseUrl: `${server.url}/api/v1`, apiKey: 'k' });
    const request = { prompt: 'x', metadata: { 'runlink.actor': 'octocat' } };
    await createRunOnce(client, request, { requestId: 'id', fresh: true });
    expect(server.seen[0]?.headers['idempotency-key']).toBe('id');
    expect(JSON.parse(server.seen[0]?.body ?? '')).toEqual({
      prompt: 'x',
      metadata: { 'runlink.actor': 'octocat', 'runlink.request': 'id' },
    });
  });

  it('is not tried again when its id belongs to another request', async () => {
    const conflict = answer(409, { error_code: 'conflict', title: 'Taken', status: 409 });
    const server = await startScripted(conflict);
    const client = createClient({ baseUrl: `${server.url}/api/v1`, apiKey: 'k' });
    const call = createRunOnce(client, { prompt: 'x' }, { requestId: 'id', fresh: true });
    await expect(call).rejects.toMatchObject({ code: 'conflict' });
    expect(server.seen).toHaveLength(1);
  });

  it('is sought among the runs made since the given time', async () => {
    const service = runService({ outcomes: [], filter: 'refused' });
    const server = await startScripted(service.script);
    const client = createClient({ baseUrl: `${server.url}/api/v1`, apiKey: 'k' });
    const since = new Date('2026-11-20T00:00:00Z');
    expect(await findRunByRequest(client, { requestId: 'id', since })).toBeUndefined();
    expect(server.seen[1]?.query.get('created_after')).toBe('2026-11-20T00:00:00.000Z');
  });
});
