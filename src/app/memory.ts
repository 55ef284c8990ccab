import type { Memory, Task } from '../commands/face.ts';
import type { Reason } from '../github/decide/reason.ts';
import { askerName, repositoryName } from '../github/read/event.ts';
import type { AppContext } from './context.ts';
import { adoptRun } from './publish/adopt-run.ts';
import { publishRun } from './publish/publish-run.ts';
import { refreshRun } from './publish/refresh-run.ts';
import type { Scene } from './scene.ts';
import {
  countStarted,
  decideRequest,
  rememberRequest,
  requestOfRun,
  settleRequest,
} from './store/requests.ts';
import { addRunThread, runOfThread } from './store/run-threads.ts';
import { findStoredRun, storeRun, repositoryOfRun } from './store/runs.ts';
import type { AppDb } from './store/tables.ts';

/** Remembers the requests and runs of a thread in PostgreSQL. */
export function createMemory(context: AppContext, scene: Scene): Memory {
  const { db } = context;
  const { event, thread, installationId, config } = scene;
  const repository = repositoryName(event.repository);
  const actor = askerName(event) ?? '';
  const place = { installationId, repository, number: thread.number, actor };
  const shown = {
    ...place,
    isPullRequest: thread.kind === 'pull_request',
    replyTo: event.comment?.replyTo ?? null,
    asked: true,
  };
  /** Shows the run on the thread from now on, and settles the request. */
  const settle = async (trx: AppDb, task: Task, runId: string, reason: Reason): Promise<void> => {
    await addRunThread(trx, runId, { ...shown, headSha: task.pinned.head?.sha ?? null });
    await settleRequest(trx, task.id, reason, runId);
  };
  return {
    once: async (asked, work) => {
      const command = 'verb' in asked.command ? asked.command : undefined;
      const name = command ? (command.name ?? command.verb) : 'unreadable';
      const request = await rememberRequest(db, { ...place, id: asked.id, command: name });
      if (request.outcome !== null) {
        if (request.runId !== null) await refreshRun(context, request.runId);
        return { reason: 'duplicate_request' };
      }
      const handled = await work(request.decided);
      const { reason } = handled;
      await settleRequest(db, asked.id, reason);
      context.metrics.commands.inc({ command: command?.verb ?? name, reason });
      context.log.info({ request: asked.id, command: name, reason }, 'command handled');
      return handled;
    },
    decide: (asked, decided) => decideRequest(db, asked.id, decided),
    started: async (task, { runId, body }) => {
      const run = {
        run_id: runId,
        state: 'QUEUED',
        title: body.title,
        created_at: new Date().toISOString(),
      };
      const headSha = task.pinned.head?.sha ?? null;
      await db.transaction().execute(async (trx) => {
        await storeRun(trx, { ...place, runId, requestId: task.id, run, headSha });
        await settle(trx, task, runId, 'started');
      });
      await publishRun(context, runId);
      await refreshRun(context, runId);
    },
    told: async (task, run) => {
      const runId = run.run_id;
      const { head } = task.pinned;
      if (!(await findStoredRun(db, runId)))
        await adoptRun(context, { ...scene, actor, head }, run);
      await db.transaction().execute((trx) => settle(trx, task, runId, 'followed_up'));
      await refreshRun(context, runId);
    },
    threadRun: () => runOfThread(db, repository, thread.number),
    bodyOf: (runId) => requestOfRun(db, runId),
    repositoryOf: (run) => repositoryOfRun(db, run),
    isLimitReached: async () => {
      const { 'per-pull-request': perThread, 'per-day': perDay } = config.limits;
      if (perThread === undefined && perDay === undefined) return false;
      const { onThread, today } = await countStarted(db, repository, thread.number);
      return onThread >= (perThread ?? Infinity) || today >= (perDay ?? Infinity);
    },
  };
}
