import { sql } from 'kysely';
import type { z } from 'zod';
import type { SkillItem, listSkillsQuery } from '../../contract/skill.ts';
import type { ServiceContext } from '../context.ts';
import { awaitDiscovery, renewStale, requestDiscovery } from './await-discovery.ts';
import { skillsOf, visibleSources, type VisibleSkill } from './visible-skills.ts';

type Query = z.output<typeof listSkillsQuery>;

/** How long `refresh=true` waits for the workers that read the repositories. */
const REFRESH_SECONDS = 20;

/** The skills in the repositories of a team's environments (interface.md 4.1). */
export async function listSkills(
  context: ServiceContext,
  teamId: string,
  query: Query,
  signal: AbortSignal,
): Promise<SkillItem[]> {
  const all = await visibleSources(context, teamId);
  const sources = all.filter(
    ({ row }) =>
      query.repo === undefined ||
      `${row.owner}/${row.name}`.toLowerCase() === query.repo.toLowerCase(),
  );
  if (query.refresh) {
    await requestDiscovery(context, sources);
    await awaitDiscovery(context, sources, REFRESH_SECONDS, signal);
  } else await renewStale(context, sources);
  const found = await skillsOf(context, sources);
  const shown = found.filter(({ skill }) => query.include_malformed_skills || skill.error === null);
  const ran = await lastRuns(
    context,
    teamId,
    shown.map(({ id }) => id),
  );
  const items = [...Map.groupBy(shown, ({ skill }) => skill.name)]
    .map(([name, skills]) => ({
      name,
      variants: skills.map((skill) => variant(skill, ran.get(skill.id))),
    }))
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
  return query.sort_by === 'name' ? items : items.toSorted((a, b) => lastRunOf(b) - lastRunOf(a));
}

/** When the team last ran each skill. */
async function lastRuns(
  { db }: ServiceContext,
  teamId: string,
  ids: readonly string[],
): Promise<Map<string, Date>> {
  const { rows } = await sql<{ id: string; at: Date }>`
    select s.id, r.created_at as at
    from unnest(${ids}::text[]) s (id)
    cross join lateral (
      select created_at from runs
      where skill_spec = s.id and team_id = ${teamId}
      order by created_at desc limit 1
    ) r`.execute(db);
  return new Map(rows.map(({ id, at }) => [id, at]));
}

function variant({ id, skill, source }: VisibleSkill, lastRun: Date | undefined) {
  const { owner, name } = source.row;
  return {
    id,
    description: skill.description,
    base_prompt: skill.content,
    source: { owner, name, skill_path: skill.path },
    environments: source.environments,
    last_run_timestamp: lastRun?.toISOString() ?? null,
    ...(skill.error === null ? {} : { error: skill.error }),
  };
}

function lastRunOf(item: SkillItem): number {
  return Math.max(
    ...item.variants.map(({ last_run_timestamp: at }) => (at === null ? 0 : Date.parse(at))),
  );
}
