import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { RunlinkError } from '../../base/error.ts';
import type { ContainerEngine } from '../../config/sandbox.ts';
import { findProgram } from './program-view.ts';

const execute = promisify(execFile);
const CALL_MS = 60_000;
const ANSWER_MAX_BYTES = 16 * 1024 * 1024;
const SAID_MAX = 1000;
const PLACES = '/usr/bin:/bin:/usr/local/bin:/usr/sbin:/sbin:/opt/homebrew/bin';

/**
 * A container engine. We use its command line instead of its API, because docker and podman share
 * it and it knows contexts, sockets, rootless set-ups and registry credentials by itself.
 */
export interface Engine {
  name: ContainerEngine;
  /** Full path of its program. */
  program: string;
  /** Whether root in a container is the worker's own user outside. */
  rootless: boolean;
  /** The limits that the engine cannot enforce on this machine, even if told to. */
  unbounded: readonly string[];
  /** Returns what the command printed. Throws `engine_failed` with its message. */
  call(args: readonly string[], options?: { timeoutMs?: number }): Promise<string>;
}

/** The engine that the operator wants, or else the first that answers. Throws `engine_failed`. */
export async function findEngine(wanted: ContainerEngine | undefined): Promise<Engine> {
  const names = wanted === undefined ? (['podman', 'docker'] as const) : [wanted];
  const problems: string[] = [];
  for (const name of names) {
    const program = findProgram(name, PLACES);
    if (program === undefined) problems.push(`${name} is not installed`);
    else
      try {
        return await askEngine(name, program);
      } catch (error) {
        problems.push(error instanceof Error ? error.message : String(error));
      }
  }
  throw new RunlinkError('engine_failed', problems.join('; '));
}

const BOUNDS = ['memory', 'pids', 'cpu'] as const;
/**
 * Templates for `info` that print whether the engine is rootless and, in quotes, which limits it
 * can enforce.
 */
const ABOUT: Readonly<Record<ContainerEngine, string>> = {
  podman: '{{.Host.Security.Rootless}} {{json .Host.CgroupControllers}}',
  docker:
    '{{json .SecurityOptions}}{{if .MemoryLimit}} "memory"{{end}}{{if .PidsLimit}} "pids"{{end}}{{if .CPUCfsQuota}} "cpu"{{end}}',
};

/** Parses the output of these templates. */
export function readAbout(answer: string): Pick<Engine, 'rootless' | 'unbounded'> {
  return {
    rootless: /^true |name=rootless/.test(answer),
    unbounded: BOUNDS.filter((name) => !answer.includes(`"${name}"`)),
  };
}

async function askEngine(name: ContainerEngine, program: string): Promise<Engine> {
  const call: Engine['call'] = async (args, { timeoutMs = CALL_MS } = {}) => {
    const limits = {
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      maxBuffer: ANSWER_MAX_BYTES,
    } as const;
    const { stdout } = await execute(program, args, limits).catch((cause: unknown) => {
      throw new RunlinkError('engine_failed', `${name} ${args[0]}: ${said(cause, timeoutMs)}`);
    });
    return stdout.trim();
  };
  return { name, program, call, ...readAbout(await call(['info', '--format', ABOUT[name]])) };
}

function said(error: unknown, timeoutMs: number): string {
  const { stderr, killed } = error as { stderr?: string; killed?: boolean };
  if (killed) return `no answer within ${timeoutMs / 1000} s`;
  const lines = (stderr ?? '').trim().split('\n');
  // Take podman's last error; before it podman repeats what it did at each try.
  const last = lines.findLast((line) => /^error/i.test(line)) ?? lines.join('\n');
  return last.slice(-SAID_MAX) || 'it failed';
}
