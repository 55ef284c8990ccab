import { z } from 'zod';
import { tellRefusal } from '../../commands/answer.ts';
import { carryOutPlan, gateLimit } from '../../commands/carry-out.ts';
import type { Task } from '../../commands/face.ts';
import { COMMAND_KEY } from '../../commands/start-run.ts';
import { areOfOneAccount } from '../../commands/thread-run.ts';
import { isTerminal } from '../../contract/run.ts';
import { gateActor } from '../../github/decide/gate.ts';
import type { Plan } from '../../github/decide/plan.ts';
import type { Reason } from '../../github/decide/reason.ts';
import { repositoryName, type GithubEvent, type Thread } from '../../github/read/event.ts';
import { loadRepositoryConfig } from '../config/load.ts';
import type { AppContext } from '../context.ts';
import { createAppFace } from '../face.ts';
import { FOLLOW_UP_BUTTON, RETRY_BUTTON } from '../publish/buttons.ts';
import type { Scene } from '../scene.ts';
import { writeChecksAgain } from '../store/posts.ts';
import { requestOfRun } from '../store/requests.ts';
import { findStoredRun, runOfCommit, type StoredRun } from '../store/runs.ts';
import type { Delivered } from './event.ts';

const buttonPayload = z.looseObject({
  check_run: z.looseObject({ external_id: z.string().nullish() }).nullish(),
  check_suite: z.looseObject({ head_sha: z.string() }).nullish(),
  requested_action: z.looseObject({ identifier: z.string() }).nullish(),
});

/** The prompt of the button "Follow up", which has no text of its own. */
const GO_ON = 'Go on where you left off: look at how the last attempt ended and finish the task.';

/**
 * A button on one of our completed checks, or GitHub's own Re-run. Permission is checked as for a
 * command, because GitHub lets others press it, too.
 */
export async function onButton(context: AppContext, delivered: Delivered): Promise<Reason[]> {
  const parsed = buttonPayload.safeParse(delivered.payload);
  if (!parsed.success) return ['unreadable_payload'];
  const stored = await runOfButton(context, delivered.event, parsed.data);
  if (!stored) return ['no_run'];
  const button = parsed.data.requested_action?.identifier ?? RETRY_BUTTON;
  if (!parsed.data.requested_action) {
    // GitHub has reset the check, so it must be written again whatever becomes of the request.
    await writeChecksAgain(context.db, stored.runId);
    context.pokeOutbox();
  }
  return [
    await press(context, await sceneOf(context, delivered, stored), {
      button,
      stored,
      guid: delivered.guid,
    }),
  ];
}

async function runOfButton(
  context: AppContext,
  event: GithubEvent,
  payload: z.output<typeof buttonPayload>,
): Promise<StoredRun | undefined> {
  const runId = payload.check_run?.external_id;
  const repository = repositoryName(event.repository);
  const sha = payload.check_suite?.head_sha;
  const found = runId
    ? await findStoredRun(context.db, runId)
    : sha && (await runOfCommit(context.db, repository, sha));
  return found && areOfOneAccount(found.repository, repository) ? found : undefined;
}

/** The thread that the run was asked on, where the answer to the button is shown. */
async function sceneOf(
  context: AppContext,
  { event, installationId, github }: Delivered,
  stored: StoredRun,
): Promise<Scene> {
  const { url } = event.repository;
  const thread: Thread = {
    kind: stored.headSha === null ? 'issue' : 'pull_request',
    number: stored.number,
    nodeId: '',
    url: `${url}/issues/${stored.number}`,
    title: stored.run.title ?? '',
    body: '',
    author: stored.actor,
    comments: undefined,
    updatedAt: '',
    base: undefined,
  };
  const loaded = await loadRepositoryConfig(context.db, github, repositoryName(event.repository));
  const shown = { ...event, thread, comment: undefined, checks: undefined };
  return { ...loaded, event: shown, thread, installationId, github };
}

async function press(
  context: AppContext,
  scene: Scene,
  { button, stored, guid }: { button: string; stored: StoredRun; guid: string },
): Promise<Reason> {
  const { runId, headSha } = stored;
  const face = await createAppFace(context, scene);
  const name = (await requestOfRun(context.db, runId))?.metadata?.[COMMAND_KEY];
  const verdict = await gateActor(face.github, face.event, face.setup(name).rules);
  if (!verdict.allowed) {
    await tellRefusal(face, verdict);
    return verdict.reason;
  }
  const plan = PLANS[button]?.(runId);
  if (!plan) return 'unknown_command';
  if (!isTerminal(stored.state) && stored.live) return 'busy';
  const limit = await gateLimit(face, plan);
  if (limit) {
    await tellRefusal(face, limit);
    return limit.reason;
  }
  const head =
    headSha === null ? undefined : { sha: headSha, ref: '', repository: '', fork: false };
  const task: Task = {
    id: `button:${guid}`,
    attempt: 1,
    origin: { event: scene.event, trigger: 'event', index: 1, head },
    command: { index: 1, verb: 'retry', name: undefined, prompt: '', options: {} },
    pinned: { head, base: undefined },
  };
  const { reason } = await face.remember.once(task, () => carryOutPlan(face, task, plan));
  return reason;
}

const PLANS: Record<string, (runId: string) => Plan> = {
  [RETRY_BUTTON]: (runId) => ({ do: 'retry', runId }),
  [FOLLOW_UP_BUTTON]: (runId) => ({ do: 'follow_up', runId, message: GO_ON, ignoredOptions: [] }),
};
