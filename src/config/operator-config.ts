import { z } from 'zod';
import { PUBLIC_API } from '../contract/github-origin.ts';
import { configFaults } from './check.ts';
import { disableReason, modelCost, modelProvider } from '../contract/model.ts';
import { AGENT_KINDS, harnessProfile, variableName } from './harness.ts';
import { networkEntry } from './network.ts';
import { sandboxSettings } from './sandbox.ts';
import { signInEntry } from './sign-in.ts';
import { storage } from './storage.ts';
import { trustEntry } from './trust.ts';
import { notServed } from '../contract/not-served.ts';
import { environmentId, filledText, text } from '../contract/primitives.ts';

/** Owner or name of a repository: never a path, and nothing that git could take for an option. */
const repositoryPart = z
  .string()
  .regex(/^[A-Za-z0-9_.][A-Za-z0-9_.-]{0,99}$/, 'must be letters, digits, ".", "_" or "-"')
  .refine((value) => value !== '.' && value !== '..', 'must be a name');

const duration = z
  .string()
  .regex(/^\d+(\.\d+)?(s|m|h|d)$/, 'must be a duration such as 90s, 45m, 5h or 30d');

const teamName = filledText(128);

const repository = z.strictObject({
  owner: repositoryPart.meta({ description: 'Owner of the repository on GitHub.' }),
  repo: repositoryPart.meta({ description: 'Name of the repository.' }),
  clone_url: filledText(2048).optional().meta({
    description:
      'Where git clones from, if not github.com: `https://`, `ssh://` or `git@host:path`.',
  }),
  ref: filledText(255)
    .refine((value) => !value.startsWith('-'), 'must not start with "-"')
    .optional()
    .meta({ description: "Branch that work starts from; the remote's default if absent." }),
});
export type EnvironmentRepository = z.infer<typeof repository>;

const environment = z.strictObject({
  id: environmentId.meta({ description: 'Identifier: exactly 22 letters or digits.' }),
  name: filledText(256).meta({ description: 'Name shown in lists.' }),
  description: text(4096).optional().meta({ description: 'What it is for.' }),
  team: teamName.default('default').meta({ description: 'Name of the team that owns it.' }),
  guests: z
    .array(teamName)
    .max(256)
    .default([])
    .meta({ description: 'Names of other teams that may use it.' }),
  link_sharing: z
    .boolean()
    .default(false)
    .meta({ description: 'Every team of this service may use it.' }),
  repositories: z
    .array(repository)
    .max(32)
    .default([])
    .meta({ description: 'Repositories that are cloned into the workspace.' }),
  image: z
    .string()
    .max(512)
    .regex(/^[a-zA-Z0-9][\w.:@/-]*$/, 'must be an image such as docker.io/library/node:24')
    .optional()
    .meta({
      description:
        'Container image that its runs work in, with the sandbox `container`: one with glibc. They see the worker\u2019s own programs if absent.',
    }),
  docker_image: notServed(z.string().optional(), 'name it in image'),
  providers: notServed(
    z.looseObject({}).optional(),
    'runs are given no cloud accounts; pass what they need with variables',
  ),
  setup_commands: z
    .array(filledText(8192))
    .max(64)
    .default([])
    .meta({ description: 'Shell commands run in the workspace before the agent starts.' }),
  network: z.array(networkEntry).max(256).optional().meta({
    description:
      'The only hosts that its runs and set-up commands may reach, beside their model: names, `*.` for all names below one, addresses and their networks; with `:PORT` if it is none of 80 and 443. If absent, what the sandbox gives: all with `bwrap`, none with `container`.',
  }),
  pull_request: z
    .boolean()
    .default(true)
    .meta({ description: 'Push what the agent committed and open one pull request.' }),
  push: z.boolean().optional().meta({
    description: 'Push it in any case; as `pull_request` says if absent.',
  }),
  draft: z.boolean().default(false).meta({ description: 'Open pull requests as drafts.' }),
  sign_off: z
    .boolean()
    .default(false)
    .meta({ description: 'Add a `Signed-off-by:` trailer to commits.' }),
  public_artifacts: z
    .boolean()
    .default(false)
    .meta({ description: 'Files and plans of its runs can be read without a key.' }),
  variables: z.array(variableName).max(64).default([]).meta({
    description:
      'Names of environment variables of the service that are passed to runs. Their values are masked in all output.',
  }),
});
export type OperatorEnvironment = z.infer<typeof environment>;

const model = z.strictObject({
  id: filledText(256).meta({ description: "What a run's `config.model_id` names." }),
  display_name: filledText(256).optional().meta({ description: 'Name shown; the id if absent.' }),
  provider: modelProvider.default('UNKNOWN').meta({ description: 'Who serves it.' }),
  description: text(4096).optional().meta({ description: 'What it is good for.' }),
  reasoning_level: text(64).optional().meta({ description: 'Reasoning effort it is run with.' }),
  vision: z.boolean().default(false).meta({ description: 'It can look at images.' }),
  cost: modelCost.optional().meta({ description: 'What it costs.' }),
  disabled: disableReason.optional().meta({
    description: 'Why it is switched off. Runs that ask for it are refused with this reason.',
  }),
  default: z.boolean().default(false).meta({ description: 'Used by runs that name no model.' }),
});
export type OperatorModel = z.infer<typeof model>;

const scorer = z.strictObject({
  id: z.int().min(1).max(2_147_483_647).meta({ description: 'Identifier: a whole number.' }),
  name: filledText(256).meta({ description: 'Name shown with its verdicts.' }),
  team: teamName.default('default').meta({ description: 'Name of the team whose runs it judges.' }),
  prompt: filledText(65_536).meta({ description: 'What the judge run is told to look for.' }),
  labels: z
    .array(filledText(128))
    .min(1)
    .max(64)
    .meta({ description: 'The verdicts that are allowed.' }),
  environments: z
    .array(environmentId)
    .max(256)
    .optional()
    .meta({ description: 'Judge only runs in these environments; all runs if absent.' }),
  model_id: filledText(256).optional().meta({ description: 'Model of the judge run.' }),
  harness: filledText(64).optional().meta({ description: 'Harness profile of the judge run.' }),
});
export type Scorer = z.infer<typeof scorer>;

const limits = z.strictObject({
  agents_per_team: z.int().min(0).max(100_000).default(20).meta({
    description: 'How many agent identities a team may use; the oldest ones count first.',
  }),
  queue_age: duration.default('24h').meta({
    description: 'A run that waits longer than this for a worker fails.',
  }),
  run_time: duration.default('24h').meta({
    description: 'An execution that works longer than this is ended.',
  }),
  pull_time: duration.default('15m').meta({
    description: 'A container image that takes longer than this to be pulled fails its runs.',
  }),
  budget_tokens: z.int().min(1).optional().meta({
    description:
      'Model tokens that one execution may use. One that uses more ends with `budget_exceeded`. No limit if absent.',
  }),
  retention: duration.optional().meta({
    description: 'Ended runs are deleted after this time. Kept for ever if absent.',
  }),
  metadata_filter: z
    .boolean()
    .default(true)
    .meta({ description: 'Allow lists of runs to be filtered by `metadata[key]=value`.' }),
  missed_firing: duration.default('1h').meta({
    description:
      'After a downtime, a schedule that should have started a run starts one if that is at most this late. Later ones are skipped.',
  }),
});

const workspaces = z.strictObject({
  keep: duration.default('24h').meta({
    description: 'How long the workspace of an ended run is kept for a follow-up.',
  }),
  disk_gib: z.number().positive().max(100_000).default(20).meta({
    description:
      'GiB that kept workspaces, mirrors and kept set-up may take up together; what was longest unused goes first.',
  }),
});

const github = z.strictObject({
  api_url: z
    .url()
    .default(PUBLIC_API)
    .meta({ description: "GitHub's REST API, or that of your GitHub Enterprise Server." }),
  app_id_variable: variableName
    .default('APP_ID')
    .meta({ description: "Variable that holds the App's id." }),
  private_key_variable: variableName.default('PRIVATE_KEY').meta({
    description:
      "Variable that holds the App's private key; without it `PRIVATE_KEY_PATH` names the file.",
  }),
  client_id_variable: variableName
    .default('GITHUB_CLIENT_ID')
    .meta({ description: "Variable that holds the App's client id, for `sign_in`." }),
  client_secret_variable: variableName
    .default('GITHUB_CLIENT_SECRET')
    .meta({ description: "Variable that holds the App's client secret, for `sign_in`." }),
  token_variable: variableName.default('GITHUB_TOKEN').meta({
    description:
      'Variable that holds a token, used if no App is configured. The worker inside `runlink serve` gets it from the service; any other worker reads it from its own environment.',
  }),
});

/** `runlink.yaml`: the operator's settings of a service. Every one has a default. */
export const operatorConfig = z
  .strictObject({
    environments: z
      .array(environment)
      .max(10_000)
      .default([])
      .meta({ description: 'Where runs work.' }),
    models: z.array(model).max(1000).default([]).meta({ description: 'Models runs may name.' }),
    harnesses: z
      .record(
        z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'must be a short name'),
        harnessProfile,
      )
      .default({})
      .meta({
        description: `Profiles that a run's \`config.harness.type\` names, beside the built-in ${AGENT_KINDS.join(', ')}.`,
      }),
    default_harness: filledText(64)
      .optional()
      .meta({ description: 'Profile of runs that name none.' }),
    sandbox: sandboxSettings
      .prefault({})
      .meta({ description: 'How runs are isolated, and what they see. Read by the worker.' }),
    scorers: z
      .array(scorer)
      .max(256)
      .default([])
      .meta({ description: 'Judges that look at every run that ended.' }),
    limits: limits.prefault({}).meta({ description: 'Limits.' }),
    workspaces: workspaces
      .prefault({})
      .meta({ description: 'What a worker with this file keeps on its disk.' }),
    storage: storage
      .default({ driver: 'directory' })
      .meta({ description: 'Where artifacts and transcripts are kept.' }),
    github: github.prefault({}).meta({ description: 'How branches are pushed.' }),
    sign_in: z
      .array(signInEntry)
      .max(1000)
      .default([])
      .meta({ description: 'People who may sign in to the pages with GitHub.' }),
    trust: z
      .array(trustEntry)
      .max(10_000)
      .default([])
      .meta({ description: 'Workflows that need no key: they sign in with GitHub’s token.' }),
    public_links: z.boolean().default(false).meta({
      description:
        'Allow runs to be shown to whoever has their link, without signing in, where the run says so.',
    }),
    allow_insecure_remotes: z.boolean().default(false).meta({
      description: 'Allow `clone_url` to be anything but https or ssh, such as a local path.',
    }),
  })
  .check((context) => {
    for (const { path, message } of configFaults(context.value))
      context.issues.push({ code: 'custom', path, message, input: context.value });
  });
export type OperatorConfig = z.output<typeof operatorConfig>;

/** The settings of a service without a `runlink.yaml`. */
export const DEFAULT_OPERATOR_CONFIG: OperatorConfig = operatorConfig.parse({});
