import type { GithubEvent } from '../../github/read/event.ts';
import { repositoryName } from '../../github/read/event.ts';
import type { GithubRefusal } from '../../github/read/github-failure.ts';
import { inertLine } from '../../github/render/inert-line.ts';
import { findCommands } from '../../github/decide/trigger.ts';
import { answer, replyKey, type Spot } from '../../commands/answer.ts';
import { GRANT } from '../../commands/failure.ts';
import { REASONS, type Reason } from '../../github/decide/reason.ts';
import type { AppContext } from '../context.ts';
import { putThrough } from '../put-through.ts';
import type { Delivery } from '../store/deliveries.ts';
import { changeBody } from '../store/posts.ts';
import { openRequests, settleRequest } from '../store/requests.ts';

const SIDES: Partial<Record<Reason, string>> = {
  service_unreachable: 'The run service',
  github_unreachable: 'GitHub',
};

/**
 * Says on the thread, once, that a command waits for GitHub or the service, and when it will be
 * given up. Says nothing where nobody waits.
 */
export async function tellWaiting(
  context: AppContext,
  delivery: Delivery,
  event: GithubEvent,
  {
    reason,
    isOver,
    refusal,
  }: { reason: Reason; isOver: boolean; refusal: GithubRefusal | undefined },
): Promise<void> {
  const repository = repositoryName(event.repository);
  const { installationId, guid } = delivery;
  const open = await openRequests(context.db, {
    repository,
    number: event.thread?.number,
    button: `button:${guid}`,
  });
  const number = event.thread?.number ?? open[0]?.number;
  if (number === undefined || !(open.length > 0 || (await asks(context, event)))) return;
  const spot: Spot = {
    event: { ...event, thread: { number } },
    put: putThrough(context, installationId),
  };
  if (isOver) {
    const unanswered = open.length > 0 ? open.map(({ id }) => id) : [`delivery:${guid}`];
    for (const id of unanswered) {
      await answer(spot, { id, attempt: 1 }, { reaction: 'confused' });
      await settleRequest(context.db, id, reason);
    }
  }
  const text = refusal ? refused(reason, refusal.detail) : words(delivery, reason, isOver);
  await answer(spot, { id: waitingKey(delivery), attempt: 1 }, { text });
}

async function asks(context: AppContext, event: GithubEvent): Promise<boolean> {
  // Permissions cannot be checked now.
  const found = await findCommands(event, context.settings, async () => false);
  return found !== undefined && 'commands' in found && found.commands.length > 0;
}

function waitingKey({ guid }: Delivery): string {
  return `waiting:${guid}`;
}

function refused(reason: Reason, refusal: string): string {
  const text =
    reason === 'permission_missing'
      ? `${REASONS[reason].text}: ${GRANT}`
      : 'GitHub refused what the command needs, and it was given up.';
  return `${text}\n\n> ${inertLine(refusal)}`;
}

function words({ guid, receivedAt }: Delivery, reason: Reason, isOver: boolean): string {
  const side = SIDES[reason];
  if (side === undefined) {
    return `Something went wrong on our side, and the command was given up. Whoever runs the App finds the cause in its log by delivery \`${guid}\`.`;
  }
  return isOver
    ? `${side} has not answered as it should since ${receivedAt.toISOString()}; the command was given up. Write it again when it is back.`
    : `${side} does not answer as it should. The command is kept and tried again until it works.`;
}

/** Corrects that note once the command was carried out. */
export async function tellTaken(context: AppContext, delivery: Delivery): Promise<void> {
  const text = 'What did not answer for a while is back: the command was carried out in the end.';
  if (await changeBody(context.db, replyKey(waitingKey(delivery)), text)) context.pokeOutbox();
}
