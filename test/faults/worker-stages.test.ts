import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { diskUse } from '../../src/worker/disk-use.ts';
import { readRunFile } from '../../src/worker/lease/run-file.ts';
import type { Passing } from '../support/gate.ts';
import {
  commitsOf,
  openStagedRuns,
  type StagedRun,
  type StagedRuns,
} from '../support/staged-runs.ts';

const LONG = process.env['RUNLINK_TEST_LONG'] !== undefined;
const WITHIN_MS = 90_000;

interface Stage {
  name: string;
  /** Where the run itself is made to stop. */
  stop?: 'setup' | 'session' | 'prompt';
  /** The request at which it is held, by its route and body. */
  request?: (passing: Passing, run: StagedRun) => boolean;
  github?: boolean;
}

const isCall = (verb: string) => (passing: Passing, run: StagedRun) =>
  passing.route.endsWith(`/worker/runs/${run.id}/${verb}`);

const STAGES = {
  claim: {
    name: 'claim',
    request: ({ route, answer }, run) =>
      route.endsWith('/worker/claim') && Boolean(answer?.includes(run.id)),
  },
  acknowledge: { name: 'acknowledge', request: isCall('acknowledge') },
  clone: { name: 'clone' },
  setup: { name: 'set-up', stop: 'setup' },
  session: { name: 'start of the session', stop: 'session' },
  prompt: { name: 'prompt', stop: 'prompt' },
  finish: {
    name: 'end of the turn',
    request: (passing, run) => isCall('events')(passing, run) && passing.body.includes('turn_end'),
  },
  push: { name: 'push', request: isCall('lease') },
  pull: {
    name: 'pull request, with its answer lost',
    github: true,
    request: ({ route, body, answer }, run) =>
      route.startsWith('POST ') && body.includes(run.short) && answer !== undefined,
  },
  report: {
    name: 'report, with its answer lost',
    request: ({ route, body, answer }, run) =>
      route.endsWith('/report-artifact') && body.includes(run.short) && answer !== undefined,
  },
  complete: { name: 'end', request: isCall('complete') },
  completed: {
    name: 'end, with its answer lost',
    request: (passing, run) => isCall('complete')(passing, run) && passing.answer !== undefined,
  },
} satisfies Record<string, Stage>;
type StageName = keyof typeof STAGES;
const ALL = Object.keys(STAGES) as StageName[];

let world: StagedRuns;
beforeAll(async () => {
  world = await openStagedRuns(LONG ? 2 * ALL.length + 6 : 6);
});
afterAll(() => world.close());

const eventually: typeof expect.poll = (read) => {
  // oxlint-disable-next-line vitest/require-awaited-expect-poll -- awaited where it is used
  return expect.poll(read, { timeout: 60_000, interval: 50 });
};

/** Creates a run, starts its worker, and answers once it has come to this stage. */
async function reach(stage: Stage, limits?: Parameters<StagedRun['startWorker']>[1]) {
  const run = await world.create(stage.stop ? { [stage.stop]: true } : {});
  const { request } = stage;
  const hold =
    request && (stage.github ? world.github : world.gate).hold((passing) => request(passing, run));
  const cloning = stage.name === 'clone' ? cloneBegins(run) : undefined;
  const worker = await run.startWorker('first', limits);
  await (hold?.reached ?? cloning ?? stopped(run, stage.stop ?? 'prompt'));
  return { run, worker, release: () => hold?.release() };
}

/** The mirror's directory appears before git has begun to fill it. */
async function cloneBegins(run: StagedRun): Promise<void> {
  const mirrors = join(run.dataDirectory(), 'mirrors');
  mkdirSync(mirrors, { recursive: true });
  const watcher = watch(mirrors);
  await once(watcher, 'change');
  watcher.close();
}

async function stopped(run: StagedRun, where: 'setup' | 'session' | 'prompt'): Promise<void> {
  const place = where === 'session' ? 'home' : 'workspace';
  await eventually(() => existsSync(join(run.directory(), place, `at-${where}`))).toBe(true);
}

/**
 * What must be so after every fault: one end, nothing left running, nothing too large, and an
 * account of it.
 */
async function settled(run: StagedRun, state: string, names: string[] = ['first']): Promise<void> {
  await eventually(async () => (await run.get()).state).toBe(state);
  for (const name of names) {
    await eventually(() => run.processes(name)).toEqual([]);
    await eventually(async () => (await readRunFile(run.directory(name)))?.lease).toBeUndefined();
    expect(await diskUse([run.dataDirectory(name)])).toBeLessThan(10_000_000);
    expect(readdirSync(join(run.dataDirectory(name), 'runs'))).toEqual(
      existsSync(run.directory(name)) ? [run.id] : [],
    );
  }
  const { rows } = await world.service.service.context.database.pool.query<{
    type: string;
    attempt: number;
    seq: number | null;
    event: string | null;
  }>(
    `select type, attempt, seq, data->>'event_type' as event from run_events where run_id = $1 order by position`,
    [run.id],
  );
  const ends = rows.filter(({ event }) =>
    /^oz_run_(done|failed|errored|blocked|cancelled)$/.test(event ?? ''),
  );
  expect(ends).toHaveLength(1);
  for (const attempt of new Set(rows.map((row) => row.attempt))) {
    const seqs = rows.filter((row) => row.attempt === attempt).flatMap(({ seq }) => seq ?? []);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  }
  expect((await run.get()).status_message).toMatchObject({ message: expect.stringMatching(/./) });
}

const pullsOf = (run: StagedRun): number =>
  world.pulls.filter(({ head }) => head.endsWith(run.short)).length;

/** In the ordinary suite only these. */
const chosen = (all: readonly StageName[], few: readonly StageName[]): readonly StageName[] =>
  LONG ? all : few;

describe('a worker that is killed', () => {
  it.for(chosen(ALL, ['pull']))(
    'at the %s leaves a run that its successor brings to the one end',
    { timeout: WITHIN_MS },
    async (name) => {
      const { run, worker, release } = await reach(STAGES[name]);
      const gone = once(worker, 'exit');
      worker.kill('SIGKILL');
      await gone;
      release();
      // Nobody knows of a claim whose answer was lost: it goes back after its ten seconds.
      if (name === 'claim') await run.ageLease();
      await run.startWorker();
      await settled(run, 'SUCCEEDED');
      expect(pullsOf(run)).toBe(1);
      expect(commitsOf(run)).toBe(1);
    },
  );
});

describe('a worker that is frozen until its lease is over', () => {
  const RETRIED: readonly StageName[] = ['claim', 'acknowledge'];
  it.for(chosen(ALL, ['acknowledge']))(
    'at the %s changes nothing any more when it wakes up',
    { timeout: WITHIN_MS },
    async (name) => {
      const { run, worker, release } = await reach(STAGES[name]);
      worker.kill('SIGSTOP');
      await run.ageLease();
      const retried = RETRIED.includes(name);
      if (retried) await run.startWorker('second');
      const state = retried || name === 'completed' ? 'SUCCEEDED' : 'ERROR';
      await eventually(async () => (await run.get()).state).toBe(state);
      const before = await run.get();
      worker.kill('SIGCONT');
      release();
      await settled(run, state, retried ? ['first', 'second'] : ['first']);
      expect(await run.get()).toEqual(before);
      expect(pullsOf(run)).toBeLessThanOrEqual(1);
    },
  );
});

const DONE = { message: 'done' };

/** At the end of its turn it may be gone already. */
async function signalAgent(run: StagedRun, signal: NodeJS.Signals): Promise<void> {
  for (const pid of await run.processes())
    try {
      process.kill(pid, signal);
    } catch {
      // Gone already.
    }
}

async function isCloned(run: StagedRun): Promise<boolean> {
  const { rowCount } = await world.service.service.context.database.pool.query(
    `select from run_events
     where run_id = $1 and type = 'setup' and data->>'step' = 'clone' and data ? 'finished_at'`,
    [run.id],
  );
  return rowCount === 1;
}

describe('an agent', () => {
  it.for(chosen(['session', 'prompt', 'finish'], []))(
    'that is killed at the %s ends the run with a word about it, or was done',
    { timeout: WITHIN_MS },
    async (name) => {
      const { run, release } = await reach(STAGES[name]);
      await signalAgent(run, 'SIGKILL');
      release();
      await settled(run, name === 'finish' ? 'SUCCEEDED' : 'ERROR');
      const { status_message } = await run.get();
      expect(status_message).toMatchObject(
        name === 'finish' ? DONE : { error_code: 'agent_process_failed' },
      );
    },
  );

  it.for(chosen(['session', 'prompt', 'finish'], ['session']))(
    'that is frozen at the %s is ended by the idle limit, or was done',
    { timeout: WITHIN_MS },
    async (name) => {
      const { run, release } = await reach(STAGES[name], { idleMs: 2000 });
      // An agent starts beside the clone, whose processes would be frozen with it.
      await eventually(() => isCloned(run)).toBe(true);
      await signalAgent(run, 'SIGSTOP');
      release();
      await settled(run, name === 'finish' ? 'SUCCEEDED' : 'ERROR');
      const { status_message } = await run.get();
      expect(status_message).toMatchObject(
        name === 'finish' ? DONE : { error_code: 'infrastructure_timeout' },
      );
    },
  );
});
