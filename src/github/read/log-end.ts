import { Readable } from 'node:stream';
import { RunlinkError } from '../../base/error.ts';
import type { Github } from './octokit.ts';

const LOG: string = 'GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs';
/** How much of a log's end is kept; logs can have gigabytes. */
const END_BYTES = 100_000;
/** A log up to this size is read completely instead of being requested a second time. */
const WHOLE_BYTES = 1_000_000;
const READ_WITHIN_MS = 60_000;

/**
 * The end of an Actions job's log. Of a long log only the end is requested, if the store supports
 * ranges; no more than that is kept in memory.
 */
export async function readLogEnd(
  github: Github,
  job: { owner: string; repo: string; job_id: string },
): Promise<string> {
  const { body, length } = await open(github, job, {});
  if (length === undefined || length <= WHOLE_BYTES) return endOf(body);
  await body.cancel();
  return endOf((await open(github, job, { range: `bytes=${length - END_BYTES}-` })).body);
}

async function open(
  github: Github,
  job: object,
  headers: Record<string, string>,
): Promise<{ body: ReadableStream; length: number | undefined }> {
  // GitHub redirects to another host, to which `fetch` does not send the token.
  const parameters = { ...job, headers, request: { parseSuccessResponseBody: false } };
  const answer: { data: unknown; headers: Record<string, unknown> } = await github.request(
    LOG,
    parameters,
  );
  const { data: body, headers: said } = answer;
  if (!(body instanceof ReadableStream)) {
    throw new RunlinkError('github_unreadable', 'GitHub’s answer holds no log.');
  }
  const isPacked = said['content-encoding'] !== undefined;
  const length = isPacked ? Number.NaN : Number(said['content-length']);
  return { body, length: Number.isNaN(length) ? undefined : length };
}

async function endOf(body: ReadableStream): Promise<string> {
  const kept: Buffer[] = [];
  let size = 0;
  const signal = AbortSignal.timeout(READ_WITHIN_MS);
  for await (const chunk of Readable.fromWeb(body, { signal })) {
    const bytes = Buffer.from(chunk);
    kept.push(bytes);
    size += bytes.length;
    while (kept[0] && size - kept[0].length >= END_BYTES) size -= kept.shift()?.length ?? 0;
  }
  return Buffer.concat(kept).toString('utf8').slice(-END_BYTES);
}
