import { readdirSync, readFileSync } from 'node:fs';
import { sleep } from '../../base/time.ts';

/**
 * Variable that every process of a run inherits, even if it changes its session or process group.
 */
export const MARKER_VARIABLE = 'RUN_MARKER';
const ROUNDS = 50;
const ROUND_MS = 20;

/** Kills all processes of a run; returns how many could not be ended. */
export async function killRun(marker: string): Promise<number> {
  return await killAll(() => pidsOfRun(marker));
}

/**
 * Kills every process that carries this marker, however far it has moved from its parent. Needs no
 * rights beyond those over the processes (agents.md, "Stopping an agent"). Returns after at most
 * about a second with the number of processes that are left, normally 0. Finds nothing on systems
 * without /proc.
 */
export async function killMarked(marker: string): Promise<number> {
  return await killAll(() => pidsMarked(marker));
}

async function killAll(find: () => number[]): Promise<number> {
  let left = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const pids = find();
    left = pids.length;
    if (left === 0) return 0;
    for (const pid of pids) kill(pid);
    await sleep(ROUND_MS);
  }
  return left;
}

export function pidsMarked(marker: string): number[] {
  return pidsWith([`${MARKER_VARIABLE}=${marker}\0`]);
}

/** Processes of the run itself, and of each part with a marker of its own: `<marker>.<part>`. */
function pidsOfRun(marker: string): number[] {
  return pidsWith([`${MARKER_VARIABLE}=${marker}\0`, `${MARKER_VARIABLE}=${marker}.`]);
}

/**
 * Reads synchronously (20 µs a process): reading the files asynchronously costs three times the
 * processor time.
 */
function pidsWith(variables: readonly string[]): number[] {
  const pids = entriesOf('/proc').filter((name) => /^\d+$/.test(name) && hasOne(name, variables));
  return pids.map(Number).filter((pid) => pid !== process.pid);
}

function entriesOf(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

function hasOne(pid: string, variables: readonly string[]): boolean {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`);
    return variables.some((variable) => environment.includes(variable));
  } catch {
    // The process is gone, or belongs to another user.
    return false;
  }
}

/**
 * Sends SIGKILL to a process, or to its group if the id is negative. A missing process is no error.
 */
export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}
