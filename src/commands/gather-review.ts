import { z } from 'zod';
import {
  readCommands,
  type Command,
  type Grammar,
  type ReadCommand,
} from '../github/decide/command.ts';
import type { Options } from '../github/decide/command-options.ts';
import { sameName, type Comment, type GithubEvent } from '../github/read/event.ts';
import { readGithubFailure } from '../github/read/github-failure.ts';
import { ask, listAll, type Github } from '../github/read/octokit.ts';
import { comment as inlineComment, review } from '../github/read/payload.ts';
import { readWrittenComment, readWrittenReview } from '../github/read/read-event.ts';

/**
 * Joins the inline commands of one review, and those of its text, into one command, whichever of
 * them GitHub sent; the event then stands for the first inline one. Returns them unchanged if there
 * is only one, or if some do more than ask for work. An edit gives only the commands that it added.
 */
export async function gatherReview(
  github: Github | undefined,
  event: GithubEvent,
  commands: readonly Command[],
  grammar: Grammar,
): Promise<{ event: GithubEvent; commands: readonly Command[] }> {
  const { comment, thread, repository, before } = event;
  const alone = { event, commands };
  const reviewId = comment?.kind === 'review' ? comment.id : comment?.reviewId;
  if (!github || !thread || !comment || reviewId === undefined || before !== undefined)
    return alone;
  const place = { owner: repository.owner, repo: repository.name, number: thread.number, reviewId };
  const written = await readReview(github, place, comment);
  const own = written.filter((one) => sameName(one.author, comment.author));
  const all = await readParts(own, grammar);
  const parts = all.filter(isPlain);
  // GitHub takes answers and reactions on inline comments, not on the text of a review.
  const first = parts.find((part) => part.comment.kind !== 'review');
  if (!first || parts.length < 2 || parts.length < all.length) return alone;
  const places = parts.flatMap(({ comment: one }, at) =>
    one.place ? [{ ...one.place, part: at + 1 }] : [],
  );
  const asking = [...new Set(parts.map(({ comment: one }) => one))];
  const prompt = parts.map(({ command }, at) => `${at + 1}. ${command.prompt}`).join('\n\n');
  const options: Options = Object.assign(
    {},
    ...parts.map(({ command }) => command.options).toReversed(),
  );
  return {
    event: {
      ...event,
      name: 'pull_request_review_comment',
      action: 'created',
      comment: first.comment,
      review: { id: reviewId, places, comments: asking },
    },
    commands: [{ ...first.command, index: 1, prompt, options }],
  };
}

/** The text of a review and its inline comments, in their order. */
async function readReview(
  github: Github,
  place: Record<string, string | number>,
  comment: Comment,
): Promise<Comment[]> {
  const route = 'GET /repos/{owner}/{repo}/pulls/{number}/reviews/{reviewId}';
  const [text, inline] = await Promise.all([
    comment.kind === 'review' ? [comment] : ask(github, route, place).then(readText, orNone),
    listAll(github, `${route}/comments`, place).catch(orNone),
  ]);
  return [...text, ...z.array(inlineComment).parse(inline).map(readWrittenComment)];
}

function readText(answer: unknown): Comment[] {
  return [readWrittenReview(review.parse(answer))];
}

/** A review that was deleted, or that we may not read, holds nothing more. */
function orNone(error: unknown): [] {
  const { kind } = readGithubFailure(error, Date.now());
  if (kind === 'gone' || kind === 'denied') return [];
  throw error;
}

async function readParts(
  comments: readonly Comment[],
  grammar: Grammar,
): Promise<{ comment: Comment; command: Command }[]> {
  const parts: { comment: Comment; command: Command }[] = [];
  // Only this many may wait for the thread that parses Markdown.
  for (const comment of comments) {
    const commands = await readCommands(comment.body, grammar, async () => false);
    parts.push(...commands.map((command) => ({ comment, command })));
  }
  return parts;
}

function isPlain(part: {
  comment: Comment;
  command: Command;
}): part is { comment: Comment; command: ReadCommand } {
  return 'verb' in part.command && part.command.verb === 'run';
}
