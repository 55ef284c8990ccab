import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Lease } from '../../src/contract/lease.ts';
import { TERMINAL_STATES, isTerminal, runState, type RunState } from '../../src/contract/run.ts';
import { TRANSITIONS } from '../../src/service/runs/life/state-machine.ts';
import { sweepLeases } from '../../src/service/sweep/sweep-leases.ts';
import { startDriver, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';

const SEQUENCES = process.env['RUNLINK_TEST_LONG'] === undefined ? 30 : 1500;
const WITHIN_MS = process.env['RUNLINK_TEST_LONG'] === undefined ? 120_000 : 15 * 60_000;

let service: TestService;
let runs: RunDriver;

beforeAll(async () => {
  ({ service, runs } = await startDriver(() => startTestService()));
});
afterAll(() => service.close());

describe('the table of transitions', () => {
  it('has those of run-lifecycle.md, "States and transitions", and no other', () => {
    const made = Object.values(TRANSITIONS).flatMap(({ from, to }) =>
      from.map((state) => `${state} → ${to}`),
    );
    const stated = [
      'QUEUED → PENDING',
      'PENDING → INPROGRESS',
      'INPROGRESS → SUCCEEDED',
      'INPROGRESS → FAILED',
      'INPROGRESS → ERROR',
      'INPROGRESS → BLOCKED',
      'INPROGRESS → CANCELLED',
      'PENDING → QUEUED',
      'QUEUED → CANCELLED',
      'QUEUED → FAILED',
      ...TERMINAL_STATES.map((state) => `${state} → QUEUED`),
    ];
    expect([...new Set(made)].toSorted()).toEqual(stated.toSorted());
  });

  it('knows every state', () => {
    const known = new Set(Object.values(TRANSITIONS).flatMap(({ from, to }) => [...from, to]));
    expect([...known].toSorted()).toEqual(runState.options.toSorted());
  });
});

/** What the test believes of the run: only what decides the next answer. */
interface Model {
  state: RunState;
  /** Its executions were started anew by a follow-up, which they then begin with. */
  reopened: boolean;
  /** The last claim's token still opens something. */
  isHeld: boolean;
  /** How the last claim's execution ended has been said. */
  isEnded: boolean;
  /** Follow-ups that no execution has acted on, and those the present one began with. */
  unseen: number;
  begunWith: number;
}

const STEPS = [
  'claim',
  'acknowledge',
  'release',
  'SUCCEEDED',
  'FAILED',
  'ERROR',
  'BLOCKED',
  'cancel',
  'follow',
  'lapse',
] as const;
type Step = (typeof STEPS)[number];

/** Back in the queue before the execution began: it may begin with the same follow-ups again. */
function giveBack(model: Model): number {
  model.state = 'QUEUED';
  model.isHeld = false;
  model.unseen += model.begunWith;
  model.begunWith = 0;
  return 200;
}

function reopen(model: Model): void {
  model.state = 'QUEUED';
  model.reopened = true;
}

function complete(model: Model, said: RunState): number {
  if (!model.isHeld) return 409;
  if (model.state === 'INPROGRESS') {
    model.state = said;
    model.unseen = 0;
  } else if (model.state !== 'CANCELLED' && !model.isEnded) return 409;
  model.isEnded = true;
  return 200;
}

/** Half a minute of silence. */
function lapse(model: Model): number {
  if (model.state === 'PENDING') return giveBack(model);
  if (model.state !== 'INPROGRESS') return 200;
  model.state = 'ERROR';
  model.isHeld = false;
  model.isEnded = true;
  if (model.unseen > 0) reopen(model);
  return 200;
}

function cancel(model: Model): number {
  if (isTerminal(model.state)) return 400;
  if (model.state === 'PENDING') return 409;
  model.state = 'CANCELLED';
  return 200;
}

function follow(model: Model): number {
  if (model.state !== 'QUEUED' || model.reopened) model.unseen += 1;
  if (isTerminal(model.state)) reopen(model);
  return 200;
}

function claim(model: Model): number {
  if (model.state !== 'QUEUED') return 404;
  model.begunWith = model.reopened ? model.unseen : 0;
  model.unseen -= model.begunWith;
  Object.assign(model, { state: 'PENDING', isHeld: true, isEnded: false });
  return 200;
}

function acknowledge(model: Model): number {
  if (model.state === 'PENDING') model.state = 'INPROGRESS';
  return model.isHeld && model.state === 'INPROGRESS' ? 200 : 409;
}

/**
 * What each step must be answered; moves the model on. A claim that finds nothing counts as 404.
 */
const EXPECTED: Record<Step, (model: Model) => number> = {
  claim,
  acknowledge,
  release: (model) => (model.state === 'PENDING' ? giveBack(model) : 409),
  SUCCEEDED: (model) => complete(model, 'SUCCEEDED'),
  FAILED: (model) => complete(model, 'FAILED'),
  ERROR: (model) => complete(model, 'ERROR'),
  BLOCKED: (model) => complete(model, 'BLOCKED'),
  cancel,
  follow,
  lapse,
};

/** One run of the real service, and the steps that a person, a worker and time take with it. */
class RealRun {
  private readonly id: string;
  private lease: Lease | undefined;

  constructor(id: string) {
    this.id = id;
  }

  async take(step: Step): Promise<number> {
    if (step === 'claim') return this.claim();
    if (step === 'lapse') return this.silence();
    if (step === 'cancel') return (await runs.ask('POST', `/agent/runs/${this.id}/cancel`)).status;
    if (step === 'follow') {
      const body = { message: 'more' };
      return (await runs.ask('POST', `/agent/runs/${this.id}/followups`, body)).status;
    }
    if (!this.lease) return 409;
    if (step === 'acknowledge') return (await runs.report(this.lease, step)).status;
    if (step === 'release') return (await runs.report(this.lease, step, { reason: 'r' })).status;
    return (await runs.complete(this.lease, step, 1000)).status;
  }

  async state(): Promise<RunState> {
    return (await runs.get(this.id)).state;
  }

  private async claim(): Promise<number> {
    const lease = await runs.claim();
    if (!lease) return 404;
    if (lease.run_id !== this.id) throw new Error('another run was claimed');
    this.lease = lease;
    return 200;
  }

  private async silence(): Promise<number> {
    const { context } = service.service;
    await context.database.pool.query(
      `update runlink_jobs.job set heartbeat_on = now() - interval '31 s', started_on = now() - interval '31 s'
       where name = 'runs' and state = 'active' and data ->> 'runId' = $1`,
      [this.id],
    );
    await sweepLeases(context);
    return 200;
  }
}

describe('a run under any sequence of steps (run-lifecycle.md, "States and transitions")', () => {
  it(
    `is in the state that the rules say after each of them (${SEQUENCES} sequences)`,
    async () => {
      const steps = fc.array(fc.constantFrom(...STEPS), { minLength: 3, maxLength: 16 });
      const lives = fc.asyncProperty(steps, async (sequence) => {
        const run = new RealRun(await runs.create());
        const model: Model = {
          state: 'QUEUED',
          reopened: false,
          isHeld: false,
          isEnded: false,
          unseen: 0,
          begunWith: 0,
        };
        for (const step of sequence) {
          const answer = [step, EXPECTED[step](model), model.state];
          expect([step, await run.take(step), await run.state()]).toEqual(answer);
        }
        for (const step of ['release', 'cancel'] as const) await run.take(step);
      });
      await fc.assert(lives, { numRuns: SEQUENCES, endOnFailure: true, seed: 20_261_121 });
    },
    WITHIN_MS,
  );
});
