import type { AgentConfig } from '../../contract/agent-config.ts';
import { invalidField } from '../../contract/problem.ts';
import type { ServiceContext } from '../context.ts';
import type { SkillRecord } from '../tables.ts';
import { awaitDiscovery, renewStale } from './await-discovery.ts';
import {
  skillsOf,
  visibleSources,
  type VisibleSkill,
  type VisibleSource,
} from './visible-skills.ts';
import { trimEnd } from '../../base/trim-end.ts';

const SPEC = /^(?:([^/:]+)\/)?([^/:]+):(.+)$/;
/** How long a new run waits for a repository that was never read. */
const DISCOVERY_SECONDS = 10;

/** Names of skills, and the field they come from. */
interface NamedSkills {
  field: string;
  names: readonly string[];
}

interface Spec {
  owner: string | undefined;
  repo: string;
  /** The skill's name, folder or file. */
  what: string;
}

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** The skills that a configuration names. Naming them in both fields is refused elsewhere. */
export function skillsNamed({ skill_spec, skills = [] }: AgentConfig, at: string): NamedSkills {
  return skill_spec === undefined
    ? { field: `${at}.skills`, names: skills }
    : { field: `${at}.skill_spec`, names: [skill_spec] };
}

/**
 * Finds the skills that a run names, with their texts as last read: the first, with the others
 * inside it. Throws if one is unknown, malformed or ambiguous.
 */
export async function findSkills(
  context: ServiceContext,
  teamId: string,
  { field, names }: NamedSkills,
): Promise<SkillRecord | undefined> {
  const found: SkillRecord[] = [];
  for (const name of names) found.push(await findSkill(context, teamId, field, name));
  const [first, ...others] = found;
  return first && others.length > 0 ? { ...first, others } : first;
}

/**
 * Throws if skills that are new in a schedule or an agent do not exist. A skill of a repository
 * that was never read is only checked when a run starts.
 */
export async function checkNewSkills(
  context: ServiceContext,
  teamId: string,
  { field, names }: NamedSkills,
  before: readonly string[] = [],
): Promise<void> {
  const sources = await visibleSources(context, teamId);
  for (const name of names.filter((other) => !before.includes(other))) {
    const spec = readSpec(field, name);
    const isUnread = sources.some((source) => isOf(source, spec) && !source.row.discovered_at);
    if (!isUnread) await findSkill(context, teamId, field, name);
  }
}

/** Finds one skill. Waits for its repository if that was never read. */
async function findSkill(
  context: ServiceContext,
  teamId: string,
  field: string,
  name: string,
): Promise<SkillRecord> {
  const spec = readSpec(field, name);
  const sources = (await visibleSources(context, teamId)).filter((source) => isOf(source, spec));
  const unread = sources.filter(({ row }) => row.discovered_at === null);
  if (unread.length > 0) await awaitDiscovery(context, unread, DISCOVERY_SECONDS);
  await renewStale(context, sources);
  const skills = await skillsOf(context, sources);
  return pick(
    field,
    name,
    skills.filter((skill) => isMeant(skill, spec)),
  );
}

function readSpec(field: string, text: string): Spec {
  const [, owner, repo, what] = SPEC.exec(text) ?? [];
  if (repo === undefined || what === undefined)
    throw invalidField(
      field,
      'must have the form repo:name, repo:path, owner/repo:name or owner/repo:path',
    );
  return { owner, repo, what };
}

function isOf({ row }: VisibleSource, spec: Spec): boolean {
  return same(row.name, spec.repo) && (spec.owner === undefined || same(row.owner, spec.owner));
}

function isMeant({ skill }: VisibleSkill, { what }: Spec): boolean {
  const path = trimEnd(what.replace(/^\.?\/+/, ''), '/');
  return skill.name === what || skill.path === path || skill.path === `${path}/SKILL.md`;
}

function pick(field: string, text: string, found: readonly VisibleSkill[]): SkillRecord {
  const [first, second] = found;
  if (!first) throw invalidField(field, `there is no skill "${text}" in the team's environments`);
  if (second)
    throw invalidField(field, `"${text}" may mean ${found.map(({ id }) => id).join(' or ')}`);
  const { id, skill } = first;
  if (skill.error !== null) throw invalidField(field, `"${id}" is malformed: ${skill.error}`);
  return { name: skill.name, path: id, content: skill.content, description: skill.description };
}
