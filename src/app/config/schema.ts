import { z } from 'zod';
import { isVerb } from '../../github/decide/command.ts';
import { ON_PULL_REQUEST } from '../../github/decide/request.ts';
import { WHEN_BUSY } from '../../github/decide/plan.ts';
import { ON_EDIT } from '../../github/decide/trigger.ts';
import { TEMPLATE_NAMES } from '../../github/read/prompt.ts';
import { PERMISSIONS } from '../../github/read/permission.ts';
import { REVIEW_VERDICTS } from '../../github/render/review.ts';

/**
 * Where a repository says how the App behaves there; read from the default branch only (threats.md
 * G12).
 */
export const CONFIG_PATH = '.github/runlink.yml';

const login = z
  .string()
  .regex(/^@?[\w-]+(\[bot\])?$/, 'must be exactly one login, without patterns')
  .transform((name) => name.replace(/^@/, ''));
const team = z
  .string()
  .regex(/^@?(?:[\w-]+\/)?[\w-]+$/, 'must be a team, such as reviewers or my-org/reviewers')
  .transform((name) => name.replace(/^@/, ''));
const words = (max: number): z.ZodString => z.string().min(1).max(max);

const who = {
  permission: z
    .enum(PERMISSIONS)
    .optional()
    .describe('The least permission on the repository. Default: write.'),
  users: z.array(login).max(100).optional().describe('Only these people may, if given.'),
  teams: z
    .array(team)
    .max(100)
    .optional()
    .describe('Only members of these teams of the organisation may, if given.'),
};

const how = {
  environment: words(256).optional().describe('Name or id of the environment to work in.'),
  model: words(256).optional().describe('Model id.'),
  skill: words(1024).optional().describe('Skill to use: owner/repository:path.'),
  agent: words(256).optional().describe('Uid of the agent identity that executes the run.'),
  'on-pull-request': z
    .enum(ON_PULL_REQUEST)
    .optional()
    .describe(
      'Where commits for a pull request go: push, onto its own branch (default), or stack, into a pull request onto that.',
    ),
  harness: words(64).optional().describe("Name of the service's harness profile."),
};

const NAME = /^[a-z][a-z0-9-]{0,31}$/;

const command = z
  .strictObject({
    description: words(200).optional().describe('One line for the help.'),
    prompt: words(20_000)
      .optional()
      .describe(
        `The prompt. {{instruction}} is the text after the command; known names: ${TEMPLATE_NAMES.join(', ')}.`,
      ),
    ...how,
    ...who,
  })
  .refine((value) => value.prompt !== undefined || value.skill !== undefined, {
    message: 'needs a prompt or a skill',
  });
export type CustomCommand = z.output<typeof command>;

const trigger = z
  .discriminatedUnion('on', [
    z.strictObject({ on: z.literal('label'), label: words(50), command: words(32) }),
    z.strictObject({ on: z.literal('assignment'), assignee: login, command: words(32) }),
    z.strictObject({
      on: z.enum(['opened', 'ready', 'synchronized']).describe('Of a pull request.'),
      command: words(32),
    }),
    z.strictObject({
      on: z.literal('failing-checks').describe('A check suite of a pull request failed.'),
      app: words(100).optional().describe('Only suites of this App, by its slug.'),
      command: words(32),
    }),
  ])
  .describe('Starts one of the commands without a comment.');
export type ConfigTrigger = z.output<typeof trigger>;

const limit = z.int().min(0).max(10_000);

/** The contents of `.github/runlink.yml`; keys are written as in GitHub's own files. */
export const repositoryConfig = z
  .strictObject({
    ...who,
    ...how,
    bots: z.array(login).max(100).default([]).describe('Bots that may give commands.'),
    'allow-forks': z
      .boolean()
      .default(false)
      .describe('Work on pull requests from forks, when the command names the commit.'),
    'when-busy': z
      .enum(WHEN_BUSY)
      .default('follow-up')
      .describe('What a command does while a run works on the same thread.'),
    'on-edit': z
      .enum(ON_EDIT)
      .default('ignore')
      .describe('What an edit may start: nothing, or the commands that its author added.'),
    'on-close': z
      .enum(['keep', 'cancel'])
      .default('keep')
      .describe('Whether the runs of a pull request are cancelled when it is closed unmerged.'),
    'closes-issue': z
      .boolean()
      .default(false)
      .describe('Let a run’s pull request close the issue it was asked in, when it is merged.'),
    reviews: z
      .enum(['none', ...REVIEW_VERDICTS])
      .default('comment')
      .describe(
        'The strongest verdict with which a run’s review.json is posted as a review: not at all, as a comment, also asking for changes, or also approving.',
      ),
    mention: z
      .boolean()
      .default(true)
      .describe('Mention the requester when a long run ends or needs an answer.'),
    limits: z
      .strictObject({
        'per-pull-request': limit.optional().describe('Runs started on one issue or pull request.'),
        'per-day': limit.optional().describe('Runs started in the repository within 24 hours.'),
      })
      .default({}),
    commands: z
      .record(z.string().regex(NAME), command, {
        error: (issue) =>
          issue.code === 'invalid_key'
            ? 'names are lower-case letters, digits and dashes, 32 at most'
            : undefined,
      })
      .default({})
      .describe("The repository's own commands, by name."),
    triggers: z.array(trigger).max(50).default([]),
  })
  .superRefine((config, context) => {
    for (const name of Object.keys(config.commands)) {
      if (!isVerb(name)) continue;
      const message = `"${name}" is a command of Runlink itself`;
      context.addIssue({ code: 'custom', path: ['commands', name], message });
    }
    for (const [position, { command: name }] of config.triggers.entries()) {
      if (name === 'review' || Object.hasOwn(config.commands, name)) continue;
      const message = `there is no command "${name}"`;
      context.addIssue({ code: 'custom', path: ['triggers', position, 'command'], message });
    }
  });
export type RepositoryConfig = z.output<typeof repositoryConfig>;

/** The settings of a repository that has no file. */
export const DEFAULT_CONFIG: RepositoryConfig = repositoryConfig.parse({});
