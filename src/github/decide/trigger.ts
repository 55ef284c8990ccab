import { readCommands, type Command, type Grammar } from './command.ts';
import { sameName, type GithubEvent } from '../read/event.ts';
import type { SkipReason } from './reason.ts';

export interface Triggers {
  /** First word of a command's line, such as `/agent`. */
  phrase: string;
  /** Names of the repository's own commands. */
  custom?: readonly string[];
  /** Adding this label, or assigning this login, starts a run. */
  label?: string;
  assignee?: string;
  onEdit?: OnEdit;
  /** What to do is configured, so that the event itself need not say it. */
  prompt: boolean;
}

/** What an edit of a text may ask for: nothing, or what its commands add to those that were there. */
export const ON_EDIT = ['ignore', 'new-commands'] as const;
export type OnEdit = (typeof ON_EDIT)[number];

export type Trigger =
  | { kind: 'commands'; commands: Command[] }
  | { kind: 'label' | 'assignee' | 'prompt' };

/** Actions that bring new text of a person: only these are read for commands (threats.md G3). */
const NEW_TEXT: Readonly<Record<string, string>> = {
  issue_comment: 'created',
  pull_request_review_comment: 'created',
  pull_request_review: 'submitted',
  issues: 'opened',
  pull_request: 'opened',
};

/** Of these somebody may wait for an answer, and edits and deletions are heard of. */
const WRITTEN: readonly string[] = [
  'issue_comment',
  'pull_request_review_comment',
  'pull_request_review',
];

/**
 * The commands of the text that an event brings, or why none of it counts: undefined where it brings none. A
 * text counts only for its author, whoever brings it here (threats.md G14).
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

/** Whether somebody else than a text's author brings it here. */
function isBrought({ isMoved, comment, thread, actor }: GithubEvent, isEdit: boolean): boolean {
  const author = isEdit && comment ? comment.author : thread?.author;
  return isMoved || ((!comment || isEdit) && !sameName(author, actor?.login));
}

/**
 * The commands that an edit added: each that was there takes out one that is the same, else one of its verb, which
 * is then the old one in other words (threats.md G3). What could not be read before counts as not there.
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

/** What in this event asks for something, or why nothing does. */
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

/** A branch that a merge queue makes and deletes: who queued did not push it, and nothing can be mended on it. */
export function isQueueBranch({ name, checks, ref }: GithubEvent): boolean {
  const branch = checks?.branch ?? ref?.replace('refs/heads/', '') ?? '';
  return name !== 'merge_group' && branch.startsWith('gh-readonly-queue/');
}

function nobodysWork(event: GithubEvent): SkipReason | undefined {
  if (isQueueBranch(event)) return 'queue_branch';
  return isCircle(event) ? 'own_push' : undefined;
}

/** What a run pushed starts no other, or they would never end; a person who merges it does. */
function isCircle({ isRunsWork, actor, checks, ref, repository }: GithubEvent): boolean {
  if (isRunsWork !== true) return false;
  const branch = checks?.branch ?? ref?.replace('refs/heads/', '');
  const isMerged = branch === repository.defaultBranch;
  return !isMerged || actor?.type !== 'User';
}

/** How GitHub signs what it copies: of a comment made into an issue, of a discussion made into one. */
const SIGNED = /^(?:_Originally posted by \[?@|<sup>Originally posted by \*\*)/gm;
const END_OF_DISCUSSION = '</div>';

/**
 * A text without what GitHub copied into it of somebody else's: all up to the last signature of a copy. What is
 * copied may hold signatures and ends of its own, but GitHub's stand behind it.
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
