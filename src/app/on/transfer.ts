import { z } from 'zod';
import { areOfOneAccount } from '../../commands/thread-run.ts';
import type { Reason } from '../../github/decide/reason.ts';
import { repositoryName } from '../../github/read/event.ts';
import type { AppContext } from '../context.ts';
import { publishRun } from '../publish/publish-run.ts';
import { moveThread } from '../store/run-threads.ts';
import type { Delivered } from './event.ts';

const transfer = z.looseObject({
  changes: z.looseObject({
    new_issue: z.looseObject({ number: z.int() }),
    new_repository: z.looseObject({ full_name: z.string() }),
  }),
});

/** An issue was transferred with all its comments: the threads of its runs move with it. */
export async function onTransfer(
  context: AppContext,
  { event, payload }: Delivered,
): Promise<Reason[]> {
  const read = transfer.safeParse(payload);
  if (!event.thread || !read.success) return ['unreadable_payload'];
  const { new_issue: issue, new_repository: repository } = read.data.changes;
  const from = { repository: repositoryName(event.repository), number: event.thread.number };
  const to = { repository: repository.full_name, number: issue.number };
  if (!areOfOneAccount(from.repository, to.repository)) return ['not_a_command'];
  for (const runId of await moveThread(context.db, from, to)) await publishRun(context, runId);
  return ['issue_moved'];
}
