import type { Github } from '../../github/read/octokit.ts';
import type { Post } from '../store/posts.ts';
import { splitRepository } from './repository.ts';

export type CheckPost = Extract<Post, { kind: 'check' }>;

/** GitHub takes 50 annotations per request and adds those of later ones (github.md, "Limits"). */
export const ANNOTATIONS_MAX = 50;

export async function createCheck(github: Github, post: CheckPost): Promise<string> {
  const { data } = await github.request('POST /repos/{owner}/{repo}/check-runs', {
    ...splitRepository(post.repository),
    ...firstAnnotations(post),
    head_sha: post.target.headSha,
    external_id: post.target.externalId,
  });
  const id = String(data.id);
  await addAnnotations(github, post, id);
  return id;
}

export async function updateCheck(github: Github, post: CheckPost, id: string): Promise<void> {
  await github.request('PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}', {
    ...splitRepository(post.repository),
    ...firstAnnotations(post),
    check_run_id: Number(id),
  });
  await addAnnotations(github, post, id);
}

/** A check cannot be deleted: one that is there twice must at least hold nobody up. */
export async function closeCheck(github: Github, post: CheckPost, id: string): Promise<void> {
  await github.request('PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}', {
    ...splitRepository(post.repository),
    check_run_id: Number(id),
    status: 'completed',
    conclusion: 'neutral',
  });
}

/** The check run an earlier try left behind, told by our App's id and its external id. */
export async function findCheck(
  github: Github,
  post: CheckPost,
  appId: number,
): Promise<string | undefined> {
  const { data } = await github.request('GET /repos/{owner}/{repo}/commits/{ref}/check-runs', {
    ...splitRepository(post.repository),
    ref: post.target.headSha,
    check_name: post.content.name,
    filter: 'all',
    app_id: appId,
    per_page: 100,
  });
  const found = data.check_runs.find((check) => check.external_id === post.target.externalId);
  return found && String(found.id);
}

function firstAnnotations(post: CheckPost): CheckPost['content'] {
  const { annotations, ...output } = post.content.output;
  const first = annotations?.slice(0, ANNOTATIONS_MAX);
  return { ...post.content, output: { ...output, ...(first && { annotations: first }) } };
}

async function addAnnotations(github: Github, post: CheckPost, id: string): Promise<void> {
  const { annotations = [], title, summary } = post.content.output;
  for (let at = ANNOTATIONS_MAX; at < annotations.length; at += ANNOTATIONS_MAX) {
    await github.request('PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}', {
      ...splitRepository(post.repository),
      check_run_id: Number(id),
      output: { title, summary, annotations: annotations.slice(at, at + ANNOTATIONS_MAX) },
    });
  }
}
