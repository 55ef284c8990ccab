import type { RunRead } from '../../contract/run.ts';
import { sameName, type Repository } from './event.ts';
import { statusOf, type Github } from './octokit.ts';

export interface PullRequestPlace {
  owner: string;
  repo: string;
  number: number;
}

/** A pull request as GitHub has it. */
export interface PullRequest {
  url: string;
  number: number;
  /** `owner/name`. */
  repository: string;
  title: string;
  body: string;
  state: 'open' | 'draft' | 'merged' | 'closed';
  author: string | undefined;
  createdAt: string;
  headSha: string;
  headRef: string;
  /** Branch that it is to be merged into. */
  baseRef: string;
  /** Commit of that branch that GitHub compares with. */
  baseSha: string;
  /** Its branch is in another repository, or in one that was deleted. */
  isFork: boolean;
}

/** A pull request that a run is said to have opened. */
export interface ReportedPullRequest {
  url: string;
  number: number | undefined;
  repository: string | undefined;
  title: string | undefined;
  state: PullRequest['state'] | 'unknown';
  /**
   * Proven to be the run's own. Any other is only named, and nothing is done on it (threats.md
   * G17).
   */
  isOwn: boolean;
}

const PULL_REQUEST_PATH = /^\/([\w.-]+)\/([\w.-]+)\/pull\/(\d+)(?:\/|$)/;

/**
 * Owner, repository and number from a pull request's URL, on any host (GitHub Enterprise Server).
 */
export function readPullRequestUrl(url: string): PullRequestPlace | undefined {
  const parsed = URL.parse(url);
  const match = parsed && PULL_REQUEST_PATH.exec(parsed.pathname);
  const [, owner, repo, number] = match ?? [];
  if (!owner || !repo || !number) return undefined;
  return { owner, repo, number: Number(number) };
}

/** A pull request's URL in its one canonical form: without further path, query or fragment. */
export function canonicalPullRequestUrl(url: string): string {
  const place = readPullRequestUrl(url);
  const parsed = URL.parse(url);
  if (!place || !parsed) return url;
  return `${parsed.origin}/${place.owner}/${place.repo}/pull/${place.number}`;
}

/** URLs of the run's PULL_REQUEST artifacts, without duplicates. */
export function artifactPullRequests(run: RunRead): string[] {
  const urls = (run.artifacts ?? [])
    .filter((artifact) => artifact.artifact_type === 'PULL_REQUEST')
    .flatMap((artifact) =>
      artifact.data?.url ? [canonicalPullRequestUrl(artifact.data.url)] : [],
    );
  return [...new Set(urls)];
}

/** A pull request that a run names, and of which nothing else is known. */
export function claimedPullRequest(url: string): ReportedPullRequest {
  const place = readPullRequestUrl(url);
  const repository = place && `${place.owner}/${place.repo}`;
  const title = undefined;
  return { url, number: place?.number, repository, title, state: 'unknown', isOwn: false };
}

export interface PullRequestSearch {
  /** Repository to search if the run names no pull request itself. */
  repository: Pick<Repository, 'owner' | 'name'> | undefined;
  /** Logins that may have opened it, for a service that does not say who reported it. */
  authors: () => Promise<readonly string[]>;
}

/**
 * The pull requests of a run: those in its artifacts, otherwise those in the repository that are
 * proven to be its own; never one that is only mentioned (github.md, "Links"). Leaves out what
 * GitHub says does not exist; what could not be read is `unknown`.
 */
export async function findPullRequests(
  github: Github | undefined,
  run: RunRead,
  { repository, authors }: PullRequestSearch,
): Promise<ReportedPullRequest[]> {
  const urls = artifactPullRequests(run);
  if (urls.length > 0) {
    const looked = await Promise.all(urls.map(async (url) => lookUp(github, url, run, authors)));
    return looked.filter((pull) => pull !== undefined);
  }
  return github && repository ? searchPullRequests(github, run, repository) : [];
}

/** The current state of a pull request; undefined if it does not exist. */
export async function readPullRequest(
  github: Github,
  { owner, repo, number }: PullRequestPlace,
): Promise<PullRequest | undefined> {
  try {
    const { data } = await github.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', {
      owner,
      repo,
      pull_number: number,
    });
    return toPullRequest(data);
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

/**
 * Whether a pull request is proven to be a run's own. What the run says about itself proves nothing
 * (threats.md G17). It is if one of these holds:
 *
 * - Its branch ends in the run's id and is in the repository itself. Only people with write access,
 * and the service on behalf of the run, can push there and open a pull request from it. Who opened
 * it does not matter, because the service may push with a person's token.
 * - The service says that somebody other than the run reported it.
 * - The service does not say who reported it, and one of these authors opened it there after the
 * run was created.
 */
export async function isPullRequestOf(
  pull: Pick<PullRequest, 'url' | 'headRef' | 'isFork' | 'author' | 'createdAt'>,
  run: RunRead,
  authors: () => Promise<readonly string[]>,
): Promise<boolean> {
  if (!pull.isFork && isBranchOf(pull.headRef, run.run_id)) return true;
  const reporters = reportersOf(run, pull.url);
  if (reporters.some((by) => by !== undefined && by !== 'run')) return true;
  const isUnsaid = reporters.length > 0 && reporters.every((by) => by === undefined);
  const isLater = Date.parse(pull.createdAt) >= Date.parse(run.created_at ?? '');
  if (!isUnsaid || !isLater || pull.isFork) return false;
  return (await authors()).some((author) => sameName(author, pull.author));
}

/** Who reported the pull request as the run's; undefined for each report without a name. */
function reportersOf(run: RunRead, url: string): (string | undefined)[] {
  return (run.artifacts ?? [])
    .filter(({ data }) => data?.url !== undefined && canonicalPullRequestUrl(data.url) === url)
    .map((artifact) => artifact.reported_by);
}

/** Whether a branch is named after a run. */
export function isBranchOf(branch: string, runId: string): boolean {
  return [runId, shortRunId(runId)].some((id) => endsInWord(branch, id));
}

/**
 * The part of a run's id at the end of its branch name. The last hex digits are used, which are
 * random even in time-ordered ids.
 */
export function shortRunId(runId: string): string {
  const plain = runId.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();
  return plain.slice(-12) || 'run';
}

function endsInWord(branch: string, word: string): boolean {
  return branch.endsWith(word) && !/[A-Za-z0-9]/.test(branch.at(-word.length - 1) ?? '');
}

async function lookUp(
  github: Github | undefined,
  url: string,
  run: RunRead,
  authors: () => Promise<readonly string[]>,
): Promise<ReportedPullRequest | undefined> {
  const place = readPullRequestUrl(url);
  const claimed = claimedPullRequest(url);
  if (!github || !place) return claimed;
  try {
    const pull = await readPullRequest(github, place);
    if (!pull) return undefined;
    const { title, state } = pull;
    return { ...claimed, title, state, isOwn: await isPullRequestOf(pull, run, authors) };
  } catch {
    return claimed;
  }
}

async function searchPullRequests(
  github: Github,
  run: RunRead,
  repository: Pick<Repository, 'owner' | 'name'>,
): Promise<ReportedPullRequest[]> {
  const { data } = await github.request('GET /repos/{owner}/{repo}/pulls', {
    owner: repository.owner,
    repo: repository.name,
    state: 'all',
    sort: 'created',
    direction: 'desc',
    per_page: 100,
  });
  return data
    .map(toPullRequest)
    .filter(({ headRef, isFork }) => !isFork && isBranchOf(headRef, run.run_id))
    .map((pull) => ({ ...pull, isOwn: true }));
}

/** The fields of GitHub's response that count. */
interface PullRequestData {
  html_url: string;
  number: number;
  title: string;
  body: string | null;
  state: string;
  draft?: boolean | undefined;
  merged_at?: string | null;
  created_at: string;
  user: { login: string } | null;
  head: { sha: string; ref: string; repo: { full_name: string } | null };
  base: { ref: string; sha?: string; repo: { full_name: string } };
}

function toPullRequest(data: PullRequestData): PullRequest {
  const { head, base } = data;
  const repository = base.repo.full_name;
  return {
    url: data.html_url,
    number: data.number,
    repository,
    title: data.title,
    body: data.body ?? '',
    state: stateOf(data),
    author: data.user?.login,
    createdAt: data.created_at,
    headSha: head.sha,
    headRef: head.ref,
    baseRef: base.ref,
    baseSha: base.sha ?? base.ref,
    isFork: !sameName(head.repo?.full_name, repository),
  };
}

function stateOf({ state, draft, merged_at: mergedAt }: PullRequestData): PullRequest['state'] {
  if (mergedAt) return 'merged';
  if (state === 'closed') return 'closed';
  return draft === true ? 'draft' : 'open';
}
