import type { RunRead } from '../../contract/run.ts';
import { type Repository, sameName } from './event.ts';
import { statusOf, type Github } from './octokit.ts';

export interface PullRequestPlace {
  owner: string;
  repo: string;
  number: number;
}

export interface ReportedPullRequest {
  url: string;
  number: number | undefined;
  repository: string | undefined;
  title: string | undefined;
  state: 'open' | 'draft' | 'merged' | 'closed' | 'unknown';
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

export interface LinkSearch {
  /** Where pull requests that the run does not name itself are looked for. */
  repository: Repository | undefined;
  /** Logins whose pull requests may be a run's; asked when there are any to choose from. */
  authors: () => Promise<readonly string[]>;
}

/**
 * The pull requests of a run: those it reports as artifacts, else those in its repository whose branch
 * or body carries its id and whose author is ours; never one that is only mentioned
 * (github.md, "Links"). What GitHub says does not exist is left out; what it cannot be asked about
 * stays, as `unknown`.
 */
export async function findPullRequests(
  github: Github | undefined,
  run: RunRead,
  search: LinkSearch,
): Promise<ReportedPullRequest[]> {
  const urls = artifactPullRequests(run);
  if (urls.length > 0) {
    const looked = await Promise.all(urls.map(async (url) => lookUp(github, url)));
    return looked.filter((pull) => pull !== undefined);
  }
  if (!github || !search.repository) return [];
  return searchPullRequests(github, run.run_id, search.repository, search.authors);
}

async function lookUp(
  github: Github | undefined,
  url: string,
): Promise<ReportedPullRequest | undefined> {
  const place = readPullRequestUrl(url);
  const unknown: ReportedPullRequest = {
    url,
    number: place?.number,
    repository: place && `${place.owner}/${place.repo}`,
    title: undefined,
    state: 'unknown',
  };
  if (!github || !place) return unknown;
  try {
    const { data } = await github.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', {
      owner: place.owner,
      repo: place.repo,
      pull_number: place.number,
    });
    return { ...unknown, title: data.title, state: pullState(data) };
  } catch (error) {
    return statusOf(error) === 404 ? undefined : unknown;
  }
}

async function searchPullRequests(
  github: Github,
  runId: string,
  repository: Repository,
  authors: () => Promise<readonly string[]>,
): Promise<ReportedPullRequest[]> {
  const { data } = await github.request('GET /repos/{owner}/{repo}/pulls', {
    owner: repository.owner,
    repo: repository.name,
    state: 'all',
    sort: 'created',
    direction: 'desc',
    per_page: 100,
  });
  const named = data.filter(
    (pull) => pull.head.ref.includes(runId) || (pull.body ?? '').includes(runId),
  );
  const ours = named.length > 0 ? await authors() : [];
  return named
    .filter((pull) => ours.some((author) => sameName(author, pull.user?.login)))
    .map((pull) => ({
      url: pull.html_url,
      number: pull.number,
      repository: `${repository.owner}/${repository.name}`,
      title: pull.title,
      state: pullState(pull),
    }));
}

function pullState(pull: {
  state: string;
  draft?: boolean | undefined;
  merged_at?: string | null;
}): ReportedPullRequest['state'] {
  if (pull.merged_at) return 'merged';
  if (pull.state === 'closed') return 'closed';
  return pull.draft === true ? 'draft' : 'open';
}
