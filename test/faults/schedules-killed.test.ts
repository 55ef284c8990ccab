import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { createService, type Service } from '../../src/service/create-service.ts';
import { createPersonalKey } from '../../src/service/keys/manage-keys.ts';
import { API_PREFIX } from '../../src/service/http/mount.ts';
import { fireSchedule } from '../../src/service/schedules/fire-schedule.ts';
import { sweepSchedules } from '../../src/service/schedules/run-schedules.ts';
import { sendFiring } from '../../src/service/schedules/schedule-queue.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { halfWritten } from '../support/half-written.ts';
import { temporaryDirectory } from '../support/worker-bench.ts';
import { programFile } from '../support/programs.ts';

const isLong = process.env['RUNLINK_TEST_LONG'] !== undefined;
const KILLS = isLong ? 30 : 1;
const DUE_EACH_ROUND = 6;
const SCHEDULES = KILLS * DUE_EACH_ROUND;
/** One schedule after the other falls due, so that the kill comes in the middle of them. */
const LEAD_MS = 200;
const GAP_MS = 150;

let database: TestDatabase;
/** A node without duties: it sets up and looks, the others fire. */
let service: Service;
let key = '';

beforeAll(async () => {
  database = await createTestDatabase();
  service = await createService({
    database: { url: database.url },
    dataDir: '',
    publicUrl: () => 'http://127.0.0.1',
    variables: {},
    log: silentLog,
  });
  ({ key } = await createPersonalKey(service.context.db, { team: 'default', user: 'owner' }));
});
afterAll(async () => {
  await service.stop();
  await database.drop();
});

async function createSchedule(): Promise<string> {
  const cron_schedule = `${new Date().getUTCMinutes()} * * * *`;
  const answer = await service.fetch(
    new Request(`http://127.0.0.1${API_PREFIX}/agent/schedules`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'n', cron_schedule, prompt: 'p' }),
    }),
  );
  return ((await answer.json()) as { id: string }).id;
}

/** Has a schedule fall due at a moment of our own choice, with its job, as its cron would. */
async function makeDue(id: string, at: Date): Promise<void> {
  await service.context.db.transaction().execute(async (trx) => {
    await trx.updateTable('schedules').set({ next_run: at }).where('id', '=', id).execute();
    await sendFiring(service.context, trx, id, at);
  });
}

/** Two nodes that fire schedules; `kill` ends one as a power cut does and starts it again. */
async function startNodes(): Promise<{ kill: (node: number) => Promise<void> }> {
  const dataDir = temporaryDirectory();
  const nodes: ChildProcess[] = [];
  const start = async (node: number): Promise<void> => {
    const script = programFile('test/faults/serve-process.ts');
    const stdio = ['ignore', 'ignore', 'inherit', 'ipc'] as const;
    const child = fork(script, [dataDir, database.url], { stdio: [...stdio] });
    nodes[node] = child;
    const [said] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [unknown];
    if (typeof said !== 'object') throw new Error('the node ended while starting');
  };
  onTestFinished(() => {
    for (const node of nodes) node.kill('SIGKILL');
  });
  await Promise.all([start(0), start(1)]);
  return {
    async kill(node) {
      nodes[node]?.kill('SIGKILL');
      await start(node);
    },
  };
}

async function firedRuns(): Promise<Map<string, number>> {
  const { rows } = await service.context.database.pool.query<{ id: string; count: number }>(
    'select schedule_id as id, count(*)::int as count from runs where schedule_id is not null group by 1',
  );
  return new Map(rows.map(({ id, count }) => [id, count]));
}

it(
  `${SCHEDULES} schedules fire exactly once each, while one of two nodes is killed again and again (interface.md 4.3)`,
  async () => {
    const { kill } = await startNodes();
    const ids = await Promise.all(Array.from({ length: SCHEDULES }, createSchedule));
    const due = new Map<string, Date>();
    for (let round = 0; round < KILLS; round += 1) {
      const { size } = await firedRuns();
      const begin = Date.now() + LEAD_MS;
      const next = ids.slice(round * DUE_EACH_ROUND, (round + 1) * DUE_EACH_ROUND);
      for (const [index, id] of next.entries()) due.set(id, new Date(begin + index * GAP_MS));
      for (const id of next) await makeDue(id, due.get(id) ?? new Date());
      await vi.waitFor(async () => expect((await firedRuns()).size).toBeGreaterThan(size), {
        timeout: 60_000,
        interval: 10,
      });
      await kill(round % 2);
    }
    await vi.waitFor(
      async () => {
        await sweepSchedules(service.context);
        expect((await firedRuns()).size).toBe(SCHEDULES);
      },
      { timeout: 60_000, interval: 200 },
    );
    for (const [id, at] of due) expect(await fireSchedule(service.context, id, at)).toBe('stale');
    expect([...(await firedRuns()).values()]).toEqual(ids.map(() => 1));
    expect(await halfWritten(service.context.db)).toEqual([]);
  },
  isLong ? 10 * 60_000 : 90_000,
);
