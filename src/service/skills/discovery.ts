import { randomBytes, timingSafeEqual } from 'node:crypto';
import { sql, type Selectable } from 'kysely';
import { TimedThread } from '../../base/timed-thread.ts';
import { ProblemError } from '../../contract/problem.ts';
import { uuid } from '../../contract/primitives.ts';
import type { ReportDiscoveryRequest, SkillDiscovery } from '../../contract/skill.ts';
import type { ServiceContext } from '../context.ts';
import { hashSecret } from '../keys/key-text.ts';
import { isBuiltIn, type Principal } from '../keys/principal.ts';
import type { SkillSourcesTable } from '../resource-tables.ts';
import { announce } from '../waiting/changes.ts';
import { malformedSkill, type SkillDefinition } from './read-skill.ts';
import { SKILLS_TOPIC, sourceKey, sourceOf } from './sources.ts';

type Found = ReportDiscoveryRequest['skills'][number];

/** After this long, a repository is given to another worker to read. */
const DISCOVERY_SECONDS = 120;

/** Gives a worker the next repository to read; waits for one as long as the worker asks. */
export async function claimDiscovery(
  context: ServiceContext,
  caller: Principal,
  wait: { seconds: number; signal: AbortSignal },
): Promise<SkillDiscovery | null> {
  const readable = await readableKeys(context, caller.teamId);
  const taken = await context.changes.waitFor([SKILLS_TOPIC], wait, () =>
    takeDue(context, readable),
  );
  if (!taken) return null;
  const { row, token, until } = taken;
  const repository = { owner: row.owner, name: row.name };
  const to = { builtIn: isBuiltIn(caller), readsOnly: true };
  const { token: gitToken, api_url } = await context.git.grant([repository], to);
  return {
    discovery_id: row.id,
    token,
    expires_at: until.toISOString(),
    owner: row.owner,
    name: row.name,
    clone_url: row.clone_url,
    ...(row.ref === '' ? {} : { ref: row.ref }),
    git_api_url: api_url,
    ...(gitToken === undefined ? {} : { git_token: gitToken }),
  };
}

/**
 * Parses on a thread with a time limit, because whoever writes a skill decides how long that takes
 * (threats.md G15).
 */
const thread = new TimedThread<Found, SkillDefinition>('skill-thread', import.meta.url);

async function readElsewhere(skill: Found): Promise<SkillDefinition> {
  const { answers, gaveUp } = await thread.run([skill]);
  if (gaveUp === 'busy') throw new ProblemError('service_unavailable', { retryAfterSeconds: 5 });
  const [read = malformedSkill(skill.path, `${skill.path}:1:1: takes too long to read`)] = answers;
  return read;
}

/**
 * Replaces the known skills of a repository with what a worker read; a failed reading changes none.
 * Throws if the token is not from the latest claim (threats.md S12).
 */
export async function reportDiscovery(
  { db }: ServiceContext,
  discoveryId: string,
  report: ReportDiscoveryRequest,
): Promise<number> {
  if (!uuid.safeParse(discoveryId).success) throw new ProblemError('resource_not_found');
  const skills: SkillDefinition[] = [];
  for (const skill of report.skills) skills.push(await readElsewhere(skill));
  await db.transaction().execute(async (trx) => {
    const source = await trx
      .selectFrom('skill_sources')
      .where('id', '=', discoveryId)
      .select(['token_hash', 'claimed_until'])
      .forUpdate()
      .executeTakeFirst();
    if (!source) throw new ProblemError('resource_not_found');
    const { token_hash: held, claimed_until: until } = source;
    if (!held || !until || !timingSafeEqual(held, hashSecret(report.token)))
      throw new ProblemError('conflict', {
        detail: 'Another worker is reading this repository now.',
      });
    const readAt = new Date(until.getTime() - DISCOVERY_SECONDS * 1000);
    await trx
      .updateTable('skill_sources')
      .set({
        discovered_at: readAt,
        claimed_until: null,
        error: report.error ?? null,
      })
      .where('id', '=', discoveryId)
      .execute();
    if (report.error === undefined) {
      await trx.deleteFrom('skills').where('source_id', '=', discoveryId).execute();
      if (skills.length > 0)
        await trx
          .insertInto('skills')
          .values(skills.map((skill) => ({ ...skill, source_id: discoveryId })))
          .onConflict((conflict) => conflict.doNothing())
          .execute();
    }
    await announce(trx, [SKILLS_TOPIC]);
  });
  return skills.length;
}

/**
 * The repositories that a worker may read; a team's worker reads only those of its team's own
 * environments.
 */
async function readableKeys(
  { db, config }: ServiceContext,
  teamId: string | null,
): Promise<Set<string>> {
  const team =
    teamId === null
      ? undefined
      : await db.selectFrom('teams').where('id', '=', teamId).select('name').executeTakeFirst();
  const environments = config.environments.filter(
    (environment) => teamId === null || environment.team === team?.name,
  );
  return new Set(
    environments.flatMap(({ repositories }) =>
      repositories.map((repository) => {
        const { clone_url, ref } = sourceOf(repository, config);
        return sourceKey(clone_url, ref);
      }),
    ),
  );
}

async function takeDue(
  { db }: ServiceContext,
  readable: ReadonlySet<string>,
): Promise<{ row: Selectable<SkillSourcesTable>; token: string; until: Date } | undefined> {
  return db.transaction().execute(async (trx) => {
    const due = await trx
      .selectFrom('skill_sources')
      .where(sql<boolean>`requested_at > coalesce(discovered_at, '-infinity')`)
      .where(sql<boolean>`coalesce(claimed_until, '-infinity') < now()`)
      .selectAll()
      .orderBy('requested_at')
      .forUpdate()
      .skipLocked()
      .execute();
    const row = due.find(({ clone_url, ref }) => readable.has(sourceKey(clone_url, ref)));
    if (!row) return undefined;
    const token = randomBytes(24).toString('base64url');
    const { claimed_until: until } = await trx
      .updateTable('skill_sources')
      .set({
        token_hash: hashSecret(token),
        claimed_until: sql`now() + make_interval(secs => ${DISCOVERY_SECONDS})`,
      })
      .where('id', '=', row.id)
      .returning('claimed_until')
      .executeTakeFirstOrThrow();
    return { row, token, until: until ?? new Date() };
  });
}
