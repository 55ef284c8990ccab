import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { errorMessage } from '../../base/error.ts';
import { readLines } from '../agent/lines.ts';
import { StderrTail } from '../agent/stderr-tail.ts';
import { gitEnvironment } from '../git/git.ts';
import { resolveProfile } from '../profile/resolve.ts';
import {
  namedPrograms,
  seenVariables,
  startCommand,
  viewForAgent,
  writeGiven,
} from '../run/agent/agent-view.ts';
import { BARE, inPlace, type Confinement, type View } from '../sandbox/confinement.ts';
import type { ConfinedProcess, Sandbox } from '../sandbox/sandbox.ts';
import { joinViews, workerViews } from '../sandbox/view.ts';
import type { WorkerOptions } from '../worker-options.ts';

/** The slowest agent answers within 3 s, on a busy machine within a few times that. */
const ANSWER_MS = 30_000;
const REMEDY = 'If it needs files that the list does not show, add them to sandbox.read_only.';
/** The first message of the Agent Client Protocol: an agent that answers it has started. */
const HELLO = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: 1, clientCapabilities: {} },
})}\n`;

type TrialOptions = Pick<
  WorkerOptions,
  'harnesses' | 'environment' | 'defaultHarness' | 'readOnly'
>;

/** Starts programs as a run would, in a directory that is removed afterwards. */
export interface Trial extends AsyncDisposable {
  /** What every run sees of this machine. */
  view: View;
  /** Git's version in the sandbox; undefined if it cannot be started. */
  git(): Promise<string | undefined>;
  /** Why this agent cannot be started; undefined if it can. */
  agent(name: string): Promise<string | undefined>;
}

export async function openTrial(sandbox: Sandbox, options: TrialOptions): Promise<Trial> {
  const dir = await mkdtemp(join(tmpdir(), 'runlink-doctor-'));
  const { user } = sandbox;
  const { view: seen } = await workerViews(options, join(dir, 'etc'), user);
  const start = (
    wanted: Pick<Confinement, 'command' | 'env' | 'cwd' | 'writable'>,
    ...views: View[]
  ): Promise<ConfinedProcess> =>
    sandbox.spawn({
      ...BARE,
      ...joinViews(seen, ...views),
      ...wanted,
      user,
      network: 'full',
      processMarker: randomUUID(),
    });
  return {
    view: sandbox.name === 'direct' ? { readOnly: [], links: [] } : seen,
    git: async () => {
      const env = gitEnvironment({});
      const child = await start({ command: ['git', '--version'], env, cwd: '/', writable: [] });
      child.stdin.end();
      const [said, exit] = await Promise.all([text(child.stdout), child.exited]);
      await child.destroy();
      return exit.code === 0 ? said.trim() : undefined;
    },
    agent: async (name) => {
      const home = join(dir, name);
      const given = join(home, 'given');
      await mkdir(given, { recursive: true });
      const resolved = resolveProfile({ harness: { type: name } }, { ...options });
      const launch = resolved.profile.launch({
        home,
        given,
        cwd: home,
        mode: 'normal',
        model: resolved.model,
        reasoningLevel: undefined,
        permissions: resolved.permissions,
        systemPrompt: '',
        mcpServers: [],
        access: { baseUrl: 'http://127.0.0.1:9', key: 'none' },
        command: resolved.command,
      });
      await writeGiven(given, [...launch.files, ...namedPrograms(resolved, options, sandbox)]);
      const env = {
        PATH: options.environment['PATH'] ?? '',
        HOME: home,
        LANG: 'C.UTF-8',
        ...seenVariables(resolved, options, sandbox),
        ...launch.env,
      };
      const isExec = resolved.profile.kind === 'exec';
      // Starting a program without a protocol may have any effect, so we only check that it is
      // there.
      const command = isExec
        ? ['/bin/sh', '-c', 'command -v -- "$0" >&2', launch.command[0] ?? '']
        : startCommand(launch, options, sandbox);
      const view = viewForAgent(resolved, options, sandbox);
      try {
        const child = await start({ command, env, cwd: home, writable: inPlace([home]) }, view);
        return await (isExec ? endsWell(child) : answers(child));
      } catch (error) {
        return errorMessage(error);
      }
    },
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true, maxRetries: 3 }),
  };
}

async function endsWell(child: ConfinedProcess): Promise<string | undefined> {
  child.stdin.end();
  const { code } = await child.exited;
  await child.destroy();
  return code === 0 ? undefined : `Its program is not seen in the sandbox. ${REMEDY}`;
}

async function answers(child: ConfinedProcess): Promise<string | undefined> {
  const stderr = new StderrTail(child.stderr);
  const late = setTimeout(() => void child.destroy(), ANSWER_MS);
  child.stdin.write(HELLO);
  try {
    for await (const line of readLines(child.stdout))
      if (/"id"\s*:\s*0\b/.test(line.text)) return undefined;
    const { summary } = await child.exited;
    return stderr.explain(`It does not start in the sandbox: ${summary}. ${REMEDY}`);
  } finally {
    clearTimeout(late);
    await child.destroy();
  }
}
