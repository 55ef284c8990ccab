import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { EnvironmentRepository, OperatorConfig } from '../../contract/operator-config.ts';
import type { ServiceContext } from '../context.ts';
import { cloneUrl } from '../environments/clone-url.ts';
import { announce } from '../waiting/changes.ts';

/** Heard by those who wait for a discovery to do, and by those who wait for one to be done. */
export const SKILLS_TOPIC = 'skills:all';

/** What identifies a repository's skills: the remote and the branch. */
export function sourceKey(cloneUrl: string, ref: string): string {
  return `${cloneUrl} ${ref}`;
}

/** A repository's source of skills, as its row is found. */
export function sourceOf(
  repository: EnvironmentRepository,
  { github }: Pick<OperatorConfig, 'github'>,
): { clone_url: string; ref: string } {
  return { clone_url: cloneUrl(repository, github), ref: repository.ref ?? '' };
}

/**
 * Makes a source of every repository of the configuration, drops the others, and has those read anew
 * that were last read over an hour ago.
 */
export async function syncSkillSources({
  db,
  config,
}: Pick<ServiceContext, 'db' | 'config'>): Promise<void> {
  const repositories = config.environments.flatMap((environment) => environment.repositories);
  const rows = new Map(
    repositories.map((repository) => {
      const source = sourceOf(repository, config);
      const { owner, repo: name } = repository;
      return [sourceKey(source.clone_url, source.ref), { ...source, owner, name }];
    }),
  );
  await db.transaction().execute(async (trx) => {
    const known = await trx
      .selectFrom('skill_sources')
      .select(['id', 'clone_url', 'ref'])
      .execute();
    const gone = known.filter((row) => !rows.has(sourceKey(row.clone_url, row.ref)));
    if (gone.length > 0)
      await trx
        .deleteFrom('skill_sources')
        .where(
          'id',
          'in',
          gone.map(({ id }) => id),
        )
        .execute();
    if (rows.size > 0)
      await trx
        .insertInto('skill_sources')
        .values(
          [...rows.values()].map((row) => ({
            ...row,
            id: randomUUID(),
            requested_at: sql<Date>`now()`,
          })),
        )
        .onConflict((conflict) => conflict.columns(['clone_url', 'ref']).doNothing())
        .execute();
    await trx
      .updateTable('skill_sources')
      .set({ requested_at: sql`now()` })
      .where('discovered_at', '<', sql<Date>`now() - interval '1 hour'`)
      .execute();
    await announce(trx, [SKILLS_TOPIC]);
  });
}
