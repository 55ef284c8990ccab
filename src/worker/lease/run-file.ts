import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const runClone = z.object({
  owner: z.string(),
  name: z.string(),
  url: z.string(),
  workTree: z.string(),
  gitDir: z.string(),
  baseSha: z.string(),
  keepSha: z.string(),
  baseBranch: z.string(),
  branch: z.string(),
  /** Number of the pull request that the run works on. */
  pull: z.int().optional(),
  /** The branch belongs to that pull request, so its commits are never rewritten. */
  shared: z.boolean().default(false),
});

/**
 * What a worker needs to know of a run after its process was killed, and for a follow-up. The
 * lease's token is the only secret in it; the rest of the lease is fetched again.
 */
export const runFile = z.object({
  run_id: z.string(),
  /** Every process of the run carries it. */
  process_marker: z.string(),
  /** Present while an execution is under way. */
  lease: z.object({ token: z.string(), attempt: z.int() }).optional(),
  clones: z.array(runClone).default([]),
  /** Attempt whose set-up commands have all succeeded. */
  setup_done: z.int().default(0),
  /** Tree of each clone after the set-up commands, by repository name. */
  setup_trees: z.record(z.string(), z.string()).default({}),
  agent_started: z.int().default(0),
  session_id: z.string().optional(),
  /** Signals up to this one were handled in this execution. */
  handled_signal: z.int().default(0),
  /**
   * The agent's last turn of this execution succeeded with this message; only publishing is left to
   * do.
   */
  turn_done: z.object({ attempt: z.int(), message: z.string() }).optional(),
  published: z.record(z.string(), z.string()).default({}),
  pull_request_url: z.string().optional(),
  /** Only the demo agent has worked here, so no model wrote anything into the workspace. */
  only_demo: z.boolean().default(false),
  /** Size of the run's directory when its last execution ended. */
  bytes: z.int().optional(),
  used_at: z.string(),
});
export type RunFile = z.infer<typeof runFile>;
const anyCookie = z.looseObject({ cookie: z.string().optional() });

const FILE = 'run.json';
/** Directory beside it with what the worker gives the agent to read. */
export const GIVEN = 'given';
/** Suffix of a run's directory while it is being removed. */
export const REMOVED = '.removed';

export function newRunFile(runId: string): RunFile {
  const used_at = new Date().toISOString();
  return runFile.parse({ run_id: runId, process_marker: randomUUID(), only_demo: true, used_at });
}

/** Reads the file in a run's directory; undefined if it is missing or cannot be read. */
export async function readRunFile(dir: string): Promise<RunFile | undefined> {
  const content = await readFile(join(dir, FILE), 'utf8').catch(() => undefined);
  if (content === undefined) return undefined;
  try {
    // Version 0.1.0 wrote the marker as `cookie`.
    const { cookie, ...written } = anyCookie.parse(JSON.parse(content));
    return runFile.safeParse({ process_marker: cookie, ...written }).data;
  } catch {
    return undefined;
  }
}

/** Writes the file completely or not at all, readable by the worker only. */
export async function writeRunFile(dir: string, file: RunFile): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const temporary = join(dir, `${FILE}.${process.pid}.tmp`);
  await writeFile(temporary, JSON.stringify(file), { mode: 0o600 });
  await rename(temporary, join(dir, FILE));
}

/** Every run directory under `root` that has a readable file. */
export async function listRunFiles(root: string): Promise<{ dir: string; file: RunFile }[]> {
  const all = await readdir(root).catch(() => []);
  const names = all.filter((name) => !name.endsWith(REMOVED));
  const found = await Promise.all(
    names.map(async (name) => {
      const dir = join(root, name);
      const file = await readRunFile(dir);
      return file ? [{ dir, file }] : [];
    }),
  );
  return found.flat();
}
