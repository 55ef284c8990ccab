import type { Command } from '../github/decide/command.ts';
import { requestId, type Origin, type WorkflowStep } from '../github/decide/request.ts';
import type { GithubEvent } from '../github/read/event.ts';
import type { Asked } from './face.ts';

/** Turns a command into a request; `workflow` is the step that it came through. */
export function toAsked(
  event: GithubEvent,
  trigger: Origin['trigger'],
  command: Command,
  workflow?: WorkflowStep,
): Asked {
  const origin: Origin = { event, trigger, index: command.index, head: event.head, workflow };
  return { id: requestId(origin), attempt: workflow?.attempt ?? 1, origin, command };
}
