import { Readable } from 'node:stream';
import { RunlinkError } from '../../base/error.ts';
import type { Github } from './octokit.ts';

const LOG: string = 'GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs';
/** What is kept of a log's end; logs have up to gigabytes. */
const END_BYTES = 100_000;
/** Up to this length a log is read whole rather than asked for twice. */
const WHOLE_BYTES = 1_000_000;
const READ_WITHIN_MS = 60_000;

/** The end of an Actions job's log. Only that is asked for where its store takes ranges; no more than that is ever held. */
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
  // GitHub answers with an address of another host, to which `fetch` takes no token along.
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
