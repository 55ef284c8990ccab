import type { Repository } from '../read/event.ts';
import { statusOf, type Github } from '../read/octokit.ts';
import type { CheckBody } from '../render/check.ts';

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
