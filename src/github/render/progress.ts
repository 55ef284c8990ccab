import { stepText, type Item } from '../../contract/log-item.ts';
import { plainLine } from './inert-line.ts';

/** The progress of a working run. */
export interface Progress {
  plan: readonly { content: string; status?: string | undefined }[];
  /** What the agent is doing now; empty if unknown. */
  step: string;
  /** Such as `$0.42`; empty if unknown. */
  cost: string;
}

/** How many steps of a plan are shown, around the current one, and how long each may be. */
const STEPS_SHOWN = 20;
const DONE_SHOWN = 8;
const STEP_MAX = 160;

/** The progress by a run's plan and the latest entry of its log. */
export function progressOf(
  plan: Item | undefined,
  latest: Item | undefined,
  cost: string,
): Progress {
  const steps = plan?.type === 'plan' ? plan.entries : [];
  // Kept short, because the App stores it with the run.
  const cut = (text: string): string =>
    text
      .trim()
      .slice(0, 2 * STEP_MAX)
      .toWellFormed();
  return {
    plan: steps.map(({ content, status }) => ({ content: cut(content), status })),
    step: cut(stepText(latest)),
    cost,
  };
}

/** The plan as a task list, and what the agent is doing now (threats.md G8). */
export function progressLines({ plan, step }: Progress): string[] {
  const now = step === '' ? [] : ['', `Now: ${plainLine(step, STEP_MAX)}`];
  if (plan.length === 0) return now;
  const isDone = (status: string | undefined): boolean => status === 'completed';
  const done = plan.filter(({ status }) => isDone(status)).length;
  const at = plan.findIndex(({ status }) => !isDone(status));
  const last = Math.max(0, plan.length - STEPS_SHOWN);
  const from = Math.max(0, Math.min((at < 0 ? plan.length : at) - DONE_SHOWN, last));
  const shown = plan.slice(from, from + STEPS_SHOWN).map(({ content, status }) => {
    const words = plainLine(content, STEP_MAX) || '…';
    return `- [${isDone(status) ? 'x' : ' '}] ${status === 'in_progress' ? `**${words}**` : words}`;
  });
  const after = plan.length - from - shown.length;
  return [
    '',
    `**Plan** (${done} of ${plan.length} done)`,
    '',
    ...(from > 0 ? [`- … ${from} earlier`] : []),
    ...shown,
    ...(after > 0 ? [`- … ${after} more`] : []),
    ...now,
  ];
}

/** A duration, rounded so that a comment need not be edited often for it; empty below a minute. */
export function roughly(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return '';
  const step = minutes < 10 ? 1 : minutes < 60 ? 5 : 15;
  const shown = minutes - (minutes % step);
  if (shown < 60) return `${shown} min`;
  return `${Math.floor(shown / 60)} h${shown % 60 === 0 ? '' : ` ${shown % 60} min`}`;
}
