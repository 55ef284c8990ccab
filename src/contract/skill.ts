import { z } from 'zod';
import { filledText, text, timestamp } from './primitives.ts';

/** Query of GET /agent (interface.md 4.1). */
export const listSkillsQuery = z.object({
  repo: z
    .string()
    .max(201)
    .regex(/^[\w.-]+\/[\w.-]+$/, 'must have the form owner/repo')
    .optional(),
  refresh: z.boolean().default(false),
  sort_by: z.enum(['name', 'last_run']).default('name'),
  include_malformed_skills: z.boolean().default(false),
});

/** A skill and the places it is defined in (interface.md 2.12). */
export const skillItem = z.object({
  name: z.string(),
  variants: z.array(
    z.object({
      /** `owner/repo:path/SKILL.md`, what `skill` of a run names. */
      id: z.string(),
      description: z.string(),
      base_prompt: z.string(),
      source: z.object({
        owner: z.string(),
        name: z.string(),
        skill_path: z.string(),
        worker_host: z.string().optional(),
      }),
      environments: z.array(z.object({ uid: z.string(), name: z.string() })),
      last_run_timestamp: timestamp.nullable(),
      /** What is wrong with the definition; only sent if asked for. */
      error: z.string().optional(),
    }),
  ),
});
export type SkillItem = z.infer<typeof skillItem>;

export const listSkillsResponse = z.object({ agents: z.array(skillItem) });

/** Longest SKILL.md that is stored, in UTF-16 units; ours. */
export const SKILL_TEXT_MAX = 262_144;
/** Most skills of one repository; ours. */
export const SKILLS_MAX = 500;

/**
 * A repository whose skills a worker should read, because the service itself fetches nothing
 * (threats.md S6). `token` fences the job as a lease does a run.
 */
export const skillDiscovery = z.object({
  discovery_id: z.string(),
  token: z.string(),
  expires_at: timestamp,
  owner: z.string(),
  name: z.string(),
  clone_url: z.string(),
  ref: z.string().optional(),
  /** A short-lived token for a private repository. */
  git_token: z.string().optional(),
  /** The GitHub that the token belongs to: git sends it to that host only. */
  git_api_url: z.string().optional(),
});
export type SkillDiscovery = z.infer<typeof skillDiscovery>;

/**
 * Answer of POST /worker/skills/claim; with `Prefer: wait=N` the request is held until there is a
 * job.
 */
export const claimDiscoveryResponse = z.object({ discovery: skillDiscovery.nullable() });

/**
 * Body of POST /worker/skills/{discoveryId}: every SKILL.md in the usual folders, or why they could
 * not be read.
 */
export const reportDiscoveryRequest = z.object({
  token: filledText(256),
  skills: z
    .array(
      z.object({
        /** Path in the repository, such as `.claude/skills/review/SKILL.md`. */
        path: filledText(1024).refine(
          (path) => !path.split('/').some((part) => part === '' || part === '.' || part === '..'),
          'must be a path inside the repository',
        ),
        content: text(SKILL_TEXT_MAX),
      }),
    )
    .max(SKILLS_MAX),
  error: text(4096).optional(),
});
export type ReportDiscoveryRequest = z.output<typeof reportDiscoveryRequest>;
export const reportDiscoveryResponse = z.object({ skills: z.int() });

/** Folders of a repository that are searched for `<name>/SKILL.md`. */
export const SKILL_FOLDERS = [
  '.agents/skills',
  '.claude/skills',
  '.codex/skills',
  '.cursor/skills',
  '.gemini/skills',
  '.github/skills',
  '.opencode/skills',
  '.warp/skills',
  'skills',
] as const;
