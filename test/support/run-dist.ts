import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { cleanEnvironment } from './clean-environment.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const NODE = join(ROOT, 'node_modules/.bin/node');

export interface StepInput {
  eventName: string;
  payload: unknown;
  inputs: Record<string, string>;
  env?: Record<string, string>;
  /** `main` or `post`, as action.yml names their files. */
  entry?: 'main' | 'post';
  /** Values that main left for post. */
  state?: Record<string, string>;
}

export interface StepResult {
  exitCode: number | null;
  outputs: Record<string, string>;
  summary: string;
  state: Record<string, string>;
  stdout: string;
  stderr: string;
}

export interface RunningStep {
  child: ChildProcess;
  /** What was printed so far. */
  printed: () => string;
  done: Promise<StepResult>;
}

/**
 * What the runner lays out for a step: its folder, its environment, and what it left there at its
 * end.
 */
export interface StepPlace {
  directory: string;
  entry: string;
  env: Record<string, string>;
  /** Reads the command files and clears the folder away. */
  collect: (ended: Pick<StepResult, 'exitCode' | 'stdout' | 'stderr'>) => Promise<StepResult>;
}

/** As GitHub's runner does: environment, event file, command files, defaults. */
export async function layOutStep(step: StepInput): Promise<StepPlace> {
  const directory = await mkdtemp(join(tmpdir(), 'runlink-step-'));
  const file = (name: string): string => join(directory, name);
  for (const name of ['output', 'summary', 'state', 'env', 'path']) await writeFile(file(name), '');
  await writeFile(file('event.json'), JSON.stringify(step.payload));
  const action = await readAction();
  return {
    directory,
    entry: action.runs[step.entry ?? 'main'] ?? '',
    env: {
      ...cleanEnvironment(),
      HOME: directory,
      GITHUB_EVENT_NAME: step.eventName,
      GITHUB_EVENT_PATH: file('event.json'),
      GITHUB_OUTPUT: file('output'),
      GITHUB_STEP_SUMMARY: file('summary'),
      GITHUB_STATE: file('state'),
      GITHUB_ENV: file('env'),
      GITHUB_PATH: file('path'),
      GITHUB_WORKSPACE: directory,
      GITHUB_RUN_ID: '4711',
      GITHUB_RUN_ATTEMPT: '1',
      GITHUB_JOB: 'agent',
      GITHUB_ACTION: '__runlink',
      ...inputVariables(action.inputs, step.inputs),
      ...Object.fromEntries(
        Object.entries(step.state ?? {}).map(([name, value]) => [`STATE_${name}`, value]),
      ),
      ...step.env,
    },
    collect: async (ended) => {
      const result = {
        ...ended,
        outputs: parseCommandFile(await readFile(file('output'), 'utf8')),
        summary: await readFile(file('summary'), 'utf8'),
        state: parseCommandFile(await readFile(file('state'), 'utf8')),
      };
      await rm(directory, { recursive: true, force: true });
      return result;
    },
  };
}

/** Runs the built Action in a process of its own. */
export async function startStep(step: StepInput): Promise<RunningStep> {
  const { directory, entry, env, collect } = await layOutStep(step);
  const child = spawn(NODE, [join(ROOT, entry)], { cwd: directory, env });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const exited = new Promise<number | null>((onExit) => child.on('close', onExit));
  const done = exited.then((exitCode) => collect({ exitCode, stdout, stderr }));
  return { child, printed: () => stdout, done };
}

export async function runStep(step: StepInput): Promise<StepResult> {
  return (await startStep(step)).done;
}

interface ActionFile {
  inputs: Record<string, { default?: string }>;
  runs: { main: string; post?: string };
}

export async function readAction(): Promise<ActionFile> {
  return parse(await readFile(join(ROOT, 'action.yml'), 'utf8')) as ActionFile;
}

/** Defaults that are expressions are what the runner would put there in a plain job. */
function inputVariables(
  defined: ActionFile['inputs'],
  given: Record<string, string>,
): Record<string, string> {
  const all = Object.entries(defined).map(([name, { default: value = '' }]) => {
    const plain = value.includes('${{') ? '' : value;
    return [`INPUT_${name.toUpperCase()}`, given[name] ?? plain] as const;
  });
  return Object.fromEntries(all);
}

/** The runner's `name<<delimiter` format. */
export function parseCommandFile(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  const lines = text.split(/\r?\n/);
  for (let at = 0; at < lines.length; at += 1) {
    const match = /^([^=<]+)<<(.+)$/.exec(lines[at] ?? '');
    if (!match?.[1] || !match[2]) continue;
    const end = lines.indexOf(match[2], at + 1);
    values[match[1]] = lines.slice(at + 1, end).join('\n');
    at = end;
  }
  return values;
}
