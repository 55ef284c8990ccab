import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import { errorMessage } from '../../base/error.ts';
import { ARTIFACT_MAX_BYTES } from '../../contract/artifact.ts';
import { artifactsOf, type RunContext } from './run-context.ts';

/** More files than this are no artifacts but a dump. */
const FILES_MAX = 200;

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
 * Uploads what the agent left in the directory named by RUNLINK_ARTIFACTS: plain files only, links are
 * passed over. A file that cannot be stored costs a notice, not the run.
 */
export async function uploadArtifacts(run: RunContext): Promise<void> {
  const root = artifactsOf(run);
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  for (const entry of files.slice(0, FILES_MAX))
    await uploadFile(run, root, join(entry.parentPath, entry.name));
  if (files.length > FILES_MAX)
    await warn(run, `Only ${FILES_MAX} of ${files.length} files were kept as artifacts.`);
}

async function uploadFile(run: RunContext, root: string, path: string): Promise<void> {
  const filepath = relative(root, path);
  try {
    // What was a file a moment ago may be a link by now.
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    const { size } = await file.stat();
    if (size > ARTIFACT_MAX_BYTES) throw new Error('it is larger than 1 GiB');
    const content = file.createReadStream({ autoClose: false, end: Math.max(0, size - 1) });
    const mime_type = TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream';
    await run.worker.client.artifacts.upload(
      run.lease.run_id,
      size === 0 ? '' : content,
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
    await warn(run, `The file ${filepath} could not be kept: ${errorMessage(error)}`);
  }
}

async function warn(run: RunContext, text: string): Promise<void> {
  await run.events.emit([{ type: 'notice', level: 'warn', text }]);
}
