import { readFileSync, readdirSync } from 'node:fs';
import type { Client } from 'pg';

/** Linux counts in hundredths of a second. */
const TICK_MS = 10;

interface Task {
  parent: string;
  ticks: number;
}

/**
 * `man 5 proc_pid_stat`: after the name in brackets come state, parent, … and at 12 and 13 the time
 * used.
 */
function readTask(pid: string): Task | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { parent: fields[1] ?? '', ticks: Number(fields[11]) + Number(fields[12]) };
  } catch {
    return undefined;
  }
}

/** Reads the CPU time all processes of a PostgreSQL on this machine have used, in milliseconds. */
export async function watchServerCpu(connection: Client): Promise<() => number> {
  const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid');
  const server = readTask(String(rows[0]?.pid))?.parent;
  return () =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(readTask)
      .filter((task) => task?.parent === server)
      .reduce((sum, task) => sum + (task?.ticks ?? 0) * TICK_MS, 0);
}
