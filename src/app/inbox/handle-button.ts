import { z } from 'zod';
import { repositoryName, type GithubEvent, type Thread } from '../../github/read/event.ts';
import type { Github } from '../../github/read/octokit.ts';
import { isTerminal } from '../../contract/run.ts';
import { createRun } from '../commands/create-run.ts';
import { followUp } from '../commands/follow-up.ts';
import { commandOfRun } from '../commands/command-of-run.ts';
import { tellRefusal } from '../commands/refuse.ts';
import { gateCommand } from '../commands/gate.ts';
import { loadConfig } from '../config/load.ts';
import { areOfOneAccount } from '../commands/same-account.ts';
import type { AppContext } from '../context.ts';
import { FOLLOW_UP_BUTTON, RETRY_BUTTON } from '../publish/run-check.ts';
import { rememberRequest, requestOfRun, settleRequest } from '../store/requests.ts';
import { findRun, runOfCommit, type StoredRun } from '../store/runs.ts';
import type { Ask } from '../commands/ask.ts';

const buttonPayload = z.looseObject({
  check_run: z
    .looseObject({
      external_id: z.string().nullish(),
      app: z.looseObject({ id: z.int() }).nullish(),
    })
    .nullish(),
  check_suite: z.looseObject({ head_sha: z.string() }).nullish(),
  requested_action: z.looseObject({ identifier: z.string() }).nullish(),
});

/** What the agent is told when somebody presses Follow up, which takes no words. */
const GO_ON = 'Go on where you left off: look at how the last attempt ended and finish the task.';

/**
 * A button on one of our completed checks, or GitHub's own Re-run: gated like a command, since nothing
 * says who may press it (github.md, "Reports"). Answers the reason code.
 */
export async function handleButton(
  context: AppContext,
  github: Github,
  event: GithubEvent,
  { installationId, payload, guid }: { installationId: number; payload: unknown; guid: string },
): Promise<string> {
  const parsed = buttonPayload.safeParse(payload);
  if (!parsed.success) return 'unreadable_payload';
  const stored = await runOfButton(context, event, parsed.data);
  if (!stored) return 'no_run';
  const { config, broken } = await loadConfig(context.db, github, repositoryName(event.repository));
  const custom = await commandOfRun(context, config, stored.runId);
  const verdict = await gateCommand(context, github, event, config, custom);
  if (!verdict.allowed) {
    const place = { event: { ...event, comment: undefined }, installationId };
    await tellRefusal(context, { ...place, thread: threadOf(event, stored) }, verdict);
    return verdict.reason;
  }
  const action = parsed.data.requested_action?.identifier ?? RETRY_BUTTON;
  if (action !== RETRY_BUTTON && action !== FOLLOW_UP_BUTTON) return 'unknown_command';
  if (!isTerminal(stored.state) && stored.live) return 'busy';
  const thread = threadOf(event, stored);
  const ask: Ask = {
    requestId: `button:${guid}`,
    event: { ...event, thread, comment: undefined },
    thread,
    actor: event.actor?.login ?? '',
    installationId,
    github,
    config,
    broken,
    head: undefined,
    base: undefined,
  };
  return press(context, ask, action, stored);
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
    ? await findRun(context.db, runId)
    : sha && (await runOfCommit(context.db, repository, sha));
  return found && areOfOneAccount(found.repository, repository) ? found : undefined;
}

/** The thread the run was asked on: what comes of the button is shown there. */
function threadOf(event: GithubEvent, stored: StoredRun): Thread {
  const { owner, name, url } = event.repository;
  return {
    kind: stored.headSha === null ? 'issue' : 'pull_request',
    number: stored.number,
    nodeId: `${owner}/${name}#${stored.number}`,
    url: `${url}/issues/${stored.number}`,
    title: stored.run.title ?? '',
    body: '',
    author: stored.actor,
    comments: undefined,
    updatedAt: '',
    base: undefined,
  };
}

async function press(
  context: AppContext,
  ask: Ask,
  action: string,
  stored: StoredRun,
): Promise<string> {
  const request = await rememberRequest(context.db, {
    id: ask.requestId,
    installationId: ask.installationId,
    repository: repositoryName(ask.event.repository),
    number: ask.thread.number,
    actor: ask.actor,
    command: action,
  });
  if (request.outcome !== null) return 'duplicate_request';
  if (action === FOLLOW_UP_BUTTON) {
    return followUp(context, ask, { runId: stored.runId, message: GO_ON, ignoredOptions: [] });
  }
  const again = await requestOfRun(context.db, stored.runId);
  const instruction = again?.prompt ?? stored.run.prompt ?? '';
  const work = { instruction, custom: undefined, name: undefined, options: {}, index: 1 } as const;
  const head = stored.headSha;
  const pinned =
    head === null ? ask : { ...ask, head: { sha: head, ref: '', repository: '', fork: false } };
  const outcome = await createRun(
    context,
    pinned,
    { ...work, trigger: 'event', ...(again && { again }) },
    request,
  );
  await settleRequest(context.db, ask.requestId, outcome);
  return outcome;
}
