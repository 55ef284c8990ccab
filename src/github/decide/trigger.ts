import { readCommands, type Command, type Grammar } from './command.ts';
import { sameName, type GithubEvent } from '../read/event.ts';
import type { SkipReason } from './reason.ts';

export interface Triggers {
  /** First word of a command line, such as `/agent`. */
  phrase: string;
  /** Names of the repository's own commands. */
  custom?: readonly string[];
  /** Adding this label, or assigning this login, starts a run. */
  label?: string;
  assignee?: string;
  onEdit?: OnEdit;
  /** A prompt is configured, so the event itself need not hold one. */
  prompt: boolean;
}

/** What editing a text does: nothing, or the commands that the edit added are carried out. */
export const ON_EDIT = ['ignore', 'new-commands'] as const;
export type OnEdit = (typeof ON_EDIT)[number];

export type Trigger =
  | { kind: 'commands'; commands: Command[] }
  | { kind: 'label' | 'assignee' | 'prompt' };

/** Actions that bring a person's new text; only these are read for commands (threats.md G3). */
const NEW_TEXT: Readonly<Record<string, string>> = {
  issue_comment: 'created',
  pull_request_review_comment: 'created',
  pull_request_review: 'submitted',
  issues: 'opened',
  pull_request: 'opened',
};

/** Events that also fire for edits and deletions; those are skipped as `not_created`. */
const WRITTEN: readonly string[] = [
  'issue_comment',
  'pull_request_review_comment',
  'pull_request_review',
];

/**
 * The commands in an event's text, or why the text does not count; undefined if the event brings no
 * new text. A text counts only if its author caused the event (threats.md G14).
 */
export async function findCommands(
  event: GithubEvent,
  { onEdit = 'ignore', ...grammar }: Grammar & { onEdit?: OnEdit },
  mayParse?: () => Promise<boolean>,
): Promise<{ commands: Command[] } | { ignored: SkipReason } | undefined> {
  const isEdit = event.before !== undefined && onEdit === 'new-commands';
  const isNew = NEW_TEXT[event.name] === event.action;
  if (NEW_TEXT[event.name] === undefined || (!isNew && !isEdit)) return undefined;
  if (isBrought(event, isEdit)) return { ignored: 'not_the_authors' };
  const commands = await readCommands(withoutQuotation(textOf(event)), grammar, mayParse);
  if (!isEdit || commands.length === 0) return { commands };
  const earlier = await readCommands(withoutQuotation(event.before ?? ''), grammar, mayParse);
  return { commands: addedTo(earlier, commands) };
}

function textOf({ comment, thread }: GithubEvent): string {
  return comment?.body ?? thread?.body ?? '';
}

/** Whether somebody other than the author brought the text here. */
function isBrought({ isMoved, comment, thread, actor }: GithubEvent, isEdit: boolean): boolean {
  const author = isEdit && comment ? comment.author : thread?.author;
  return isMoved || ((!comment || isEdit) && !sameName(author, actor?.login));
}

/**
 * The commands that an edit added. Each old command cancels out an identical new one, or else one
 * with the same verb, which is taken for the old one reworded (threats.md G3). What could not be
 * read before the edit counts as not there.
 */
function addedTo(earlier: readonly Command[], commands: readonly Command[]): Command[] {
  const verb = (command: Command): string =>
    'verb' in command ? `${command.verb} ${command.name ?? ''}` : JSON.stringify(command.problem);
  const whole = (command: Command): string => JSON.stringify({ ...command, index: 0 });
  const added = [...commands];
  const left = earlier.filter((command) => !takeOut(added, whole(command), whole));
  for (const command of left) takeOut(added, verb(command), verb);
  return added;
}

function takeOut(from: Command[], wanted: string, nameOf: (command: Command) => string): boolean {
  const at = from.findIndex((command) => nameOf(command) === wanted);
  if (at >= 0) from.splice(at, 1);
  return at >= 0;
}

/** What this event asks for, or why it asks for nothing. */
export async function findTrigger(
  event: GithubEvent,
  triggers: Triggers,
): Promise<{ trigger: Trigger } | { ignored: SkipReason }> {
  const found = await findCommands(event, triggers);
  if (found && 'ignored' in found) return found;
  if (found && found.commands.length > 0) {
    return { trigger: { kind: 'commands', commands: found.commands } };
  }
  const named = namedTrigger(event, triggers);
  if (named) return named;
  const waitsForName = triggers.label !== undefined || triggers.assignee !== undefined;
  if (triggers.prompt && !waitsForName) {
    const ignored = nobodysWork(event);
    return ignored ? { ignored } : { trigger: { kind: 'prompt' } };
  }
  if (found) return { ignored: 'not_a_command' };
  return { ignored: WRITTEN.includes(event.name) ? 'not_created' : 'unsupported_event' };
}

/**
 * Whether this is a branch that a merge queue makes and deletes. The person who queued did not push
 * it, and a fix could not be pushed to it.
 */
export function isQueueBranch({ name, checks, ref }: GithubEvent): boolean {
  const branch = checks?.branch ?? ref?.replace('refs/heads/', '') ?? '';
  return name !== 'merge_group' && branch.startsWith('gh-readonly-queue/');
}

function nobodysWork(event: GithubEvent): SkipReason | undefined {
  if (isQueueBranch(event)) return 'queue_branch';
  return isCircle(event) ? 'own_push' : undefined;
}

/**
 * Whether this follows from what a run pushed. That starts no other run, or they would never end; a
 * person who merges it does.
 */
function isCircle({ isRunsWork, actor, checks, ref, repository }: GithubEvent): boolean {
  if (isRunsWork !== true) return false;
  const branch = checks?.branch ?? ref?.replace('refs/heads/', '');
  const isMerged = branch === repository.defaultBranch;
  return !isMerged || actor?.type !== 'User';
}

/** How GitHub marks the copied part when it makes an issue from a comment or a discussion. */
const SIGNED = /^(?:_Originally posted by \[?@|<sup>Originally posted by \*\*)/gm;
const END_OF_DISCUSSION = '</div>';

/**
 * The text without what GitHub copied into it from somebody else: everything up to the last such
 * mark. The copied part may contain marks too, but GitHub's own comes after it.
 */
function withoutQuotation(text: string): string {
  const last = [...text.matchAll(SIGNED)].at(-1);
  if (!last) return text;
  const end = text.lastIndexOf(END_OF_DISCUSSION);
  if (end > last.index) return text.slice(end + END_OF_DISCUSSION.length);
  const lineEnd = text.indexOf('\n', last.index);
  return last[0].startsWith('<') || lineEnd === -1 ? '' : text.slice(lineEnd);
}

function namedTrigger(
  event: GithubEvent,
  triggers: Triggers,
): { trigger: Trigger } | { ignored: SkipReason } | undefined {
  if (event.action === 'labeled' && triggers.label !== undefined) {
    return sameName(event.label, triggers.label)
      ? { trigger: { kind: 'label' } }
      : { ignored: 'label_mismatch' };
  }
  if (event.action === 'assigned' && triggers.assignee !== undefined) {
    return sameName(event.assignee, triggers.assignee)
      ? { trigger: { kind: 'assignee' } }
      : { ignored: 'assignee_mismatch' };
  }
  return undefined;
}
