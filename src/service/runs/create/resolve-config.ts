import type { OperatorConfig } from '../../../config/operator-config.ts';
import { harnessNames, namedHarness } from '../../../config/harness.ts';
import { OWN_POOL, type AgentConfig } from '../../../contract/agent-config.ts';
import { invalidField } from '../../../contract/problem.ts';
import type { ServiceContext } from '../../context.ts';
import { requireVisible } from '../../environments/visible.ts';
import { checkModel, defaultModelId } from '../../models/models.ts';
import { findSkills, skillsNamed } from '../../skills/find-skill.ts';
import { checkSharing } from '../sharing.ts';
import type { SkillRecord } from '../../tables.ts';

/** Refuses a harness that is not available here. */
export function checkHarness(
  operator: OperatorConfig,
  type: string | undefined,
  field: string,
): void {
  const name = namedHarness(type);
  const known = harnessNames(operator);
  if (name !== undefined && !known.includes(name))
    throw invalidField(field, `is not available here; available are ${known.join(', ')}`);
}

function checkSkills(config: AgentConfig, at: string): void {
  if (config.skill_spec !== undefined && config.skills !== undefined)
    throw invalidField(`${at}.skills`, 'cannot be given together with skill_spec');
}

/** Adds the operator's default model if the run names neither agent nor model. */
function withModel(config: AgentConfig, operator: OperatorConfig): AgentConfig {
  if (config.model_id !== undefined || namedHarness(config.harness?.type)) return config;
  const model_id = defaultModelId(operator);
  return model_id === undefined ? config : { ...config, model_id };
}

/**
 * A run's configuration as it will be executed. Refuses what this service or team does not have;
 * the error names the field below `at`.
 */
export async function resolveConfig(
  context: ServiceContext,
  teamId: string,
  config: AgentConfig,
  at = 'config',
): Promise<AgentConfig> {
  checkSkills(config, at);
  checkHarness(context.config, config.harness?.type, `${at}.harness.type`);
  checkSharing(context.config, config, `${at}.session_sharing`);
  checkModel(context.config, config.model_id, `${at}.model_id`);
  if (config.environment_id !== undefined)
    await requireVisible(context, teamId, config.environment_id, `${at}.environment_id`);
  const { worker_host, ...rest } = withModel(config, context.config);
  return worker_host && worker_host !== OWN_POOL ? { ...rest, worker_host } : rest;
}

/**
 * The same, with the skills resolved to their full paths. A `skill` besides the configuration
 * replaces the skills in it.
 */
export async function decideConfig(
  context: ServiceContext,
  teamId: string,
  asked: AgentConfig,
  at: string,
  skillName?: string,
): Promise<{ config: AgentConfig; skill: SkillRecord | undefined }> {
  if (skillName === undefined) checkSkills(asked, at);
  const named =
    skillName === undefined ? skillsNamed(asked, at) : { field: 'skill', names: [skillName] };
  const skill = await findSkills(context, teamId, named);
  const { skill_spec: spec, skills: _, ...rest } = asked;
  const isListed = skillName === undefined && spec === undefined;
  const paths = pathsOf(skill, isListed);
  const config = await resolveConfig(context, teamId, { ...rest, ...paths }, at);
  return { config: skill ? { name: skill.name, ...config } : config, skill };
}

function pathsOf(skill: SkillRecord | undefined, isListed: boolean): AgentConfig {
  if (!skill) return {};
  const paths = [skill, ...(skill.others ?? [])].map(({ path }) => path);
  return isListed ? { skills: paths } : { skill_spec: skill.path };
}
