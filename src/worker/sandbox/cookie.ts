import { readdir, readFile } from 'node:fs/promises';
import { sleep } from '../../base/time.ts';

/** Variable every process of a run inherits, whatever session or group it moves to. */
export const COOKIE_VARIABLE = 'RUN_COOKIE';
const ROUNDS = 50;
const ROUND_MS = 20;

/** Ends everything of a run; answers how many processes could not be ended. */
export async function killRun(cookie: string): Promise<number> {
  return await killAll(() => pidsOfRun(cookie));
}

/**
 * Ends every process that carries this cookie, however far it went from its parent; needs no rights
 * but those over the processes (agents.md, "Stopping an agent"). Resolves with what is still there
 * after a second, normally nothing. Where there is no /proc it finds nothing.
 */
export async function killByCookie(cookie: string): Promise<number> {
  return await killAll(() => pidsWithCookie(cookie));
}

async function killAll(find: () => Promise<number[]>): Promise<number> {
  let left = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const pids = await find();
    left = pids.length;
    if (left === 0) return 0;
    for (const pid of pids) kill(pid);
    await sleep(ROUND_MS);
  }
  return left;
}

export async function pidsWithCookie(cookie: string): Promise<number[]> {
  return await pidsWith([`${COOKIE_VARIABLE}=${cookie}\0`]);
}

/** Those of the run itself and of each part that has a cookie of its own: `<cookie>.<part>`. */
export async function pidsOfRun(cookie: string): Promise<number[]> {
  return await pidsWith([`${COOKIE_VARIABLE}=${cookie}\0`, `${COOKIE_VARIABLE}=${cookie}.`]);
}

async function pidsWith(variables: readonly string[]): Promise<number[]> {
  const entries = await readdir('/proc').catch(() => []);
  const pids = entries.filter((name) => /^\d+$/.test(name)).map(Number);
  const checked = await Promise.all(
    pids.map(async (pid) => ((await hasOne(pid, variables)) ? pid : 0)),
  );
  return checked.filter((pid) => pid !== 0 && pid !== process.pid);
}

async function hasOne(pid: number, variables: readonly string[]): Promise<boolean> {
  const environment = await readFile(`/proc/${pid}/environ`).catch(() => undefined);
  return variables.some((variable) => environment?.includes(variable) ?? false);
}

/** SIGKILL to a process, or with a negative id to its group; one that is gone is no error. */
export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already, which is what was wanted.
  }
}
