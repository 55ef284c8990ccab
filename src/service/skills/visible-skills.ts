import type { Selectable } from 'kysely';
import type { ServiceContext } from '../context.ts';
import { visibleEnvironments } from '../environments/visible.ts';
import type { SkillSourcesTable, SkillsTable } from '../resource-tables.ts';
import { sourceKey, sourceOf } from './sources.ts';

export interface VisibleSource {
  row: Selectable<SkillSourcesTable>;
  /** The team's environments that use it. */
  environments: { uid: string; name: string }[];
}

export interface VisibleSkill {
  /** `owner/repo:path/SKILL.md`. */
  id: string;
  skill: Selectable<SkillsTable>;
  source: VisibleSource;
}

/** The skill sources of a team's environments. */
export async function visibleSources(
  context: ServiceContext,
  teamId: string,
): Promise<VisibleSource[]> {
  const environments = await visibleEnvironments(context, teamId);
  const users = new Map<string, { uid: string; name: string }[]>();
  for (const { id: uid, name, repositories } of environments) {
    for (const repository of repositories) {
      const { clone_url, ref } = sourceOf(repository, context.config);
      const key = sourceKey(clone_url, ref);
      users.set(key, [...(users.get(key) ?? []), { uid, name }]);
    }
  }
  const rows = await context.db
    .selectFrom('skill_sources')
    .selectAll()
    .orderBy('owner')
    .orderBy('name')
    .orderBy('ref')
    .execute();
  return rows.flatMap((row) => {
    const found = users.get(sourceKey(row.clone_url, row.ref));
    return found ? [{ row, environments: found }] : [];
  });
}

/**
 * The skills of these sources. If a file is on several branches, the first source counts, the
 * default branch before named ones.
 */
export async function skillsOf(
  { db }: ServiceContext,
  sources: readonly VisibleSource[],
): Promise<VisibleSkill[]> {
  if (sources.length === 0) return [];
  const rows = await db
    .selectFrom('skills')
    .where(
      'source_id',
      'in',
      sources.map(({ row }) => row.id),
    )
    .selectAll()
    .orderBy('name')
    .orderBy('path')
    .execute();
  const bySource = Map.groupBy(rows, (row) => row.source_id);
  const byId = new Map<string, VisibleSkill>();
  for (const source of sources) {
    for (const skill of bySource.get(source.row.id) ?? []) {
      const id = `${source.row.owner}/${source.row.name}:${skill.path}`;
      if (!byId.has(id)) byId.set(id, { id, skill, source });
    }
  }
  return [...byId.values()];
}
