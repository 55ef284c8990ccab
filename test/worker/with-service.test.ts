import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import type { RunState } from '../../src/contract/run.ts';
import { API_PREFIX } from '../../src/service/http/mount.ts';
import { startWorker } from '../../src/worker/main.ts';
import { pidsMarked } from '../../src/worker/sandbox/process-marker.ts';
import { listRunFiles } from '../../src/worker/lease/run-file.ts';
import { startDriver, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { temporaryDirectory } from '../support/worker-bench.ts';
import { FAKE_AGENT, FAKE_HARNESSES, script } from '../support/worker-remote.ts';

const HARNESSES = {
  ...FAKE_HARNESSES,
  asking: {
    agent: 'acp' as const,
    command: [process.execPath, FAKE_AGENT],
    permissions: 'refused' as const,
  },
};
const WITHIN = { timeout: 45_000, interval: 100 };

let service: TestService;
let runs: RunDriver;
let workerKey = '';

beforeAll(async () => {
  ({ service, runs, workerKey } = await startDriver(() =>
    startTestService({ config: { harnesses: HARNESSES } }),
  ));
});
afterAll(() => service.close());

/** A worker that reaches the service over a network of its own. */
async function startRemoteWorker(): Promise<{ network: TcpProxy; dataDir: string }> {
  const { hostname, port } = new URL(service.url);
  const network = await startTcpProxy({ host: hostname, port: Number(port) });
  onTestFinished(() => network.close());
  const dataDir = temporaryDirectory();
  const worker = await startWorker({
    baseUrl: `http://127.0.0.1:${network.port}${API_PREFIX}`,
    apiKey: workerKey,
    dataDir,
    harnesses: HARNESSES,
    environment: { PATH: process.env['PATH'] },
    limits: { cancelGraceMs: 500 },
    log: silentLog,
  });
  onTestFinished(() => worker.drain(0));
  return { network, dataDir };
}

const create = (type: string, ...steps: Parameters<typeof script>): Promise<string> =>
  runs.create({ prompt: script(...steps), config: { harness: { type } } });

async function reaches(runId: string, state: RunState): Promise<void> {
  await vi.waitFor(async () => expect((await runs.get(runId)).state).toBe(state), WITHIN);
}

/** All that the agent said, as the service has it. */
async function said(runId: string): Promise<string> {
  const { rows } = await service.service.context.database.pool.query<{ text: string | null }>(
    `select string_agg(data->>'delta', '' order by position) as text
     from run_events where run_id = $1 and type = 'message'`,
    [runId],
  );
  return rows[0]?.text ?? '';
}

describe('a permission that is refused by policy', () => {
  it('blocks the run with the question, and a follow-up answers it', async () => {
    await startRemoteWorker();
    const runId = await create('asking', { ask: 'rm -r build' }, { say: 'I stop.' });
    await reaches(runId, 'BLOCKED');
    expect((await runs.get(runId)).status_message).toMatchObject({
      message: 'The agent asked for permission: rm -r build',
    });
    const message = script({ say: 'Then without it.', id: 'second' });
    const answer = await runs.ask<{ mode: string }>('POST', `/agent/runs/${runId}/followups`, {
      message,
    });
    expect(answer.status).toBe(200);
    await reaches(runId, 'SUCCEEDED');
    expect((await runs.get(runId)).status_message).toMatchObject({ message: 'Then without it.' });
    expect(await said(runId)).toMatch(/Then without it\.$/);
  });
});

describe('an image that comes with a follow-up', () => {
  it('is shown to the agent, while it works and after its end', async () => {
    const { dataDir } = await startRemoteWorker();
    const runId = await create(
      'fake',
      { say: 'start' },
      { shell: 'until [ -e go ]; do sleep 0.05; done' },
    );
    const tell = async (message: string): Promise<void> => {
      const path = `/agent/runs/${runId}`;
      const files = [{ filename: 'a.png', mime_type: 'image/png' }];
      const { body } = await runs.ask<{
        attachments: [{ attachment_id: string; upload_url: string }];
      }>('POST', `${path}/attachments/prepare`, { files });
      const [{ attachment_id, upload_url }] = body.attachments;
      await fetch(upload_url, { method: 'PUT', body: 'an image' });
      const attachments = [{ attachment_id }];
      const { status } = await runs.ask('POST', `${path}/followups`, { message, attachments });
      expect(status).toBe(200);
    };
    await vi.waitFor(async () => expect(await said(runId)).toContain('start'), WITHIN);
    await tell('look');
    const [workspace] = globSync('runs/*/workspace', { cwd: dataDir });
    writeFileSync(join(dataDir, workspace ?? '', 'go'), '');
    await reaches(runId, 'SUCCEEDED');
    expect(await said(runId)).toBe('startlook[image]');
    await tell('again');
    await vi.waitFor(async () => expect(await said(runId)).toContain('again[image]'), WITHIN);
    await reaches(runId, 'SUCCEEDED');
  });
});

describe('a network between worker and service', () => {
  it('that is cut, or lets nothing through, for a while loses nothing of the log', async () => {
    const { network, dataDir } = await startRemoteWorker();
    const runId = await create(
      'fake',
      { say: 'start', id: 's' },
      { shell: 'sleep 0.3' },
      { burst: 500 },
      { shell: 'touch first; sleep 0.3' },
      { burst: 500 },
      { shell: 'touch second' },
      { say: 'end', id: 'e' },
    );
    /** Until the agent came so far, and something that the worker sent since did not arrive. */
    const isLost = async (file: string): Promise<void> => {
      await vi.waitFor(
        () => expect(globSync(`**/${file}`, { cwd: dataDir })).toHaveLength(1),
        WITHIN,
      );
      const before = network.lost();
      await vi.waitFor(() => expect(network.lost()).toBeGreaterThan(before), WITHIN);
    };
    await vi.waitFor(async () => expect(await said(runId)).toContain('start'), WITHIN);
    network.cut();
    await isLost('first');
    network.mend();
    network.freeze();
    await isLost('second');
    network.mend();
    await reaches(runId, 'SUCCEEDED');
    const burst = Array.from({ length: 500 }, (_, index) => `${index}\n`).join('');
    expect(await said(runId)).toBe(`start${burst}${burst}end`);
  });

  it('that is cut until the lease is over ends the run there, and its agent here', async () => {
    const { network, dataDir } = await startRemoteWorker();
    const runId = await create('fake', { say: 'start' }, { shell: 'sleep 60' }, { say: 'late' });
    await vi.waitFor(async () => expect(await said(runId)).toContain('start'), WITHIN);
    network.cut();
    // What the service held of it when the network went may renew its lease once more.
    await vi.waitFor(async () => {
      await service.service.context.database.pool.query(
        `update runlink_jobs.job j set heartbeat_on = now() - interval '31 s'
         from runs r where r.id = $1 and j.name = 'runs' and j.state = 'active' and j.id = r.job_id`,
        [runId],
      );
      expect((await runs.get(runId)).state).toBe('ERROR');
    }, WITHIN);
    network.mend();
    const [kept] = await listRunFiles(`${dataDir}/runs`);
    await vi.waitFor(() => expect(pidsMarked(kept?.file.process_marker ?? '')).toEqual([]), WITHIN);
    expect((await runs.get(runId)).status_message).toMatchObject({ error_code: 'internal_error' });
    expect(await said(runId)).toBe('start');
  });
});
