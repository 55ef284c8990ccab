import { isTerminal } from '../../contract/run.ts';
import { CHECK_TEXT_MAX } from './cut.ts';
import type { Repository } from '../read/event.ts';
import { statusOf, type Github } from '../octokit.ts';
import { renderBody, headline, sessionLink, type Report } from './report.ts';
import { ENDINGS, type Conclusion } from './state.ts';

/** Body of a check run as both the create and the update route take it. */
export interface CheckBody {
  name: string;
  external_id: string;
  status: 'queued' | 'in_progress' | 'completed';
  conclusion?: Conclusion;
  details_url?: string;
  started_at?: string;
  completed_at?: string;
  output: { title: string; summary: string };
  actions?: { label: string; description: string; identifier: string }[];
}

const TITLE_MAX = 255;

/** The check of a run: complete when the run has ended or nobody watches it any more (then neutral). */
export async function renderCheck(report: Report, name: string): Promise<CheckBody> {
  const { run, unwatched } = report;
  const link = sessionLink(run);
  const ending = isTerminal(run.state) ? ENDINGS[run.state].conclusion : undefined;
  const conclusion = ending ?? (unwatched ? 'neutral' : undefined);
  const completedAt = run.finished_at ?? report.now.toISOString();
  return {
    name,
    external_id: run.run_id,
    status: conclusion ? 'completed' : run.state === 'QUEUED' ? 'queued' : 'in_progress',
    ...(conclusion ? { conclusion, completed_at: completedAt } : {}),
    ...(link ? { details_url: link } : {}),
    output: {
      title: headline(report).slice(0, TITLE_MAX).toWellFormed(),
      summary: await renderBody(report, CHECK_TEXT_MAX),
    },
  };
}

export interface CheckTarget {
  repository: Repository;
  sha: string;
}

/**
 * Writes the one check of (run, head SHA): by its known id, else the one that carries the run's id,
 * else a new one. Answers its id and page.
 */
export async function upsertCheck(
  github: Github,
  { repository, sha }: CheckTarget,
  body: CheckBody,
  options: { knownId?: number | undefined; mayExist: boolean },
): Promise<{ id: number; url: string }> {
  const place = { owner: repository.owner, repo: repository.name };
  const id =
    options.knownId ?? (options.mayExist ? await findCheck(github, place, sha, body) : undefined);
  if (id !== undefined) {
    try {
      const { data } = await github.request(
        'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}',
        { ...place, check_run_id: id, ...body },
      );
      return { id: Number(data.id), url: data.html_url ?? '' };
    } catch (error) {
      if (statusOf(error) !== 404) throw error;
    }
  }
  const { data } = await github.request('POST /repos/{owner}/{repo}/check-runs', {
    ...place,
    head_sha: sha,
    ...body,
  });
  return { id: Number(data.id), url: data.html_url ?? '' };
}

async function findCheck(
  github: Github,
  place: { owner: string; repo: string },
  sha: string,
  body: CheckBody,
): Promise<number | undefined> {
  const { data } = await github.request('GET /repos/{owner}/{repo}/commits/{ref}/check-runs', {
    ...place,
    ref: sha,
    check_name: body.name,
    filter: 'all',
    per_page: 100,
  });
  const ours = data.check_runs.filter((check) => check.external_id === body.external_id);
  return ours.map((check) => Number(check.id)).toSorted((a, b) => a - b)[0];
}
