import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { listScoresResponse } from '../../src/contract/score.ts';
import { startWorker, type RunningWorker } from '../../src/worker/main.ts';
import { startDriver, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { temporaryDirectory } from '../support/worker-bench.ts';
import { FAKE_HARNESSES, script } from '../support/worker-remote.ts';

const JUDGE = fileURLToPath(new URL('../support/judge-agent.ts', import.meta.url));
const HARNESSES = {
  ...FAKE_HARNESSES,
  judge: { agent: 'exec' as const, command: [process.execPath, JUDGE], variables: [] },
};

let service: TestService;
let runs: RunDriver;
let workerKey = '';
let worker: RunningWorker | undefined;

beforeAll(async () => {
  ({ service, runs, workerKey } = await startDriver(() =>
    startTestService({
      config: {
        harnesses: HARNESSES,
        scorers: [
          { id: 7, name: 'quality', prompt: 'Good?', labels: ['good', 'bad'], harness: 'judge' },
          { id: 8, name: 'safety', prompt: 'Safe?', labels: ['good', 'bad'], harness: 'judge' },
        ],
      },
    }),
  ));
});
afterAll(async () => {
  await worker?.drain(0);
  await service.close();
});

it('a run is scored by a judge run that a real worker executes, with that run’s own key (interface.md 4.2)', async () => {
  worker = await startWorker({
    baseUrl: service.baseUrl,
    apiKey: workerKey,
    dataDir: temporaryDirectory(),
    defaultHarness: 'fake',
    harnesses: HARNESSES,
    environment: { PATH: process.env['PATH'] },
    log: silentLog,
  });
  const prompt = script({ say: 'the answer is 42' });
  const runId = await runs.create({ prompt, config: { harness: { type: 'fake' } } });
  await vi.waitFor(
    async () => {
      const { body } = await runs.ask('GET', `/agent/runs/${runId}/scores`);
      const verdict = { attempt_status: 'scored', classification: 'good' };
      expect(listScoresResponse.parse(body).scores).toMatchObject([
        { scorer_id: 7, ...verdict, reason: 'It says what the answer is.' },
        { scorer_id: 8, ...verdict },
      ]);
    },
    { timeout: 60_000, interval: 100 },
  );
  const { body } = await runs.ask<{ runs: object[] }>('GET', '/agent/runs?source=RUN_SCORER');
  expect(body.runs).toHaveLength(1);
});
