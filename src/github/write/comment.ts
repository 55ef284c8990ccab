import { z } from 'zod';
import { RunlinkError } from '../../base/error.ts';
import { sameName } from '../read/event.ts';
import { ask, listAll, splitRepository, statusOf, type Github } from '../read/octokit.ts';
import { githubId } from '../read/payload.ts';
import { hasMarker } from '../render/marker.ts';
import type { Ourselves, PostOf, Standing, Written } from './post.ts';

type CommentPost = PostOf<'comment'>;

/** A comment of a thread, or of a review thread, as GitHub lists it. */
interface Stored extends Written {
  body: string;
  author: string;
  createdAt: string;
}

const ON_THREAD = {
  list: 'GET /repos/{owner}/{repo}/issues/{number}/comments',
  create: 'POST /repos/{owner}/{repo}/issues/{number}/comments',
  update: 'PATCH /repos/{owner}/{repo}/issues/comments/{id}',
  remove: 'DELETE /repos/{owner}/{repo}/issues/comments/{id}',
};
const IN_REVIEW = {
  list: 'GET /repos/{owner}/{repo}/pulls/{number}/comments',
  create: 'POST /repos/{owner}/{repo}/pulls/{number}/comments/{replyTo}/replies',
  update: 'PATCH /repos/{owner}/{repo}/pulls/comments/{id}',
  remove: 'DELETE /repos/{owner}/{repo}/pulls/comments/{id}',
};

/**
 * Prefix of the id if the review thread was gone and the comment was posted on the pull request
 * instead.
 */
const INSTEAD = 'issue:';
/** Clocks differ, some by a whole time zone. */
const LOOK_BACK_MS = 26 * 3_600_000;
/** Two processes that create the same comment within this time see each other's. */
const RACE_MS = 60_000;

/**
 * Writes the one comment with this marker: updates it by its id or finds it, otherwise creates it.
 * If two were created at the same time, the oldest is kept. A comment that somebody deleted is not
 * created again (404).
 */
export async function writeComment(
  github: Github,
  post: CommentPost,
  { remoteId, mayExist }: Standing,
  us: Ourselves,
): Promise<Written> {
  if (remoteId !== undefined) return updateComment(github, post, remoteId);
  if (mayExist !== false) {
    const since = mayExist === true ? undefined : new Date(mayExist.getTime() - LOOK_BACK_MS);
    const [oldest, ...younger] = await findOurs(github, post, us.login, since);
    for (const { id } of younger) await deleteComment(github, post, id);
    if (oldest?.body === post.content.body) return oldest;
    if (oldest) return updateComment(github, post, oldest.id);
  }
  return settleRace(github, post, await createComment(github, post));
}

export async function deleteComment(github: Github, post: CommentPost, id: string): Promise<void> {
  const { routes, parameters } = placeOf(post, id);
  try {
    await ask(github, routes.remove, parameters);
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
  }
}

async function createComment(github: Github, post: CommentPost): Promise<Stored> {
  const { body } = post.content;
  const { routes, parameters } = placeOf(post);
  try {
    return toStored(await ask(github, routes.create, { ...parameters, body }));
  } catch (error) {
    if (routes !== IN_REVIEW || statusOf(error) !== 404) throw error;
  }
  const instead = { ...parameters, body };
  const created = toStored(await ask(github, ON_THREAD.create, instead));
  return { ...created, id: INSTEAD + created.id };
}

async function updateComment(github: Github, post: CommentPost, id: string): Promise<Written> {
  const { routes, parameters } = placeOf(post, id);
  const { body } = post.content;
  const { url } = toStored(await ask(github, routes.update, { ...parameters, body }));
  return { id, url };
}

/**
 * After creating a comment: if another process of ours was first, keeps that one and deletes this.
 */
async function settleRace(github: Github, post: CommentPost, created: Stored): Promise<Written> {
  const since = new Date(Date.parse(created.createdAt) - RACE_MS);
  if (Number.isNaN(since.getTime()) || created.id.startsWith(INSTEAD)) return created;
  const [oldest, ...younger] = await findOurs(github, post, async () => created.author, since);
  for (const { id } of younger) await deleteComment(github, post, id);
  return !oldest || oldest.id === created.id ? created : updateComment(github, post, oldest.id);
}

/**
 * Our comments with the post's marker, oldest first. Our login is looked up only if there are any.
 */
async function findOurs(
  github: Github,
  post: CommentPost,
  login: Ourselves['login'],
  since: Date | undefined,
): Promise<Stored[]> {
  const { routes, parameters } = placeOf(post);
  const query = { ...parameters, ...(since && { since: since.toISOString() }) };
  const listed = (await listAll(github, routes.list, query)).map(toStored);
  const marked = listed.filter(({ body }) => hasMarker(body, post.target.marker));
  const us = marked.length > 0 ? await login() : '';
  return marked
    .filter(({ author }) => sameName(author, us))
    .toSorted((a, b) => Number(BigInt(a.id) - BigInt(b.id)));
}

/** Routes and parameters for a new comment, or for the one with this id. */
function placeOf(
  { repository, number, target: { replyTo } }: CommentPost,
  id = '',
): { routes: typeof ON_THREAD; parameters: Record<string, unknown> } {
  const isInstead = replyTo === null || id.startsWith(INSTEAD);
  const parameters = { ...splitRepository(repository), number, replyTo };
  return {
    routes: isInstead ? ON_THREAD : IN_REVIEW,
    parameters: { ...parameters, id: id.replace(INSTEAD, '') },
  };
}

const comment = z.object({
  id: githubId,
  html_url: z.string().default(''),
  body: z.string().nullish(),
  created_at: z.string().default(''),
  user: z.object({ login: z.string() }).nullish(),
});

/**
 * Throws `github_unreadable` for a response that was cut off, which looks like a success without
 * content.
 */
function toStored(data: unknown): Stored {
  const read = comment.safeParse(data);
  if (!read.success)
    throw new RunlinkError('github_unreadable', 'GitHub’s answer holds no comment.');
  const { id, html_url: url, body, created_at: createdAt, user } = read.data;
  return { id, url, body: body ?? '', createdAt, author: user?.login ?? '' };
}
