import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const KIB = 1024;
const DU_TIMEOUT_MS = 60_000;
/** Measuring takes about a twentieth of the time; the pause stays within these bounds. */
const WATCH_MIN_MS = 1000;
const WATCH_MAX_MS = 20_000;
const WATCH_SHARE = 20;

/** Bytes that these directories of the worker take up on disk; 0 if that cannot be measured. */
export async function diskUse(dirs: readonly string[]): Promise<number> {
  if (dirs.length === 0) return 0;
  const { stdout } = await execute('du', ['-sk', '--', ...dirs], { timeout: DU_TIMEOUT_MS }).catch(
    // du reports what it could not read and counts the rest.
    (error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }),
  );
  return readDu(stdout);
}

/** The sum of the sizes that `du -sk` printed, in bytes. */
export function readDu(output: string): number {
  const sizes = [...output.matchAll(/^(\d+)\t/gm)].map(([, size]) => Number(size));
  return sizes.reduce((sum, size) => sum + size, 0) * KIB;
}

/** Free bytes on the disk of this directory. */
export async function diskFree(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
}

/**
 * Calls `onOver` once, as soon as more than this many bytes are measured. Returns a function that
 * stops the watch.
 */
export function watchDisk(
  measure: () => Promise<number | undefined>,
  bytes: number,
  onOver: (used: number) => void,
): () => void {
  let timer: NodeJS.Timeout;
  let ended = false;
  const look = async (): Promise<void> => {
    const started = performance.now();
    const used = (await measure()) ?? 0;
    if (ended) return;
    if (used > bytes) return onOver(used);
    schedule(Math.max(WATCH_MIN_MS, (performance.now() - started) * WATCH_SHARE));
  };
  const schedule = (ms: number): void => {
    timer = setTimeout(() => void look(), Math.min(ms, WATCH_MAX_MS));
  };
  schedule(WATCH_MIN_MS);
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}
