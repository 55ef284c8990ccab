import { z } from 'zod';
import {
  readCommands,
  type Command,
  type Grammar,
  type ReadCommand,
} from '../github/decide/command.ts';
import type { Options } from '../github/decide/command-options.ts';
import { sameName, type Comment, type GithubEvent } from '../github/read/event.ts';
import { listAll, statusOf, type Github } from '../github/read/octokit.ts';
import { comment as written } from '../github/read/payload.ts';
import { readWrittenComment } from '../github/read/read-event.ts';

/**
 * Joins the inline commands of one review into one command, whichever of them GitHub sent; the
 * event then stands for the first. Returns them unchanged if there is only one, or if some do more
 * than ask for work. An edit gives only the commands that it added.
 */
export async function gatherReview(
  github: Github | undefined,
  event: GithubEvent,
  commands: readonly Command[],
  grammar: Grammar,
): Promise<{ event: GithubEvent; commands: readonly Command[] }> {
  const { comment, thread, repository, before } = event;
  const alone = { event, commands };
  if (!github || !thread || comment?.reviewId === undefined || before !== undefined) return alone;
  const { reviewId, author } = comment;
  const route = 'GET /repos/{owner}/{repo}/pulls/{number}/reviews/{reviewId}/comments';
  const place = { owner: repository.owner, repo: repository.name, number: thread.number, reviewId };
  const listed = await listAll(github, route, place).catch(orNone);
  const comments = z.array(written).parse(listed).map(readWrittenComment);
  const own = comments.filter((one) => sameName(one.author, author));
  const parts = await readParts(own, grammar);
  const [first] = parts;
  if (!first || parts.length < 2 || !parts.every(isPlain)) return alone;
  const places = parts.flatMap(({ comment: one }) => (one.place ? [one.place] : []));
  const asking = [...new Set(parts.map(({ comment: one }) => one))];
  const prompt = parts.map(({ command }, at) => `${at + 1}. ${command.prompt}`).join('\n\n');
  const options: Options = Object.assign(
    {},
    ...parts.map(({ command }) => command.options).toReversed(),
  );
  return {
    event: { ...event, comment: first.comment, review: { id: reviewId, places, comments: asking } },
    commands: [{ ...first.command, index: 1, prompt, options }],
  };
}

/** A review that was deleted, or that we may not read, holds nothing more. */
function orNone(error: unknown): [] {
  if (statusOf(error) === 404) return [];
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
