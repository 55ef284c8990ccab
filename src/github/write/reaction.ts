import { z } from 'zod';
import { sameName } from '../read/event.ts';
import { ask, splitRepository, statusOf, type Github } from '../read/octokit.ts';
import { githubId } from '../read/payload.ts';
import type { Ourselves, PostOf, Standing, Written } from './post.ts';

type ReactionPost = PostOf<'reaction'>;

const ROUTES = {
  issue: {
    list: 'GET /repos/{owner}/{repo}/issues/{id}/reactions',
    create: 'POST /repos/{owner}/{repo}/issues/{id}/reactions',
    remove: 'DELETE /repos/{owner}/{repo}/issues/{id}/reactions/{reaction_id}',
  },
  issue_comment: {
    list: 'GET /repos/{owner}/{repo}/issues/comments/{id}/reactions',
    create: 'POST /repos/{owner}/{repo}/issues/comments/{id}/reactions',
    remove: 'DELETE /repos/{owner}/{repo}/issues/comments/{id}/reactions/{reaction_id}',
  },
  review_comment: {
    list: 'GET /repos/{owner}/{repo}/pulls/comments/{id}/reactions',
    create: 'POST /repos/{owner}/{repo}/pulls/comments/{id}/reactions',
    remove: 'DELETE /repos/{owner}/{repo}/pulls/comments/{id}/reactions/{reaction_id}',
  },
};

const reaction = z.object({
  id: githubId,
  user: z.object({ login: z.string() }).nullish(),
});

/**
 * Sets our reaction and removes the one it replaces. Repeating is harmless: GitHub returns an
 * existing reaction again, and answers 404 for a removed one.
 */
export async function writeReaction(
  github: Github,
  post: ReactionPost,
  { remoteId, mayExist }: Standing,
  us: Ourselves,
): Promise<Written> {
  const { content, besides } = post.content;
  const data = await ask(github, ROUTES[post.target.subject].create, placeOf(post, { content }));
  const { id, user } = reaction.parse(data);
  if (besides) return { id, url: '', login: user?.login };
  const mayHaveEyes = mayExist !== false && content !== 'eyes';
  const earlier = remoteId ?? (mayHaveEyes ? await findEyes(github, post, us) : undefined);
  if (earlier !== undefined && earlier !== id) await removeReaction(github, post, earlier);
  return { id, url: '', login: user?.login };
}

/** The 👀 of an earlier try that crashed before storing its id. */
async function findEyes(
  github: Github,
  post: ReactionPost,
  us: Ourselves,
): Promise<string | undefined> {
  const query = placeOf(post, { content: 'eyes', per_page: 100 });
  const data = await ask(github, ROUTES[post.target.subject].list, query);
  const eyes = z.array(reaction).parse(data);
  const login = eyes.length > 0 ? await us.login() : '';
  return eyes.find(({ user }) => sameName(user?.login, login))?.id;
}

async function removeReaction(github: Github, post: ReactionPost, id: string): Promise<void> {
  const route = ROUTES[post.target.subject].remove;
  try {
    await ask(github, route, placeOf(post, { reaction_id: id }));
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
  }
}

function placeOf({ repository, target }: ReactionPost, more: object): Record<string, unknown> {
  return { ...splitRepository(repository), id: target.id, ...more };
}
