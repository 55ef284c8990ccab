import { extname } from 'node:path';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { errorMessage } from '../../../base/error.ts';
import { ARTIFACT_MAX_BYTES } from '../../../contract/artifact.ts';
import { warn, type RunContext } from '../run-context.ts';
import type { ByteReader } from '../../../base/byte-reader.ts';
import { FILES_MAX } from './collect-result.ts';
import { readFrame } from './frames.ts';
import { isRefusal, refuseResult } from './refuse.ts';

/** Longest path that the service accepts. */
const PATH_MAX = 1024;

const TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.md': 'text/markdown',
  '.txt': 'text/plain',
  '.log': 'text/plain',
  '.diff': 'text/x-diff',
  '.patch': 'text/x-diff',
  '.csv': 'text/csv',
  '.html': 'text/html',
  '.json': 'application/json',
  '.pdf': 'application/pdf',
  '.zip': 'application/zip',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
};

/**
 * Uploads the files that the agent left in the directory named by RUNLINK_ARTIFACTS, as they come
 * out of the run's sandbox. A file that cannot be stored gives a warning and does not fail the run.
 */
export async function uploadArtifacts(run: RunContext, reader: ByteReader): Promise<void> {
  for (let count = 0; ;) {
    const frame = await readFrame(reader);
    if (frame.type === 'end') return;
    if (frame.type === 'more_files') await warn(run, `Only ${FILES_MAX} files were kept.`);
    else if (frame.type === 'left_out') await warn(run, notKept(frame.path, frame.reason));
    else if (frame.type === 'file') {
      count += 1;
      if (count > FILES_MAX || frame.size > ARTIFACT_MAX_BYTES)
        refuseResult('it has too many files');
      await uploadFile(run, plainPath(frame.path), reader.bytes(frame.size), frame.size);
    } else refuseResult('it names a clone twice');
  }
}

/** Refuses paths that could lead out of their directory (threats.md S7). */
function plainPath(path: string): string {
  const parts = path.split('/');
  const odd = parts.some((part) => part === '' || part === '.' || part === '..');
  if (odd || path.length > PATH_MAX || /[\p{Cc}\\]/u.test(path))
    refuseResult('a file has no plain name');
  return path;
}

async function uploadFile(
  run: RunContext,
  path: string,
  content: AsyncGenerator<Buffer>,
  size: number,
): Promise<void> {
  const filepath = run.mask(path);
  const body = Readable.from(content);
  try {
    const mime_type = TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream';
    await run.worker.client.artifacts.upload(
      run.lease.run_id,
      size === 0 ? '' : body,
      { filepath, mime_type },
      {
        lease: run.lease.token,
        signal: run.lost.signal,
        headers: { 'content-length': String(size) },
        tryTimeoutMs: 10 * 60_000,
        deadlineMs: 10 * 60_000,
        retry: false,
      },
    );
  } catch (error) {
    run.lost.signal.throwIfAborted();
    if (isRefusal(error)) throw error;
    await warn(run, notKept(path, errorMessage(error)));
  }
  // Whatever the upload did not read is skipped, before the next frame is read.
  await finished(body.destroy()).catch(() => undefined);
}

const notKept = (path: string, reason: string): string =>
  `The file ${path} could not be kept: ${reason}`;
