import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LLMock } from '@copilotkit/aimock';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { WorkerEvent } from '../../src/contract/event.ts';
import type { Lease } from '../../src/contract/lease.ts';
import { modelScript, startScriptedModel, type ModelStep } from '../support/scripted-model.ts';
import { openBench, type Bench } from '../support/worker-bench.ts';
import { gitIn, makeRemote } from '../support/worker-remote.ts';
import type { ServedRun } from '../support/worker-protocol.ts';
import { installAgent, PACKAGES } from './install-agent.ts';

const MCP_SERVER = fileURLToPath(new URL('../support/mcp-server.ts', import.meta.url));
const CHOSEN = (process.env['RUNLINK_AGENTS'] ?? 'codex').split(',');
const SHOWN = CHOSEN[0] === 'all' ? Object.keys(PACKAGES) : CHOSEN;
/** What an agent is known not to do (harness.md 6). */
const LACKS: Record<string, readonly string[]> = {
  gemini: ['resume', 'exit codes'],
  pi: ['mcp'],
};
/** The largest CLI takes half a minute to start on a busy machine. */
const PATIENCE_MS = 120_000;
const REAL_KEY = 'sk-real-key-that-no-agent-may-see';

interface Stage extends Bench {
  remote: string;
  model: LLMock;
  run: (steps: ModelStep[], change?: Partial<Lease>) => ServedRun;
}

async function openStage(agent: string, bin: string): Promise<Stage> {
  const model = await startScriptedModel();
  onTestFinished(() => model.stop());
  const bench = await openBench();
  const remote = makeRemote(bench.dataDir, { 'README.md': '# demo\n' });
  await bench.start({
    limits: { idleMs: 30_000, cancelGraceMs: 5000 },
    environment: {
      PATH: `${bin}:${process.env['PATH'] ?? ''}`,
      OPENAI_API_KEY: REAL_KEY,
      OPENAI_BASE_URL: `${model.url}/v1`,
      ANTHROPIC_API_KEY: REAL_KEY,
      ANTHROPIC_BASE_URL: model.url,
      GEMINI_API_KEY: REAL_KEY,
      GOOGLE_GEMINI_BASE_URL: model.url,
    },
  });
  const run = (steps: ModelStep[], change: Partial<Lease> = {}): ServedRun =>
    bench.service.offer(
      bench.lease(
        { prompt: modelScript(...steps), config: { harness: { type: agent } }, ...change },
        remote,
      ),
    );
  return { ...bench, remote, model, run };
}

const toolsOf = (events: WorkerEvent[]) => events.filter((event) => event.type === 'tool_call');
const outputOf = (events: WorkerEvent[]): string =>
  toolsOf(events)
    .map((event) => event.output_delta ?? '')
    .join('');

describe.each(SHOWN)('%s', (agent) => {
  let bin: string | undefined;
  beforeAll(async () => {
    bin = await installAgent(agent);
  });
  const stage = async (context: { skip(note: string): void }): Promise<Stage> => {
    if (bin === undefined) context.skip(`${agent} is not installed`);
    return openStage(agent, bin ?? '');
  };

  it('edits, commits, tells its commands, and its tokens are counted', async (context) => {
    const { run, ended, remote, service } = await stage(context);
    const steps = [
      { shell: 'echo changed > README.md; git commit -qam changed; echo out' },
      { shell: 'echo oops; exit 3' },
      { say: 'All done.' },
    ];
    const done = await ended(run(steps), PATIENCE_MS);
    expect(done.completed[0]).toMatchObject({ state: 'SUCCEEDED', message: 'All done.' });
    expect(gitIn(remote, 'show', `${done.completed[0]?.branch}:README.md`)).toBe('changed\n');
    expect(service.pulls).toHaveLength(1);
    expect(done.completed[0]?.usage?.total_tokens).toBeGreaterThan(0);
    const tells = !LACKS[agent]?.includes('exit codes');
    expect(outputOf(done.events)).toContain(tells ? 'oops' : '');
    expect(toolsOf(done.events).some((event) => event.exit_code === 3)).toBe(tells);
    expect(JSON.stringify(done.events)).not.toContain(REAL_KEY);
  });

  it('sees no key of the worker and none of its variables', async (context) => {
    const { run, ended } = await stage(context);
    const done = await ended(
      run([{ shell: 'env; cat /proc/1/environ' }, { say: 'ok' }]),
      PATIENCE_MS,
    );
    const output = outputOf(done.events);
    expect(output).not.toContain(REAL_KEY);
    expect(output).not.toContain('VITEST');
  });

  it('is given the run’s MCP servers', async (context) => {
    if (LACKS[agent]?.includes('mcp')) context.skip(`${agent} passes no MCP servers on`);
    const { run, ended, model } = await stage(context);
    const lookup = { mcp: { server: 'tiny', tool: 'lookup', input: { q: 'zebra' } } };
    const mcp_servers = { tiny: { command: process.execPath, args: [MCP_SERVER] } };
    const done = await ended(
      run([lookup, { say: 'ok' }], { config: { harness: { type: agent }, mcp_servers } }),
    );
    // codex groups MCP tools in a way that the model server cannot answer (harness.md 2).
    const seen = agent === 'codex' ? JSON.stringify(model.getRequests()) : outputOf(done.events);
    expect(seen).toContain(agent === 'codex' ? 'lookup' : 'answer for zebra');
  });

  it('stops when cancelled and leaves no process', async (context) => {
    const { run, ended, service, dataDir, processesOf } = await stage(context);
    const mark = 'echo started; touch here; sleep 177';
    const working = run([{ shell: mark }, { say: 'never' }]);
    const file = join(dataDir, 'runs', working.lease.run_id, 'workspace/demo/here');
    await expect.poll(() => existsSync(file), { timeout: PATIENCE_MS }).toBe(true);
    service.signal(working, { id: 1, type: 'cancel' });
    const done = await ended(working, PATIENCE_MS);
    expect(done.completed[0]).toMatchObject({ state: 'CANCELLED' });
    expect(toolsOf(done.events).at(-1)?.status).toMatch(/failed|completed/);
    await expect.poll(() => processesOf(done)).toEqual([]);
  });

  it.each([
    [400, { state: 'FAILED', error_code: 'invalid_request' }],
    [500, { state: 'ERROR', error_code: 'agent_stream_failure', retryable: true }],
  ])('ends as the model’s %i says', async (status, expected) => {
    const { run, ended } = await stage({ skip: () => undefined });
    const done = await ended(run([{ status }]), 120_000);
    expect(done.completed[0]).toMatchObject(expected);
  });

  it('ends when the model hangs', async (context) => {
    const { run, ended } = await stage(context);
    const done = await ended(run([{ hang: true }]), 60_000);
    expect(done.completed[0]).toMatchObject({
      state: 'ERROR',
      error_code: 'infrastructure_timeout',
    });
  });

  it('goes on with its session in a follow-up', async (context) => {
    if (LACKS[agent]?.includes('resume')) context.skip(`${agent} cannot resume`);
    const { run, ended, model } = await stage(context);
    const first = await ended(run([{ say: 'The word is zebra.' }]), PATIENCE_MS);
    const { run_id } = first.lease;
    const again = await ended(run([{ say: 'Second.' }], { run_id, attempt: 2 }), PATIENCE_MS);
    expect(again.completed[0]).toMatchObject({ state: 'SUCCEEDED', message: 'Second.' });
    expect(again.completed[0]?.session_id).toBe(first.completed[0]?.session_id);
    expect(JSON.stringify(model.getLastRequest())).toContain('The word is zebra.');
  });
});
