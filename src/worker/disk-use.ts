import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const KIB = 1024;
const DU_TIMEOUT_MS = 60_000;
/** What is watched is measured for about a twentieth of the time, within these bounds. */
const WATCH_MIN_MS = 1000;
const WATCH_MAX_MS = 20_000;
const WATCH_SHARE = 20;

/** Bytes that directories of the worker's own take up on disk; 0 where that cannot be told. */
export async function diskUse(dirs: readonly string[]): Promise<number> {
  if (dirs.length === 0) return 0;
  const { stdout } = await run('du', ['-sk', '--', ...dirs], { timeout: DU_TIMEOUT_MS }).catch(
    // du names what it could not read and counts the rest.
    (error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }),
  );
  return readDu(stdout);
}

/** The sum of what `du -sk` said, in bytes. */
export function readDu(output: string): number {
  const sizes = [...output.matchAll(/^(\d+)\t/gm)].map(([, size]) => Number(size));
  return sizes.reduce((sum, size) => sum + size, 0) * KIB;
}

/** Bytes that the disk of this directory still has room for. */
export async function diskFree(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
}

/** Calls back once when more than this many bytes are measured; ends with what it answers. */
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
