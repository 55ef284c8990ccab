import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type { endpoints } from '../../../contract/endpoints.ts';
import type { AgentConfig } from '../../../contract/agent-config.ts';
import { METADATA_MAX_KEYS } from '../../../contract/primitives.ts';
import { invalidField, ProblemError } from '../../../contract/problem.ts';
import {
  ATTACHMENTS_MAX,
  runSource,
  type createRunRequest,
  type createRunResponse,
  type RunSource,
} from '../../../contract/run.ts';
import { SCHEDULE_KEY } from '../../../contract/repeat-run.ts';
import { retryConflicts } from '../../../database/failure.ts';
import { actorOf } from '../../audit/record-audit.ts';
import type { ServiceContext } from '../../context.ts';
import type { Call } from '../../http/call.ts';
import { executeAs, mergeConfig } from '../../identities/execute-as.ts';
import type { TeamPrincipal } from '../../keys/principal.ts';
import { readableBy, spaceOf } from '../../keys/spaces.ts';
import { findSchedule, scheduleOfRun } from '../../schedules/present-schedule.ts';
import type { Attachment, RunsTable, Trx } from '../../tables.ts';
import { findRun, isRunId } from '../find-run.ts';
import { checkMayShare, isBornShared, noteBornShared } from '../sharing.ts';
import { once, onceAllowed, readOnceKey } from './idempotency.ts';
import { insertRun } from './insert-run.ts';
import { isExecutedByCaller, skillSpecOf, type NewRun } from './new-run.ts';
import { decideConfig } from './resolve-config.ts';
import { queuePlaceOf } from '../life/run-queue.ts';

type Body = z.output<typeof createRunRequest>;
type Created = z.output<typeof createRunResponse>;

const SOURCE_HEADER = 'X-Oz-Api-Source';
/**
 * Callers may not use these: the run would look like a judge's, which is not judged itself, or like
 * a schedule's.
 */
const OWN_SOURCES: ReadonlySet<RunSource> = new Set(['RUN_SCORER', 'SCHEDULED_AGENT']);
const TITLE_MAX = 80;

/** A title from the first line of the prompt, short enough for lists. */
export function titleOf(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  const cut = line.length > TITLE_MAX ? `${line.slice(0, TITLE_MAX - 1).toWellFormed()}…` : line;
  return cut || 'Untitled run';
}

function titleFor({ title, prompt, skill }: Body, config: AgentConfig): string {
  return title?.trim() || titleOf(prompt || (skill ?? skillSpecOf(config) ?? ''));
}

async function parentOf(context: ServiceContext, caller: TeamPrincipal, id: string | undefined) {
  if (id === undefined) return undefined;
  const parent = await findRun(context.db, caller, id);
  if (!parent) throw invalidField('parent_run_id', 'there is no such run');
  if (parent.parent_run_id !== null)
    throw invalidField('parent_run_id', 'is itself a child: runs nest one level deep');
  return parent;
}

async function conversationFor(
  { db }: ServiceContext,
  caller: TeamPrincipal,
  id: string | undefined,
): Promise<Space | undefined> {
  if (id === undefined) return undefined;
  const found = isRunId(id)
    ? await db
        .selectFrom('runs')
        .where('conversation_id', '=', id)
        .where('team_id', 'in', readableBy(caller))
        .select(['team_id', 'owner_uid'])
        .limit(1)
        .executeTakeFirst()
    : undefined;
  if (!found)
    throw new ProblemError('resource_not_found', {
      field: 'conversation_id',
      detail: 'conversation_id: there is no such conversation',
    });
  return found;
}

function mergeMetadata(
  parent: Record<string, string> | undefined,
  own: Record<string, string> | undefined,
): Record<string, string> {
  const merged = { ...parent, ...own };
  if (Object.keys(merged).length > METADATA_MAX_KEYS)
    throw invalidField(
      'metadata',
      `must have at most ${METADATA_MAX_KEYS} keys with the parent run's`,
    );
  return merged;
}

function attachmentsOf({ attachments = [], images = [] }: Body): Attachment[] {
  const unnamed = images.map((image, index) => {
    const [, ending = ''] = image.mime_type.split('/');
    return { file_name: `image-${index + 1}.${ending}`, ...image };
  });
  if (attachments.length + unnamed.length > ATTACHMENTS_MAX)
    throw invalidField('images', `may be at most ${ATTACHMENTS_MAX} together with attachments`);
  const empty = attachments.findIndex(({ data }) => data === '');
  if (empty >= 0) throw invalidField(`attachments.${empty}.data`, 'is empty');
  if (images.some(({ data }) => data === '')) throw invalidField('images', 'one is empty');
  return [...attachments, ...unnamed];
}

type Space = Pick<RunsTable, 'team_id' | 'owner_uid'>;

/**
 * Decides whether the run belongs to the team or, with `team: false`, to its person alone. A run
 * with a parent or a conversation belongs to the same as that one, because each shows the other's
 * content.
 */
async function keptWith(
  { db }: ServiceContext,
  { body, caller }: Call<typeof endpoints.runs.create>,
  parent: Space | undefined,
  conversation: Space | undefined,
): Promise<Space> {
  if (parent && conversation && parent.team_id !== conversation.team_id)
    throw invalidField(
      'conversation_id',
      'must belong to the same team or person as the parent run',
    );
  const related = parent ?? conversation;
  const isPersonal = related ? related.owner_uid !== null : body.team === false;
  if (related && body.team !== undefined && body.team === isPersonal)
    throw invalidField('team', 'must be that of the parent run or the conversation');
  if (!isPersonal) return { team_id: caller.teamId, owner_uid: null };
  if (caller.kind !== 'personal')
    throw new ProblemError('operation_not_supported', {
      field: 'team',
      detail: 'team: only a person has runs of their own; use a personal key',
    });
  if (body.agent_identity_uid !== undefined)
    throw invalidField('agent_identity_uid', 'executes runs of the team only');
  return { team_id: await spaceOf(db, caller), owner_uid: caller.uid };
}

/** The run that a request asks for. Throws if there cannot be such a run. */
async function decideRun(
  context: ServiceContext,
  call: Call<typeof endpoints.runs.create>,
): Promise<NewRun> {
  const { body, caller, request } = call;
  checkPrompt(body);
  const source = sourceOf(request, body);
  const parent = await parentOf(context, caller, body.parent_run_id);
  const conversation = await conversationFor(context, caller, body.conversation_id);
  const kept = await keptWith(context, call, parent, conversation);
  const { creator, executor, defaults } = await executeAs(context, caller, body);
  const asked = mergeConfig(defaults, body.config ?? {});
  const { config, skill } = await decideConfig(context, caller.teamId, asked, 'config', body.skill);
  checkMayShare(caller, config, kept.owner_uid !== null);
  const prompt = body.prompt ?? '';
  const byHand = await findSchedule(context, kept.team_id, body.metadata?.[SCHEDULE_KEY]);
  return {
    teamId: kept.team_id,
    ownerUid: kept.owner_uid ?? undefined,
    prompt,
    title: titleFor(body, asked),
    mode: body.mode ?? 'normal',
    source,
    config,
    creator,
    executor,
    metadata: mergeMetadata(parent?.metadata, body.metadata),
    place: isExecutedByCaller(source)
      ? undefined
      : await queuePlaceOf(context, caller.teamId, config),
    interactive: body.interactive,
    attachments: attachmentsOf(body),
    skill,
    parent: parent && { runId: parent.id, rootRunId: parent.root_run_id },
    conversationId: body.conversation_id,
    schedule: byHand && scheduleOfRun(byHand),
  };
}

/** POST /agent/runs: creates a run, its first event and its job, or nothing. */
export async function createRun(
  context: ServiceContext,
  call: Call<typeof endpoints.runs.create>,
): Promise<Created> {
  const onceKey = readOnceKey(call.request, call.caller, 'create', call.body);
  const id = randomUUID();
  const by = { actor: actorOf(call.caller), teamId: call.caller.teamId };
  return onceAllowed(context, onceKey, 'idempotency_keys', async () => {
    const run = { ...(await decideRun(context, call)), id };
    const insert = async (trx?: Trx): Promise<Created> => {
      await insertRun(context, trx, run);
      if (trx) await noteBornShared(trx, by, run);
      return { run_id: id, task_id: id, state: 'QUEUED' };
    };
    if (!onceKey && !isBornShared(run)) return retryConflicts(() => insert());
    return retryConflicts(() =>
      context.db.transaction().execute((trx) => once(trx, onceKey, id, () => insert(trx))),
    );
  });
}

function sourceOf(request: Request, body: Body): RunSource {
  const given = request.headers.get(SOURCE_HEADER);
  if (given === null) return body.parent_run_id === undefined ? 'API' : 'ORCHESTRATION';
  const source = runSource.safeParse(given);
  if (!source.success) throw invalidField(SOURCE_HEADER, 'is not a source of runs');
  if (OWN_SOURCES.has(source.data))
    throw invalidField(SOURCE_HEADER, 'is a source of runs that the service starts itself');
  if (source.data === 'ORCHESTRATION' && body.parent_run_id === undefined)
    throw invalidField(SOURCE_HEADER, 'ORCHESTRATION needs a parent_run_id');
  return source.data;
}

function checkPrompt(body: Body): void {
  const { prompt, skill, config, conversation_id } = body;
  if (prompt?.trim() || skill || config?.skill_spec || config?.skills?.length || conversation_id)
    return;
  throw invalidField('prompt', 'is required unless a skill is given');
}
