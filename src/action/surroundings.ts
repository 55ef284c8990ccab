import { z } from 'zod';
import { RunlinkError } from '../base/error.ts';
import type { Repository } from '../github/event.ts';
import type { WorkflowStep } from '../github/request.ts';

/** What the runner says of the step, read from its environment. */
export interface Surroundings {
  eventName: string;
  eventPath: string;
  apiUrl: string;
  serverUrl: string;
  repository: Repository | undefined;
  ref: string | undefined;
  sha: string | undefined;
  actor: string | undefined;
  step: Omit<WorkflowStep, 'key'>;
  workspace: string;
  isDebug: boolean;
}

const filled = z.string().transform((value) => (value === '' ? undefined : value));
const environment = z.object({
  GITHUB_EVENT_NAME: z.string().min(1),
  GITHUB_EVENT_PATH: z.string().min(1),
  GITHUB_API_URL: filled.optional(),
  GITHUB_SERVER_URL: filled.optional(),
  GITHUB_REPOSITORY: filled.optional(),
  GITHUB_REF: filled.optional(),
  GITHUB_SHA: filled.optional(),
  GITHUB_ACTOR: filled.optional(),
  GITHUB_TRIGGERING_ACTOR: filled.optional(),
  GITHUB_RUN_ID: z.string().default('0'),
  GITHUB_RUN_ATTEMPT: z.string().default('1'),
  GITHUB_JOB: z.string().default(''),
  GITHUB_ACTION: z.string().default(''),
  GITHUB_WORKSPACE: z.string().default(''),
  RUNNER_DEBUG: z.string().default(''),
});

/** Reads the runner's environment; GitHub Enterprise Server says its own addresses there. */
export function readSurroundings(env: NodeJS.ProcessEnv): Surroundings {
  const parsed = environment.safeParse(env);
  if (!parsed.success) {
    const name = String(parsed.error.issues[0]?.path[0] ?? '');
    throw new RunlinkError('invalid_input', `${name} is not set.`, {
      hint: 'Run this as a step of a GitHub workflow.',
    });
  }
  const data = parsed.data;
  const serverUrl = data.GITHUB_SERVER_URL ?? 'https://github.com';
  return {
    eventName: data.GITHUB_EVENT_NAME,
    eventPath: data.GITHUB_EVENT_PATH,
    apiUrl: data.GITHUB_API_URL ?? 'https://api.github.com',
    serverUrl,
    repository: readRepository(data.GITHUB_REPOSITORY, serverUrl),
    ref: data.GITHUB_REF?.replace(/^refs\/(?:heads|tags)\//, ''),
    sha: data.GITHUB_SHA,
    actor: data.GITHUB_TRIGGERING_ACTOR ?? data.GITHUB_ACTOR,
    step: {
      runId: data.GITHUB_RUN_ID,
      attempt: Number(data.GITHUB_RUN_ATTEMPT) || 1,
      job: data.GITHUB_JOB,
      step: data.GITHUB_ACTION,
    },
    workspace: data.GITHUB_WORKSPACE,
    isDebug: data.RUNNER_DEBUG === '1',
  };
}

function readRepository(fullName: string | undefined, serverUrl: string): Repository | undefined {
  const [owner, name] = fullName?.split('/') ?? [];
  if (!owner || !name) return undefined;
  return { owner, name, url: `${serverUrl}/${owner}/${name}`, defaultBranch: undefined };
}
