import { ARTIFACT_MAX_BYTES } from '../../../contract/artifact.ts';
import { RunlinkError } from '../../../base/error.ts';
import { headOf, type RunClone } from '../../git/clone.ts';
import { mirrorDirectory } from '../../git/mirror.ts';
import { readRemote } from '../../git/remote.ts';
import { ownProgram } from '../../sandbox/own-program.ts';
import { doErrand } from '../errand.ts';
import { artifactsOf, clonesOf, temporaryOf, type RunContext } from '../run-context.ts';
import { directoriesOf } from '../run-directories.ts';
import { ByteReader } from '../../../base/byte-reader.ts';
import { checkWork, type Work } from './check-work.ts';
import { readFrame } from './frames.ts';
import { receiveObjects } from './receive-objects.ts';
import { isRefusal, refuseResult } from './refuse.ts';

/** A run with more files than this is not leaving artifacts, but dumping a directory. */
export const FILES_MAX = 200;
const OBJECTS_MAX = 1_000_000;
const LEFT_OUT_MAX = 20;

/** What an agent made of one clone. */
export interface CloneWork {
  clone: RunClone;
  work: Work;
  /** Files of the working directory that could not be included, and why. */
  leftOut: string[];
}

/** A run's result while it is read from the sandbox: first its clones, then its files. */
export interface Collection {
  works: CloneWork[];
  reader: ByteReader;
}

/** Reads the current state of every clone. Throws `result_refused`. */
export async function takeWork(run: RunContext): Promise<CloneWork[]> {
  if (clonesOf(run).length === 0) return [];
  return await collect(run, false, async ({ works, reader }) => {
    // After the last frame the collector has removed its own files, which must not get into a
    // snapshot.
    if ((await readFrame(reader)).type !== 'end') refuseResult('it goes on after every clone');
    return works;
  });
}

/**
 * Runs our own program in a sandbox to look at what the agent left, and reads its output. The
 * output is checked here and processed where no agent can see it (threats.md S15). Throws
 * `result_refused`.
 */
export async function collect<T>(
  run: RunContext,
  withFiles: boolean,
  use: (collection: Collection) => Promise<T>,
): Promise<T> {
  const { worker, file, stop } = run;
  const { command, view } = ownProgram(worker.sandbox, 'collect');
  const errand = {
    name: 'collect',
    command: [...command, JSON.stringify(await orderOf(run, withFiles))],
    views: [view],
    writable: directoriesOf(worker, run.dir),
    signal: stop.signal,
  };
  try {
    return await doErrand(worker, file.process_marker, errand, async (child, stderr, signal) => {
      const reader = new ByteReader(child.stdout, refuseResult);
      const works: CloneWork[] = [];
      try {
        for (const clone of clonesOf(run)) works.push(await takeClone(run, clone, reader, signal));
        return await use({ works, reader });
      } catch (error) {
        if (isRefusal(error)) error.message = stderr.explain(error.message);
        throw error;
      } finally {
        await child.destroy();
      }
    });
  } catch (error) {
    if (!(error instanceof RunlinkError) || error.code !== 'errand_late') throw error;
    return refuseResult('it took too long to be read');
  }
}

async function takeClone(
  run: RunContext,
  clone: RunClone,
  reader: ByteReader,
  signal: AbortSignal,
): Promise<CloneWork> {
  const leftOut: string[] = [];
  for (;;) {
    const frame = await readFrame(reader);
    if (frame.type === 'left_out' && leftOut.length < LEFT_OUT_MAX) {
      leftOut.push(`${clone.name}/${frame.path}: ${frame.reason}`);
      continue;
    }
    if (frame.type === 'problem') return refuseResult(`${clone.name}: ${frame.text}`);
    if (frame.type !== 'clone') return refuseResult('it does not name every clone');
    const limits = { totalBytes: run.worker.limits.resultBytes, objects: OBJECTS_MAX };
    await receiveObjects(clone.gitDir, reader, frame.objects, limits, signal);
    return { clone, leftOut, work: await checkWork(clone, frame, signal) };
  }
}

async function orderOf(run: RunContext, withFiles: boolean): Promise<object> {
  const clones = clonesOf(run).map(async (clone) => ({
    workTree: clone.workTree,
    known: await knownCommits(run, clone),
  }));
  return {
    scratch: temporaryOf(run),
    clones: await Promise.all(clones),
    ...(withFiles
      ? { artifacts: { dir: artifactsOf(run), filesMax: FILES_MAX, bytesMax: ARTIFACT_MAX_BYTES } }
      : {}),
  };
}

/** Commits that the worker's repository has already; their objects need not be sent. */
async function knownCommits(run: RunContext, clone: RunClone): Promise<string[]> {
  const allowInsecure = run.worker.options.allowInsecureRemotes ?? false;
  const remote = readRemote({ ...clone, clone_url: clone.url }, allowInsecure);
  const base = await headOf(mirrorDirectory(run.worker.mirrors, remote), clone.baseBranch).catch(
    () => undefined,
  );
  return [...new Set([clone.keepSha, clone.baseSha, base].filter((sha) => sha !== undefined))];
}
