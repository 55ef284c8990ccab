import { isProblem } from '../../client/error.ts';
import { repositoryName, type GithubEvent } from '../../github/read/event.ts';
import type { ThreadRun } from '../../github/decide/plan.ts';
import { findThreadRun } from '../../commands/thread-run.ts';
import type { AppContext } from '../context.ts';
import { isOfAccount } from './same-account.ts';
import { findRun, runOfThread } from '../store/runs.ts';

const LOOK_UP_WITHIN_MS = 10_000;

/** The run a thread goes on with: the one we show there, else whatever the service knows of it. */
export async function runOnThread(
  context: AppContext,
  event: GithubEvent,
): Promise<ThreadRun | undefined> {
  const { thread } = event;
  if (!thread) return undefined;
  const stored = await runOfThread(context.db, repositoryName(event.repository), thread.number);
  if (stored) return { runId: stored.runId, state: stored.state };
  const { client } = context;
  const options = { deadlineMs: LOOK_UP_WITHIN_MS };
  return findThreadRun(
    {
      runOfUrl: (url) =>
        known(async () => (await client.runs.byExternalReference({ url }, options)).run_id),
      newestRun: async (metadata) => {
        const query = { metadata, sort_by: 'created_at', limit: 1 } as const;
        try {
          const [run] = (await client.runs.list(query, options)).runs;
          // What we know of it is shown elsewhere: this thread has the name that one had.
          return run && (await findRun(context.db, run.run_id)) ? undefined : run;
        } catch (error) {
          if (isProblem(error, 'feature_not_available')) return undefined;
          throw error;
        }
      },
      getRun: async (runId) => {
        const run = await known(() => client.runs.get(runId, options));
        return run && (await isOfAccount(context, run, event.repository)) ? run : undefined;
      },
    },
    event,
  );
}

/** Undefined where the service answers that there is no such thing. */
async function known<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isProblem(error, 'resource_not_found')) return undefined;
    throw error;
  }
}
