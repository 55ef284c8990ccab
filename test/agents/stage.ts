import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFailed, onTestFinished } from 'vitest';
import type { WorkerEvent } from '../../src/contract/event.ts';
import type { HarnessSettings } from '../../src/config/harness.ts';
import type { Lease } from '../../src/contract/lease.ts';
import type { Profile } from '../../src/worker/profile/profile.ts';
import type { RunningWorker } from '../../src/worker/main.ts';
import type { WorkerOptions } from '../../src/worker/worker-options.ts';
import {
  modelScript,
  startScriptedModel,
  type ModelStep,
  type ScriptedModel,
} from '../support/scripted-model.ts';
import { openBench, type Bench } from '../support/worker-bench.ts';
import type { ServedRun } from '../support/worker-protocol.ts';
import { makeRemote } from '../support/worker-remote.ts';
import { startToolGroups } from './tool-groups.ts';

/** A program of a run's own: nothing shows it to runs but the operator. */
export const MCP_SERVER = fileURLToPath(new URL('../support/mcp-server.ts', import.meta.url));
export const REAL_KEY = 'sk-real-key-that-no-agent-may-see';
/** In paths of a script: where the run works. */
export const WORKSPACE = '$WORKSPACE';
/**
 * No agent comes near this on a machine that is not overrun; it only keeps a hung one from hanging
 * the suite.
 */
const PATIENCE_MS = 240_000;

export interface Stage extends Bench {
  remote: string;
  model: ScriptedModel;
  /** Starts a worker that has this agent; again on the same data after a drain. */
  work: (options?: Partial<WorkerOptions>) => Promise<RunningWorker>;
  /** Offers a run in which the model takes these steps. */
  run: (steps: ModelStep[], change?: Partial<Lease>) => ServedRun;
  /** A path in the directory where the run works. */
  fileOf: (run: ServedRun, path: string) => string;
  finished: (run: ServedRun) => Promise<ServedRun>;
}

/** A model that follows scripts, a repository, and workers that have one real agent. */
export async function openStage(
  { name }: Profile,
  bin: string,
  settings: Partial<HarnessSettings> = {},
): Promise<Stage> {
  const model = await startScriptedModel();
  onTestFinished(() => model.stop());
  const bench = await openBench();
  const remote = makeRemote(bench.dataDir, { 'README.md': '# demo\n' });
  const lookup = { server: 'tiny', tool: 'lookup' };
  const openai = name === 'codex' ? await startToolGroups(model.url, lookup) : model.url;
  const workspaceOf = (id: string): string => join(bench.dataDir, 'runs', id, 'workspace/demo');
  const run = (steps: ModelStep[], change: Partial<Lease> = {}): ServedRun => {
    const run_id = change.run_id ?? randomUUID();
    const prompt = modelScript(...steps).replaceAll(WORKSPACE, '/agent/workspace/demo');
    const harness = { type: 'tested' };
    const lease = { prompt, ...change, run_id, config: { harness, ...change.config } };
    const served = bench.service.offer(bench.lease(lease, remote));
    onTestFailed(() => void process.stderr.write(transcript(served)));
    return served;
  };
  return {
    ...bench,
    remote,
    model,
    run,
    fileOf: ({ lease }, path) => join(workspaceOf(lease.run_id), path),
    finished: (served) => bench.ended(served, PATIENCE_MS),
    work: (options = {}) =>
      bench.start({
        harnesses: { tested: { agent: name as HarnessSettings['agent'], ...settings } },
        environment: environmentOf(bin, `${openai}/v1`, model.url),
        readOnly: [MCP_SERVER],
        ...options,
        limits: { cancelGraceMs: 5000, ...options.limits },
      }),
  };
}

function environmentOf(bin: string, openai: string, other: string): Record<string, string> {
  return {
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    OPENAI_API_KEY: REAL_KEY,
    OPENAI_BASE_URL: openai,
    ANTHROPIC_API_KEY: REAL_KEY,
    ANTHROPIC_BASE_URL: other,
    GEMINI_API_KEY: REAL_KEY,
    GOOGLE_GEMINI_BASE_URL: other,
  };
}

/** What a failed test needs to be understood: how the run went, line by line. */
function transcript({ lease, state, events, completed }: ServedRun): string {
  const lines = events.map((event) => JSON.stringify(event).slice(0, 600));
  const end = JSON.stringify(completed.at(-1));
  return `\n--- run ${lease.run_id} is ${state}\n${lines.join('\n')}\n${end}\n---\n`;
}

type ToolCall = Extract<WorkerEvent, { type: 'tool_call' }>;

export function toolsOf({ events }: ServedRun): ToolCall[] {
  return events.filter((event) => event.type === 'tool_call');
}

/** Everything the run's tools wrote. */
export function outputOf(run: ServedRun): string {
  return toolsOf(run)
    .map((event) => event.output_delta ?? '')
    .join('');
}
