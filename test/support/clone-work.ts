import { execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { beginClone, fillCommand, type RunClone } from '../../src/worker/git/clone.ts';
import { gitEnvironment } from '../../src/worker/git/git.ts';
import { refreshMirror } from '../../src/worker/git/mirror.ts';
import { readRemote } from '../../src/worker/git/remote.ts';
import { ByteReader } from '../../src/base/byte-reader.ts';
import { checkWork, type Work } from '../../src/worker/run/result/check-work.ts';
import { readFrame } from '../../src/worker/run/result/frames.ts';
import { receiveObjects } from '../../src/worker/run/result/receive-objects.ts';
import { refuseResult } from '../../src/worker/run/result/refuse.ts';
import { byMarker } from '../../src/worker/sandbox/child.ts';
import { ownProgram } from '../../src/worker/sandbox/own-program.ts';
import { temporaryDirectory } from './worker-bench.ts';
import { makeRemote } from './worker-remote.ts';

export type MadeClone = RunClone & { root: string; bare: string; mirror: string };

/** A clone as a run gets it, made without a sandbox. */
export async function makeClone(files?: Record<string, string>): Promise<MadeClone> {
  const root = temporaryDirectory();
  const bare = makeRemote(root, files);
  const remote = readRemote({ owner: 'o', name: 'demo', clone_url: bare }, true);
  const mirror = await refreshMirror(join(root, 'mirrors'), {
    remote,
    credentials: undefined,
    signal: undefined,
    env: {},
    limitBytes: 1e9,
  });
  const begun = await beginClone({
    owner: 'o',
    name: 'demo',
    remote,
    mirror,
    workTree: join(root, 'run/demo'),
    gitDir: join(root, 'run/demo.git'),
    ref: undefined,
    branch: 'runlink/x-1',
    shared: false,
    continueBranch: false,
  });
  mkdirSync(begun.clone.workTree);
  const [program = '', ...args] = fillCommand(begun, mirror);
  execFileSync(program, args, { env: gitEnvironment({ transports: ['file'] }) });
  return { ...begun.clone, root, bare, mirror: mirror.dir };
}

interface CollectOptions {
  totalBytes?: number;
  /** Whom the agent's files belong to; the test's own user where absent. */
  uid?: number;
  /** Gets what was left out, and why. */
  leftOut?: string[];
}

/** What the collector says of a clone, received and checked as a worker does, without a sandbox. */
export async function collectWork(
  clone: RunClone,
  { totalBytes = 1e9, uid, leftOut = [] }: CollectOptions = {},
): Promise<Work> {
  const scratch = mkdtempSync(join(clone.gitDir, 'scratch-'));
  if (uid !== undefined) chownSync(scratch, uid, uid);
  const order = { scratch, clones: [{ workTree: clone.workTree, known: [clone.keepSha] }] };
  const [program = '', ...args] = ownProgram(byMarker(), 'collect').command;
  const child = spawn(program, [...args, JSON.stringify(order)], {
    env: gitEnvironment({ transports: ['file'] }),
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  try {
    return await takeWork(clone, child.stdout, totalBytes, leftOut);
  } finally {
    child.kill('SIGKILL');
  }
}

/** Reads one clone from a stream that may say anything. */
export async function takeWork(
  clone: RunClone,
  stream: AsyncIterable<Buffer>,
  totalBytes = 1e9,
  leftOut: string[] = [],
): Promise<Work> {
  const reader = new ByteReader(stream, refuseResult);
  let frame = await readFrame(reader);
  for (; frame.type === 'left_out'; frame = await readFrame(reader))
    leftOut.push(`${frame.path}: ${frame.reason}`);
  if (frame.type !== 'clone')
    return refuseResult(frame.type === 'problem' ? frame.text : frame.type);
  const limits = { totalBytes, objects: 100_000 };
  const { signal } = new AbortController();
  await receiveObjects(clone.gitDir, reader, frame.objects, limits, signal);
  return await checkWork(clone, frame);
}
