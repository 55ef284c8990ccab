import { readdirSync, readFileSync } from 'node:fs';
import { sleep } from '../../base/time.ts';

/** Variable every process of a run inherits, whatever session or group it moves to. */
export const MARKER_VARIABLE = 'RUN_MARKER';
const ROUNDS = 50;
const ROUND_MS = 20;

/** Ends everything of a run; answers how many processes could not be ended. */
export async function killRun(marker: string): Promise<number> {
  return await killAll(() => pidsOfRun(marker));
}

/**
 * Ends every process that carries this marker, however far it went from its parent. Needs no rights but those
 * over the processes (agents.md, "Stopping an agent"). Resolves with what is still there after a second,
 * normally nothing. Where there is no /proc it finds nothing.
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

/** Those of the run itself and of each part that has a marker of its own: `<marker>.<part>`. */
function pidsOfRun(marker: string): number[] {
  return pidsWith([`${MARKER_VARIABLE}=${marker}\0`, `${MARKER_VARIABLE}=${marker}.`]);
}

/** Read at once: file by file in the background costs three times the processor time (20 µs a process). */
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
    // Gone meanwhile, or another user's.
    return false;
  }
}

/** SIGKILL to a process, or with a negative id to its group; one that is gone is no error. */
export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already, which is what was wanted.
  }
}
