import { z } from 'zod';
import { formatYamlIssue, parseYaml } from '../../base/yaml.ts';

/** A skill as its SKILL.md defines it; `error` is set if that is malformed. */
export interface SkillDefinition {
  path: string;
  name: string;
  description: string;
  content: string;
  error: string | null;
}

const FRONT_MATTER = /^---[ \t]*\r?\n([\s\S]*?)^---[ \t]*(?:\r?\n|$)/m;
/** Longest front matter; parsing more takes too long (threats.md G15). */
const HEADER_MAX = 16 * 1024;
const NAME_MAX = 128;
const DESCRIPTION_MAX = 4096;

const header = z.looseObject({
  name: z.string('is needed').trim().min(1, 'is needed').max(NAME_MAX),
  description: z.string('is needed').trim().min(1, 'is needed').max(DESCRIPTION_MAX),
});

/** The entry for a skill that cannot be read. */
export function malformedSkill(path: string, error: string): SkillDefinition {
  return { path, name: folderOf(path), description: '', content: '', error };
}

/** The folder of the file, used as name for a skill without a readable one. */
function folderOf(path: string): string {
  return path.split('/').at(-2) ?? path;
}

/**
 * Parses a SKILL.md: YAML front matter with `name` and `description`, then the text for the agent.
 * Never throws; errors are in `error`, as `file:line:column: …`.
 */
export function readSkill(path: string, text: string): SkillDefinition {
  const match = text.startsWith('---') ? FRONT_MATTER.exec(text) : null;
  if (!match) return malformedSkill(path, `${path}:1:1: has no YAML front matter`);
  const [, yaml = ''] = match;
  if (yaml.length > HEADER_MAX) {
    const fault = `the front matter is longer than ${HEADER_MAX} characters`;
    return malformedSkill(path, `${path}:1:1: ${fault}`);
  }
  const result = parseYaml(yaml, header);
  if (!result.ok) {
    // The front matter begins on the file's second line.
    const lines = result.issues.map((issue) =>
      formatYamlIssue(path, { ...issue, line: issue.line + 1 }),
    );
    return malformedSkill(path, lines.join('\n'));
  }
  const { name, description } = result.value;
  return { path, name, description, content: text.slice(match[0].length).trim(), error: null };
}
