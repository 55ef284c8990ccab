import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { WorkerEvent } from '../../contract/event.ts';
import type { ServiceContext } from '../context.ts';
import { putArtifact, type NewArtifact } from './report-artifact.ts';
import type { Trx } from '../tables.ts';

export interface ArtifactContent {
  blobKey: string | null;
  content: string | null;
  contentType: string;
  sizeBytes: number;
}

type PlanEntries = Extract<WorkerEvent, { type: 'plan' }>['entries'];

const NOW = sql`to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const PLAN_TITLE = 'Plan';
const NOTEBOOK_UID_LENGTH = 22;

/** Stores an artifact with its content, which replaces any earlier content; returns its uid. */
export async function storeContent(
  context: Pick<ServiceContext, 'config'>,
  trx: Trx,
  artifact: NewArtifact,
  stored: ArtifactContent,
): Promise<string> {
  const uid = await putArtifact(trx, { ...artifact, hasContent: true });
  const { environment_id } = await trx
    .updateTable('artifacts as a')
    .from('runs as r')
    .set({
      data: sql<string>`a.data || ${JSON.stringify(ownIds(uid, artifact.type))}::jsonb
        || jsonb_build_object('written_at', ${NOW})`,
    })
    .where('a.uid', '=', uid)
    .whereRef('r.id', '=', 'a.run_id')
    .returning('r.environment_id')
    .executeTakeFirstOrThrow();
  const content = {
    blob_key: stored.blobKey,
    content: stored.content,
    content_type: stored.contentType,
    size_bytes: stored.sizeBytes,
  };
  await trx
    .insertInto('artifact_contents')
    .values({ uid, public: isPublic(context, environment_id), ...content })
    .onConflict((conflict) => conflict.column('uid').doUpdateSet(content))
    .execute();
  return uid;
}

/** The ids that an artifact's own data contains (interface.md 2.3). */
function ownIds(uid: string, type: NewArtifact['type']): Record<string, string> {
  if (type !== 'PLAN') return { artifact_uid: uid };
  const digest = hash('sha256', uid);
  return {
    artifact_uid: uid,
    document_uid: uid,
    notebook_uid: digest.slice(0, NOTEBOOK_UID_LENGTH),
  };
}

/** The agent's plan as Markdown, one task per line. */
function planMarkdown(entries: PlanEntries): string {
  const lines = entries.map(({ content, status }) => {
    const mark = status === 'completed' ? 'x' : ' ';
    const words = content.split('\n').map((line) => line.trim());
    return `- [${mark}] ${words.filter(Boolean).join(' ')}`;
  });
  return `# ${PLAN_TITLE}\n\n${lines.join('\n')}\n`;
}

/** Stores the plan that the agent reported last as the run's PLAN artifact. */
export async function recordPlan(
  context: Pick<ServiceContext, 'config'>,
  trx: Trx,
  runId: string,
  entries: PlanEntries,
): Promise<void> {
  const content = planMarkdown(entries);
  await storeContent(
    context,
    trx,
    { runId, type: 'PLAN', identity: 'plan', data: { title: PLAN_TITLE } },
    {
      blobKey: null,
      content,
      contentType: 'text/markdown',
      sizeBytes: Buffer.byteLength(content),
    },
  );
}

/**
 * Whether artifacts of runs in this environment are public (run-lifecycle.md, "Where a run works").
 */
function isPublic({ config }: Pick<ServiceContext, 'config'>, environmentId: string | null) {
  return config.environments.some(
    (environment) => environment.id === environmentId && environment.public_artifacts,
  );
}
