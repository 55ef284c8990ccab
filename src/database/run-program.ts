import { spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { RunlinkError } from '../base/error.ts';
import { atProcessEnd, interrupt } from './at-process-end.ts';
import type { ServerAccount } from './server-account.ts';

/** A running PostgreSQL program. It ends with this process, unless `letGo` is called. */
export interface RunningProgram {
  /** The exit code; null if it could not be started. */
  exited: Promise<number | null>;
  end(): void;
  letGo(): void;
}

/**
 * Runs a PostgreSQL program in `folder`. If we are root on Linux, it runs as another user, who may
 * not be able to enter the folders above; `/proc/self/cwd` names the folder without walking the
 * path.
 */
export async function runInside(
  folder: string,
  program: string,
  args: readonly string[],
  account: ServerAccount,
  logFile: string,
): Promise<RunningProgram> {
  const log = await open(logFile, 'a', 0o600);
  try {
    const child = spawn(program, args, {
      cwd: folder,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
      ...account.ids,
    });
    const end = (): void => {
      const runs = child.exitCode === null && child.signalCode === null;
      if (runs && child.pid !== undefined) interrupt(child.pid);
    };
    const release = atProcessEnd(end);
    const exited = new Promise<number | null>((resolve) => {
      child.once('exit', (code) => resolve(code ?? 1));
      child.once('error', () => resolve(null));
    });
    void exited.then(release);
    const letGo = (): void => {
      release();
      child.unref();
    };
    return { exited, end, letGo };
  } finally {
    await log.close();
  }
}

/** An error for a program that failed, with the end of its log. */
export async function programFailure(logFile: string, what: string): Promise<RunlinkError> {
  const log = await readFile(logFile, 'utf8').catch(() => '');
  const last = log.trim().split('\n').slice(-6).join('\n');
  const advice = /no space left/i.test(last)
    ? 'Make room on that disk (a new one takes 50 MB), name another with --data'
    : `See ${logFile}`;
  return new RunlinkError('embedded_database_failed', `The embedded PostgreSQL ${what}.\n${last}`, {
    hint: `${advice}, or use --database-url with a PostgreSQL of your own.`,
  });
}
