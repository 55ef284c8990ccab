import { LLMock, type FixtureResponse } from '@copilotkit/aimock';
import { existsSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { loadOperatorConfig } from '../../src/cli/locate.ts';
import { startConfiguredWorker } from '../../src/cli/start-worker.ts';
import type { WorkerEvent } from '../../src/contract/event.ts';
import type { FakeStep } from '../support/fake-agent.ts';
import type { ServedRun } from '../support/worker-protocol.ts';
import {
  environmentOf,
  openBench,
  SEEN_NODE,
  temporaryDirectory,
} from '../support/worker-bench.ts';
import { FAKE_AGENT } from '../support/worker-remote.ts';

const LONG = process.env['RUNLINK_TEST_LONG'] !== undefined;
/** What the run said at its end. */
const verdict = (run: ServedRun) => run.completed.at(-1);
const textOf = (events: WorkerEvent[]): string =>
  events.map((event) => (event.type === 'message' ? event.delta : '')).join('');

const cases: [name: string, steps: FakeStep[], expected: object][] = [
  [
    'SUCCEEDED with the last message',
    [
      { say: 'first', id: 'a' },
      { say: 'last', id: 'b' },
    ],
    { state: 'SUCCEEDED', message: 'last' },
  ],
  [
    'a failure when the agent is gone, whatever its exit code',
    [{ say: 'bye' }, { exit: 0 }],
    { state: 'ERROR', error_code: 'agent_process_failed' },
  ],
  [
    'FAILED when the model refuses',
    [{ stop: 'refusal' }],
    { state: 'FAILED', error_code: 'content_policy_violation' },
  ],
  ['FAILED when tokens run out', [{ say: 'x' }, { stop: 'max_tokens' }], { state: 'FAILED' }],
  [
    'ERROR on an error of the agent',
    [{ fail: 'broken', code: -32_603 }],
    { state: 'ERROR', error_code: 'agent_process_failed' },
  ],
  [
    'ERROR and retryable on a model that is down',
    [{ fail: 'overloaded', code: 529 }],
    { state: 'ERROR', error_code: 'agent_stream_failure', retryable: true },
  ],
  [
    'BLOCKED with the question nobody could answer',
    [{ elicit: 'Which branch?' }, { say: 'I stop here.' }],
    { state: 'BLOCKED', message: 'Which branch?' },
  ],
  ['ERROR on a stop reason nobody knows', [{ say: 'x' }, { stop: 'tired' }], { state: 'ERROR' }],
];
const rarer: typeof cases = [
  ['SUCCEEDED by a tool call alone', [{ shell: 'true' }], { state: 'SUCCEEDED', message: 'Done.' }],
  [
    'a failure without a word or tool call',
    [{ think: 'hm' }],
    { state: 'ERROR', error_code: 'agent_process_failed' },
  ],
  ['FAILED when steps run out', [{ say: 'x' }, { stop: 'max_turn_requests' }], { state: 'FAILED' }],
  [
    'ERROR and retryable on a model without capacity',
    [{ fail: 'slow down', code: 429 }],
    { state: 'ERROR', error_code: 'resource_unavailable', retryable: true },
  ],
  [
    'FAILED on a request the model refuses as bad',
    [{ fail: 'bad', code: 400 }],
    { state: 'FAILED', error_code: 'invalid_request', retryable: false },
  ],
  [
    'FAILED on a key the model refuses',
    [{ fail: 'no', code: 401 }],
    { state: 'FAILED', error_code: 'external_authentication_required' },
  ],
];
if (LONG) cases.push(...rarer);

describe('how a run ends', () => {
  it('is judged by the agent’s explicit end', async () => {
    const bench = await openBench();
    await bench.start({ capacity: 4 });
    const runs = cases.map(([, steps]) => bench.fake(steps));
    const told = [];
    for (const [index, run] of runs.entries()) {
      await bench.ended(run);
      told.push({ name: cases[index]?.[0], times: run.completed.length, ...verdict(run) });
    }
    expect(told).toMatchObject(cases.map(([name, , said]) => ({ name, times: 1, ...said })));
  });

  it('is given up where the clone takes too long', async () => {
    const bench = await openBench();
    await bench.start({ limits: { errandMs: 1 } });
    const run = await bench.ended(bench.fake([{ say: 'never' }], environmentOf(bench)));
    expect(verdict(run)).toMatchObject({
      state: 'ERROR',
      error_code: 'infrastructure_timeout',
      message: expect.stringMatching(/^The step "clone" took longer than /) as string,
    });
  });

  it('says what is missing when the agent cannot be used', async () => {
    const bench = await openBench();
    await bench.start({
      harnesses: {
        gone: { agent: 'acp', command: ['/nonexistent/agent'], variables: [] },
        dying: { agent: 'acp', command: [process.execPath, FAKE_AGENT, '--die'], variables: [] },
      },
    });
    const offer = (type: string) =>
      bench.service.offer(bench.lease({ config: { harness: { type } } }));
    const [gone, dying, unknown, keyless] = ['gone', 'dying', 'nobody', 'codex'].map(offer);
    for (const run of [gone, dying, unknown, keyless]) if (run) await bench.ended(run);
    expect(gone && verdict(gone)).toMatchObject({
      state: 'FAILED',
      error_code: 'integration_not_configured',
      message: '"/nonexistent/agent" is not on PATH.',
    });
    expect(dying && verdict(dying)).toMatchObject({
      state: 'ERROR',
      error_code: 'agent_process_failed',
    });
    expect(unknown && verdict(unknown)?.message).toContain(
      '"nobody" is no agent this worker knows',
    );
    expect(keyless && verdict(keyless)?.message).toContain('OPENAI_API_KEY');
    expect(keyless && verdict(keyless)).toMatchObject({ error_code: 'integration_not_configured' });
  });

  it('closes tool calls that the agent left open', async () => {
    const bench = await openBench();
    await bench.start();
    const run = await bench.ended(bench.fake([{ open: 'sleep 100' }, { say: 'done' }]));
    const call = run.events.filter((event) => event.type === 'tool_call').at(-1);
    expect(call).toMatchObject({ call_id: 'call-1', status: 'failed' });
  });

  it('stays silent no longer than the idle limit, which begins when its workspace is there', async () => {
    const bench = await openBench();
    await bench.start({ limits: { idleMs: 400 } });
    const environment = environmentOf(bench, { setup_commands: ['sleep 1'] });
    const idle = await bench.ended(bench.fake([{ hang: true }], environment));
    expect(verdict(idle)).toMatchObject({
      state: 'ERROR',
      error_code: 'infrastructure_timeout',
      message: 'The agent gave no sign of life for 0.4s.',
    });
    expect(idle.events).toContainEqual(
      expect.objectContaining({ type: 'setup', step: 'setup_command', title: 'sleep 1' }),
    );
  });

  it('works no longer than the wall-clock limit', async () => {
    const bench = await openBench();
    await bench.start({ limits: { wallClockMs: 800 } });
    const wall = await bench.ended(bench.fake([{ shell: 'sleep 30' }]));
    expect(verdict(wall)).toMatchObject({ state: 'ERROR', error_code: 'infrastructure_timeout' });
  });
});

describe('follow-ups', () => {
  it('that arrive during a turn are the next prompts, in order, before the run ends', async () => {
    const bench = await openBench();
    await bench.start();
    const run = bench.fake([{ shell: 'sleep 0.5' }, { say: 'one', id: '1' }]);
    const followup = (id: number, message: string) =>
      bench.service.signal(run, {
        id,
        type: 'followup',
        followup_id: `f${id}`,
        message,
        mode: 'normal',
      });
    followup(1, 'two');
    followup(2, 'three');
    await bench.ended(run);
    expect(run.completed.at(-1)).toMatchObject({
      state: 'SUCCEEDED',
      message: 'three',
      last_signal: 2,
    });
    expect(textOf(run.events)).toBe('onetwothree');
    expect(run.events.filter(({ type }) => type === 'turn_end')).toHaveLength(3);
  });

  it('answer a question: a run that would end BLOCKED goes on', async () => {
    const bench = await openBench();
    await bench.start();
    const run = bench.fake([{ elicit: 'Which?' }, { shell: 'sleep 0.3' }]);
    bench.service.signal(run, {
      id: 1,
      type: 'followup',
      followup_id: 'f',
      message: 'this one',
      mode: 'normal',
    });
    await bench.ended(run);
    expect(run.completed.at(-1)).toMatchObject({ state: 'SUCCEEDED', message: 'this one' });
  });

  it('to an ended run continue the agent’s own session, or begin with a summary where it is lost', async () => {
    const bench = await openBench();
    await bench.start();
    const first = bench.fake([{ say: 'hello' }]);
    await bench.ended(first);
    const { run_id } = first.lease;
    const config = { harness: { type: 'fake' } };
    const resume = { summary: 'We said hello.' };
    const again = bench.service.offer(
      bench.lease({ run_id, attempt: 2, prompt: 'more', config, resume }),
    );
    await bench.ended(again);
    expect(verdict(again)?.session_id).toBe(verdict(first)?.session_id);
    expect(textOf(again.events)).toBe('more');
    const elsewhere = bench.service.offer(
      bench.lease({ attempt: 2, prompt: 'more', config, resume }),
    );
    await bench.ended(elsewhere);
    expect(textOf(elsewhere.events)).toContain('We said hello.');
  });
});

describe('cancel', () => {
  it('is asked of the agent first', async () => {
    const bench = await openBench();
    await bench.start();
    const run = bench.fake([{ say: 'working' }, { open: 'sleep' }, { wait: true }]);
    await expect.poll(() => textOf(run.events), { timeout: 60_000 }).toBe('working');
    bench.service.signal(run, { id: 1, type: 'cancel' });
    await bench.ended(run);
    expect(verdict(run)).toMatchObject({ state: 'CANCELLED', last_signal: 1 });
    expect(run.events.filter((event) => event.type === 'tool_call').at(-1)).toMatchObject({
      status: 'failed',
    });
  });
});

describe('a permission', () => {
  it('is granted where the profile allows, and the log says so', async () => {
    const bench = await openBench();
    await bench.start();
    const run = await bench.ended(bench.fake([{ ask: 'rm -r build' }]));
    expect(textOf(run.events)).toContain('"optionId":"yes"');
    expect(run.events.find(({ type }) => type === 'permission')).toMatchObject({
      title: 'rm -r build',
      decision: 'allowed',
    });
  });

  it('is refused where the operator wants that, and the run ends BLOCKED with the question', async () => {
    const bench = await openBench();
    const command = [process.execPath, FAKE_AGENT];
    await bench.start({
      harnesses: {
        fake: { agent: 'acp', command, permissions: 'refused' },
        mute: { agent: 'exec', command: ['/bin/true'], permissions: 'refused' },
      },
    });
    const run = await bench.ended(bench.fake([{ ask: 'rm -r build' }, { say: 'I stop.' }]));
    expect(textOf(run.events)).toContain('"optionId":"no"');
    expect(verdict(run)).toMatchObject({
      state: 'BLOCKED',
      message: 'The agent asked for permission: rm -r build',
    });
    const config = { harness: { type: 'mute' } };
    const mute = await bench.ended(bench.service.offer(bench.lease({ config })));
    expect(verdict(mute)).toMatchObject({ error_code: 'integration_not_configured' });
    expect(verdict(mute)?.message).toContain('"mute" cannot ask: it speaks no protocol');
  });
});

describe('a model', () => {
  const call = { model: 'claude-x', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] };
  const failing = Array.from({ length: 8 }, () => ({ model: call }));

  const harnesses = {
    fake: {
      agent: 'opencode' as const,
      command: [process.execPath, FAKE_AGENT],
      model_id: 'claude-x',
    },
  };

  /** A model, and the variables by which a worker finds it. */
  async function startModel(answer: FixtureResponse) {
    const model = new LLMock({ port: 0 });
    model.on({}, answer);
    await model.start();
    onTestFinished(() => model.stop());
    return { ANTHROPIC_API_KEY: 'sk-real', ANTHROPIC_BASE_URL: model.url };
  }

  /** The fake agent in the place of one that reaches its model through the worker. */
  async function withModel(
    answer: FixtureResponse,
    { tokens, network }: { tokens?: number; network?: 'none' } = {},
  ) {
    const variables = await startModel(answer);
    const bench = await openBench();
    await bench.start({
      harnesses,
      environment: { PATH: process.env['PATH'], ...variables },
      limits: { budgetTokens: tokens },
      network,
    });
    return bench;
  }

  it('that a run used more of than its budget ends it, and what was used is told', async () => {
    const usage = { prompt_tokens: 90, completion_tokens: 10, total_tokens: 100 };
    const bench = await withModel({ content: 'hello', usage }, { tokens: 150 });
    const run = await bench.ended(bench.fake([...failing, { say: 'never' }]));
    expect(verdict(run)).toMatchObject({ state: 'FAILED', error_code: 'budget_exceeded' });
    expect(verdict(run)?.usage).toEqual({
      total_tokens: 200,
      model_token_usage: [{ model_id: 'claude-x', total_tokens: 200 }],
    });
    expect(run.events.filter(({ type }) => type === 'usage')).toHaveLength(1);
  });

  it('has the budget that stands in runlink.yaml', async () => {
    const usage = { prompt_tokens: 90, completion_tokens: 10, total_tokens: 100 };
    const variables = await startModel({ content: 'hello', usage });
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    const file = join(temporaryDirectory(), 'runlink.yaml');
    await writeFile(
      file,
      JSON.stringify({ harnesses, limits: { budget_tokens: 150 }, workspaces: { disk_gib: 1e-6 } }),
    );
    const { service, dataDir, ended, fake } = await openBench();
    const config = await loadOperatorConfig(file);
    const start = async () => {
      const worker = await startConfiguredWorker({
        baseUrl: service.baseUrl,
        apiKey: 'rl_worker_key_of_the_test',
        dataDir,
        config,
        alone: false,
        useProxy: false,
        log: silentLog,
      });
      onTestFinished(() => worker.drain(0));
      return worker;
    };
    const worker = await start();
    const run = await ended(fake([...failing, { say: 'never' }]));
    expect(verdict(run)).toMatchObject({ state: 'FAILED', error_code: 'budget_exceeded' });
    await worker.drain(0);
    expect(existsSync(join(dataDir, 'runs', run.lease.run_id))).toBe(true);
    await start();
    // Workspaces that were kept go where all together are beyond what they may take up.
    await expect.poll(() => readdirSync(join(dataDir, 'runs')), { timeout: 60_000 }).toEqual([]);
  });

  it('is all that an agent without a network reaches', async () => {
    const usage = { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 };
    const bench = await withModel({ content: 'hello', usage }, { network: 'none' });
    const probe = `'${SEEN_NODE}' -e "fetch('${bench.service.origin}').then(() => console.log('open'), () => console.log('closed'))"`;
    const run = await bench.ended(bench.fake([{ model: call }, { shell: probe }]));
    expect(verdict(run)).toMatchObject({ state: 'SUCCEEDED', usage: { total_tokens: 10 } });
    expect(textOf(run.events)).toContain('hello');
    const output = run.events.map(
      (event) => (event.type === 'tool_call' && event.output_delta) || '',
    );
    expect(output.join('')).toBe('closed\n');
    expect(await bench.processesOf(run)).toEqual([]);
  });

  it('that keeps failing is given up for an agent which never does', async () => {
    const bench = await withModel({ error: { message: 'no room' }, status: 503 });
    const run = await bench.ended(bench.fake([...failing, { hang: true }], environmentOf(bench)));
    expect(verdict(run)).toMatchObject({
      state: 'ERROR',
      error_code: 'agent_stream_failure',
      retryable: true,
      message: 'The model call failed (503): no room',
    });
  });
});
