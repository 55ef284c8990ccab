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
  /** Branch it is to be merged into. */
  baseRef: string;
  /** Newest commit of that branch that GitHub compared with. */
  baseSha: string;
  /** Its branch is of another repository, or of one that is gone. */
  isFork: boolean;
}

/** A pull request that a run is said to have made. */
export interface ReportedPullRequest {
  url: string;
  number: number | undefined;
  repository: string | undefined;
  title: string | undefined;
  state: PullRequest['state'] | 'unknown';
  /** Shown to be the run's; any other is only named, and nothing is done on it (threats.md G17). */
  isOwn: boolean;
}

const PULL_REQUEST_PATH = /^\/([\w.-]+)\/([\w.-]+)\/pull\/(\d+)(?:\/|$)/;

/** Owner, repository and number of a pull request's page; any host, for GHES. */
export function readPullRequestUrl(url: string): PullRequestPlace | undefined {
  const parsed = URL.parse(url);
  const match = parsed && PULL_REQUEST_PATH.exec(parsed.pathname);
  const [, owner, repo, number] = match ?? [];
  if (!owner || !repo || !number) return undefined;
  return { owner, repo, number: Number(number) };
}

/** The one spelling of a pull request's page: no tail, query or fragment. */
export function canonicalPullRequestUrl(url: string): string {
  const place = readPullRequestUrl(url);
  const parsed = URL.parse(url);
  if (!place || !parsed) return url;
  return `${parsed.origin}/${place.owner}/${place.repo}/pull/${place.number}`;
}

/** URLs of the run's PULL_REQUEST artifacts, in order, each once. */
export function artifactPullRequests(run: RunRead): string[] {
  const urls = (run.artifacts ?? [])
    .filter((artifact) => artifact.artifact_type === 'PULL_REQUEST')
    .flatMap((artifact) =>
      artifact.data?.url ? [canonicalPullRequestUrl(artifact.data.url)] : [],
    );
  return [...new Set(urls)];
}

/** A pull request of which nothing is known but that a run names it. */
export function claimedPullRequest(url: string): ReportedPullRequest {
  const place = readPullRequestUrl(url);
  const repository = place && `${place.owner}/${place.repo}`;
  const title = undefined;
  return { url, number: place?.number, repository, title, state: 'unknown', isOwn: false };
}

export interface PullRequestSearch {
  /** Where pull requests that the run does not name itself are looked for. */
  repository: Pick<Repository, 'owner' | 'name'> | undefined;
  /** Logins that may have opened one, on a service that does not say who reports. */
  authors: () => Promise<readonly string[]>;
}

/**
 * The pull requests of a run: those it names as artifacts, else those in this repository that are shown to be
 * its own; never one that is only mentioned (github.md, "Links"). What GitHub says does not exist is left out; what it
 * cannot be asked about stays, as `unknown`.
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

/** How a pull request stands now; undefined where there is none. */
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
 * Whether a pull request is shown to be a run's; what the run says of itself proves nothing (threats.md G17).
 *
 * - Its branch ends in the run's id and stands in the repository itself, where nobody pushes but the service, for
 *   the run, and people who may write there; only they can open a pull request from it. Who did does not matter:
 *   the service may push with a person's token.
 * - Or the service says that somebody else than the run reported it.
 * - Or the service does not say who reports, and one of these authors opened it there since the run began.
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

/** Who reported a pull request as the run's, where the service says so. */
function reportersOf(run: RunRead, url: string): (string | undefined)[] {
  return (run.artifacts ?? [])
    .filter(({ data }) => data?.url !== undefined && canonicalPullRequestUrl(data.url) === url)
    .map((artifact) => artifact.reported_by);
}

/** Whether a branch is named for a run. */
export function isBranchOf(branch: string, runId: string): boolean {
  return [runId, shortRunId(runId)].some((id) => endsInWord(branch, id));
}

/** The part of a run's id that its branch ends in: of a time-ordered id the last hex digits are the random ones. */
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

/** What of GitHub's answer counts. */
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
