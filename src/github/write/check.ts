import { z } from 'zod';
import { ask, splitRepository, type Github } from '../read/octokit.ts';
import type { CheckContent } from '../render/check.ts';
import type { Ourselves, PostOf, Standing, Written } from './post.ts';

type CheckPost = PostOf<'check'>;

/**
 * GitHub accepts 50 annotations per request, and adds those of later requests (github.md,
 * "Limits").
 */
export const ANNOTATIONS_MAX = 50;

/**
 * Writes the one check of (external id, commit): updates it by its id or finds it, otherwise
 * creates it.
 */
export async function writeCheck(
  github: Github,
  post: CheckPost,
  { remoteId, mayExist }: Standing,
  us: Ourselves,
): Promise<Written> {
  const known = remoteId ?? (mayExist === false ? undefined : await findCheck(github, post, us));
  const written =
    known === undefined ? await createCheck(github, post) : await updateCheck(github, post, known);
  await addAnnotations(github, post, written.id);
  return written;
}

/** Completes a duplicate check as neutral, so that it blocks nobody. Checks cannot be deleted. */
export async function closeCheck(github: Github, post: CheckPost, id: string): Promise<void> {
  await change(github, post, id, { status: 'completed', conclusion: 'neutral' });
}

async function createCheck(github: Github, post: CheckPost): Promise<Written> {
  const { data } = await github.request('POST /repos/{owner}/{repo}/check-runs', {
    ...splitRepository(post.repository),
    ...firstAnnotations(post),
    head_sha: post.target.headSha,
    external_id: post.target.externalId,
  });
  return { id: String(data.id), url: data.html_url ?? '' };
}

async function updateCheck(github: Github, post: CheckPost, id: string): Promise<Written> {
  const data = await change(github, post, id, { ...firstAnnotations(post) });
  return { id, url: z.looseObject({ html_url: z.string() }).safeParse(data).data?.html_url ?? '' };
}

async function change(
  github: Github,
  { repository }: CheckPost,
  id: string,
  fields: Record<string, unknown>,
): Promise<unknown> {
  const route = 'PATCH /repos/{owner}/{repo}/check-runs/{id}';
  return ask(github, route, { ...splitRepository(repository), id, ...fields });
}

/** The check that an earlier try created, by its external id and, if known, our App's id. */
async function findCheck(
  github: Github,
  { repository, target, content }: CheckPost,
  { appId }: Ourselves,
): Promise<string | undefined> {
  const { data } = await github.request('GET /repos/{owner}/{repo}/commits/{ref}/check-runs', {
    ...splitRepository(repository),
    ref: target.headSha,
    check_name: content.name,
    filter: 'all',
    ...(appId !== undefined && { app_id: appId }),
    per_page: 100,
  });
  const ours = data.check_runs.filter((check) => check.external_id === target.externalId);
  const ids = ours.map((check) => BigInt(check.id)).toSorted((a, b) => (a < b ? -1 : 1));
  return ids[0]?.toString();
}

function firstAnnotations({ content }: CheckPost): CheckContent {
  const { annotations, ...output } = content.output;
  const first = annotations?.slice(0, ANNOTATIONS_MAX);
  return { ...content, output: { ...output, ...(first && { annotations: first }) } };
}

async function addAnnotations(github: Github, post: CheckPost, id: string): Promise<void> {
  const { annotations = [], title, summary } = post.content.output;
  for (let at = ANNOTATIONS_MAX; at < annotations.length; at += ANNOTATIONS_MAX) {
    const more = annotations.slice(at, at + ANNOTATIONS_MAX);
    await change(github, post, id, { output: { title, summary, annotations: more } });
  }
}
