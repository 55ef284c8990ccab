import { readCommands, type Command } from './command.ts';
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
  /** What to do is configured, so that the event itself need not say it. */
  prompt: boolean;
}

export type Trigger =
  { kind: 'commands'; commands: Command[] } | { kind: 'label' | 'assignee' | 'prompt' };

/** Actions that bring new text of a person: only these are read for commands (threats.md G3). */
export const NEW_TEXT: Readonly<Record<string, string>> = {
  issue_comment: 'created',
  pull_request_review_comment: 'created',
  pull_request_review: 'submitted',
  issues: 'opened',
  pull_request: 'opened',
};

/** What in this event asks for something, or why nothing does. */
export async function findTrigger(
  event: GithubEvent,
  triggers: Triggers,
): Promise<{ trigger: Trigger } | { ignored: SkipReason }> {
  const isNewText = NEW_TEXT[event.name] !== undefined && NEW_TEXT[event.name] === event.action;
  if (isNewText) {
    const commands = await readCommands(newText(event), triggers);
    if (commands.length > 0) return { trigger: { kind: 'commands', commands } };
  }
  const named = namedTrigger(event, triggers);
  if (named) return named;
  const waitsForName = triggers.label !== undefined || triggers.assignee !== undefined;
  if (triggers.prompt && !waitsForName) return { trigger: { kind: 'prompt' } };
  if (isNewText) return { ignored: 'not_a_command' };
  return { ignored: event.comment ? 'not_created' : 'unsupported_event' };
}

/** The text that the event brings: of the comment or review, else of the issue or pull request. */
export function newText(event: GithubEvent): string {
  return event.comment?.body ?? event.thread?.body ?? '';
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
