import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { EnvironmentRepository, OperatorConfig } from '../../config/operator-config.ts';
import type { ServiceContext } from '../context.ts';
import { cloneUrl } from '../environments/clone-url.ts';
import { announce } from '../waiting/changes.ts';

/** Notifies those who wait for a discovery to do, and those who wait for one to finish. */
export const SKILLS_TOPIC = 'skills:all';

/** What identifies a repository's skills: the remote and the branch. */
export function sourceKey(cloneUrl: string, ref: string): string {
  return `${cloneUrl} ${ref}`;
}

/** The columns that identify a repository's source of skills. */
export function sourceOf(
  repository: EnvironmentRepository,
  { github }: Pick<OperatorConfig, 'github'>,
): { clone_url: string; ref: string } {
  return { clone_url: cloneUrl(repository, github), ref: repository.ref ?? '' };
}

/** A source that no node requested for this long is deleted. */
const KEPT = sql`interval '30 days'`;

/**
 * Creates a source for every configured repository, and requests those to be read again that were
 * last read over an hour ago. Other sources stay for a while, because another node's configuration
 * may have them.
 */
export async function syncSkillSources({
  db,
  config,
}: Pick<ServiceContext, 'db' | 'config'>): Promise<void> {
  const rows = new Map(
    config.environments
      .flatMap(({ repositories }) => repositories)
      .map((repository) => {
        const source = sourceOf(repository, config);
        const { owner, repo: name } = repository;
        const row = { ...source, owner, name, id: randomUUID(), requested_at: sql<Date>`now()` };
        return [sourceKey(source.clone_url, source.ref), row];
      }),
  );
  await db.transaction().execute(async (trx) => {
    await trx
      .deleteFrom('skill_sources')
      .where('requested_at', '<', sql<Date>`now() - ${KEPT}`)
      .execute();
    if (rows.size > 0)
      await trx
        .insertInto('skill_sources')
        .values([...rows.values()])
        .onConflict((conflict) =>
          conflict
            .columns(['clone_url', 'ref'])
            .doUpdateSet({ requested_at: sql<Date>`now()` })
            .where('skill_sources.discovered_at', '<', sql<Date>`now() - interval '1 hour'`),
        )
        .execute();
    await announce(trx, [SKILLS_TOPIC]);
  });
}
