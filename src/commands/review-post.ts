import { hash } from 'node:crypto';
import type { Client } from '../client/connect.ts';
import type { CallOptions } from '../client/send.ts';
import { readReviewFile, REVIEW_FILE } from '../contract/review.ts';
import type { RunRead } from '../contract/run.ts';
import type { GithubRefusal } from '../github/read/github-failure.ts';
import { inertLine } from '../github/render/inert-line.ts';
import { renderReview, reviewMarker, type ReviewVerdict } from '../github/render/review.ts';
import type { PostOf } from '../github/write/post.ts';
import { GRANT } from './failure.ts';
import { findRunFile, readFile } from './run-file.ts';
import { orUndefined } from './thread-run.ts';

/** The pull request that a run was asked on, and how reviews are posted there. */
export interface ReviewPlace {
  /** `owner/name`. */
  repository: string;
  number: number;
  url: string;
  /**
   * The pull request's head when the run was asked for; undefined if it was not asked for on a pull
   * request.
   */
  headSha: string | undefined;
  phrase: string;
  verdict: ReviewVerdict;
}

const FAULT_MAX = 300;

/** Id of the artifact with a run's newest review. */
export function reviewArtifact(run: RunRead): string | undefined {
  return findRunFile(run, REVIEW_FILE);
}

/**
 * The post for a run's review, or a sentence for the thread that says why there is none. `version`
 * tells one content of the file from the next, because the id stays when a run writes the file
 * again; without it there is nothing to read.
 */
export async function reviewPost(
  service: Client,
  run: RunRead,
  artifact: string,
  place: ReviewPlace,
  options: CallOptions,
): Promise<{ version?: string } & ({ post: PostOf<'review'> } | { fault: string })> {
  const { repository, number, headSha, verdict } = place;
  if (headSha === undefined) {
    return faultOf('this run was not asked for on a pull request');
  }
  const left = await orUndefined(() => readFile(service, artifact, REVIEW_FILE, options));
  if (!left) return faultOf('the service no longer has it');
  const version = `${artifact}.${hash('sha256', JSON.stringify(left)).slice(0, 16)}`;
  if ('fault' in left) return { version, ...faultOf(left.fault.replace(`${REVIEW_FILE} `, 'it ')) };
  const read = readReviewFile(left.value);
  if ('fault' in read) return { version, ...faultOf(read.fault) };
  const marker = reviewMarker(run.run_id, version);
  const content = await renderReview(read.review, { run, artifact: version, ...place }, verdict);
  const key = `review:${run.run_id}:${version}`;
  return {
    version,
    post: { key, kind: 'review', repository, number, target: { marker, headSha }, content },
  };
}

/** What the thread is told if GitHub refuses the review in every form. */
export function refusedReview({ kind, detail }: GithubRefusal): string {
  const { fault } = faultOf(`GitHub refused it (${detail})`);
  return kind === 'denied' ? `${fault} ${GRANT}` : fault;
}

function faultOf(what: string): { fault: string } {
  return { fault: `The run’s ${REVIEW_FILE} was not posted: ${inertLine(what, FAULT_MAX)}.` };
}
