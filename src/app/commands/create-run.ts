import { createRunOnce } from '../../client/create-run-once.ts';
import type { CreateRunRequest } from '../../contract/run.ts';
import { readContext } from '../../github/read/context.ts';
import { repositoryName } from '../../github/read/event.ts';
import { renderPrompt } from '../../github/read/prompt.ts';
import { requestMetadata, runTitle, type Origin } from '../../github/decide/request.ts';
import type { CustomCommand } from '../config/schema.ts';
import type { AppContext } from '../context.ts';
import { MENTION_KEY, publishRun } from '../publish/publish-run.ts';
import {
  countStarted,
  freezeRequest,
  settleRequest,
  type StoredRequest,
} from '../store/requests.ts';
import { addRunThread, insertRun } from '../store/runs.ts';
import { reactTo, replyTo, type Ask } from './ask.ts';
import { COMMAND_KEY } from './command-of-run.ts';
import { findEnvironment } from './environment.ts';
import { refreshRun } from './refresh-run.ts';

/** What the new run is asked, and how it is to be run. */
export interface Work {
  instruction: string;
  custom: CustomCommand | undefined;
  /** Name of that command. */
  name: string | undefined;
  options: Origin['options'];
  trigger: Origin['trigger'];
  /** Which command of the text, from 1. */
  index: number;
  /** The body of an earlier run, to be sent again as it was. */
  again?: CreateRunRequest;
}

export type CreateOutcome = 'started' | 'limit_reached' | 'unknown_environment';

/** Longest that one try of a creation may take; the inbox tries again after that. */
const CREATE_WITHIN_MS = 20_000;

/**
 * Starts the run of a request exactly once: what is sent is fixed and remembered before it is sent,
 * and from the second try on the run is looked up first (run-lifecycle.md, "One request, one run").
 */
export async function createRun(
  context: AppContext,
  ask: Ask,
  work: Work,
  request: StoredRequest,
): Promise<CreateOutcome> {
  const body = request.body ?? (await prepare(context, ask, work));
  if (typeof body === 'string') return refuse(context, ask, body);
  await reactTo(context, ask, 'eyes');
  const frozen = await freezeRequest(context.db, ask.requestId, body);
  const { runId } = await createRunOnce(
    context.client,
    frozen,
    { requestId: ask.requestId, fresh: request.triedAt === null, since: since(request) },
    { deadlineMs: CREATE_WITHIN_MS },
  );
  await remember(context, ask, runId, frozen);
  await publishRun(context, runId);
  await refreshRun(context, runId);
  return 'started';
}

/** Where the service cannot filter by metadata, runs are looked through from here; clocks differ. */
function since(request: StoredRequest): Date {
  return new Date(request.createdAt.getTime() - 15 * 60_000);
}

async function prepare(
  context: AppContext,
  ask: Ask,
  work: Work,
): Promise<CreateRunRequest | Exclude<CreateOutcome, 'started'>> {
  if (await isOverLimit(context, ask)) return 'limit_reached';
  const tags = metadata(ask, work);
  if (work.again) return { ...work.again, metadata: { ...work.again.metadata, ...tags } };
  const chosen = choose(ask, work);
  const environment = await findEnvironment(context, ask.event.repository, chosen.environment);
  if (environment === 'unknown') return 'unknown_environment';
  const surroundings = await readContext(ask.github, ask.event, { head: ask.head, base: ask.base });
  const prompt = await renderPrompt(surroundings, {
    instruction: work.instruction,
    template: templateOf(work.custom),
    withoutEnvironment: environment.id === undefined,
  });
  return {
    prompt,
    title: runTitle(work.instruction || (work.custom?.description ?? ''), ask.event),
    config: {
      ...(environment.id === undefined ? {} : { environment_id: environment.id }),
      ...(chosen.model === undefined ? {} : { model_id: chosen.model }),
      ...(chosen.harness === undefined ? {} : { harness: { type: chosen.harness } }),
    },
    ...(chosen.skill === undefined ? {} : { skill: chosen.skill }),
    ...(chosen.agent === undefined ? {} : { agent_identity_uid: chosen.agent }),
    metadata: tags,
  };
}

type Choice = {
  [Name in 'environment' | 'model' | 'skill' | 'harness' | 'agent']?: string | undefined;
};

/** How to run it: as the command's options say, else the repository's command, else its configuration. */
function choose({ config }: Ask, { custom, options }: Work): Choice {
  const layers: Choice[] = [config, custom ?? {}, options ?? {}].map((layer) => pick(layer));
  return Object.assign({}, ...layers);
}

function pick(layer: Choice): Choice {
  const names = ['environment', 'model', 'skill', 'harness', 'agent'] as const;
  return Object.fromEntries(
    names.flatMap((name) => (layer[name] === undefined ? [] : [[name, layer[name]]])),
  );
}

/** A command's own text always brings what it is about, even if its author did not say where. */
function templateOf(custom: CustomCommand | undefined): string | undefined {
  const template = custom?.prompt;
  if (template === undefined || /\{\{\s*context\s*\}\}/.test(template)) return template;
  return `${template}\n\n{{context}}`;
}

function metadata(ask: Ask, work: Work): Record<string, string> {
  const { event, head, config } = ask;
  const { options } = work;
  const origin: Origin = {
    event,
    trigger: work.trigger,
    index: work.index,
    head,
    ...(options && { options }),
  };
  const own = {
    ...(config.mention ? {} : { [MENTION_KEY]: 'no' }),
    ...(work.name === undefined ? {} : { [COMMAND_KEY]: work.name }),
  };
  return { ...requestMetadata(origin, own), 'runlink.request': ask.requestId };
}

async function isOverLimit(context: AppContext, ask: Ask): Promise<boolean> {
  const { 'per-pull-request': perThread, 'per-day': perDay } = ask.config.limits;
  if (perThread === undefined && perDay === undefined) return false;
  const repository = repositoryName(ask.event.repository);
  const { onThread, today } = await countStarted(context.db, repository, ask.thread.number);
  return onThread >= (perThread ?? Infinity) || today >= (perDay ?? Infinity);
}

async function refuse(
  context: AppContext,
  ask: Ask,
  reason: Exclude<CreateOutcome, 'started'>,
): Promise<CreateOutcome> {
  await reactTo(context, ask, '-1');
  await replyTo(context, ask, ask.requestId, REFUSED[reason]);
  return reason;
}

const REFUSED: Record<Exclude<CreateOutcome, 'started'>, string> = {
  limit_reached:
    'Nothing was started: this repository limits how many runs may be started (`limits` in `.github/runlink.yml`), and the limit is reached.',
  unknown_environment:
    'Nothing was started: there is no environment of that name that the App may use.',
};

async function remember(
  context: AppContext,
  ask: Ask,
  runId: string,
  body: CreateRunRequest,
): Promise<void> {
  const repository = repositoryName(ask.event.repository);
  const { number } = ask.thread;
  await context.db.transaction().execute(async (db) => {
    await insertRun(db, {
      runId,
      requestId: ask.requestId,
      installationId: ask.installationId,
      repository,
      number,
      actor: ask.actor,
      run: {
        run_id: runId,
        state: 'QUEUED',
        title: body.title,
        created_at: new Date().toISOString(),
      },
      headSha: ask.head?.sha ?? null,
    });
    await addRunThread(db, runId, {
      repository,
      number,
      isPullRequest: ask.thread.kind === 'pull_request',
      replyTo: ask.event.comment?.replyTo ?? null,
      actor: ask.actor,
      asked: true,
    });
    await settleRequest(db, ask.requestId, 'started', runId);
  });
}
