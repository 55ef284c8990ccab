import { PUBLIC_API } from '../contract/github-origin.ts';
import { RunlinkError } from '../base/error.ts';
import type { Repository } from '../github/read/event.ts';
import type { WorkflowStep } from '../github/decide/request.ts';
import { trimEnd } from '../base/trim-end.ts';
import type { TokenPlace } from './sign-in.ts';

/** What the runner says about the step in its environment. */
export interface RunnerEnvironment {
  eventName: string;
  eventPath: string;
  apiUrl: string;
  serverUrl: string;
  repository: Repository | undefined;
  ref: string | undefined;
  sha: string | undefined;
  step: Omit<WorkflowStep, 'key'>;
  workspace: string;
  /** Undefined without `id-token: write`, and in workflows of forks. */
  tokenPlace: TokenPlace | undefined;
}

/**
 * Reads the runner's environment. On GitHub Enterprise Server it also names the server's own
 * addresses.
 */
export function readRunnerEnvironment(env: NodeJS.ProcessEnv): RunnerEnvironment {
  const value = (name: string): string | undefined => env[name] || undefined;
  const serverUrl = value('GITHUB_SERVER_URL') ?? 'https://github.com';
  return {
    eventName: required(env, 'GITHUB_EVENT_NAME'),
    eventPath: required(env, 'GITHUB_EVENT_PATH'),
    apiUrl: trimEnd(value('GITHUB_API_URL') ?? PUBLIC_API, '/'),
    serverUrl,
    repository: readRepository(value('GITHUB_REPOSITORY'), serverUrl),
    ref: value('GITHUB_REF')?.replace(/^refs\/(?:heads|tags)\//, ''),
    sha: value('GITHUB_SHA'),
    step: {
      runId: value('GITHUB_RUN_ID') ?? '0',
      attempt: Number(value('GITHUB_RUN_ATTEMPT') ?? 1) || 1,
      job: value('GITHUB_JOB') ?? '',
      step: value('GITHUB_ACTION') ?? '',
    },
    workspace: value('GITHUB_WORKSPACE') ?? '',
    tokenPlace: readTokenPlace(env),
  };
}

function readTokenPlace(env: NodeJS.ProcessEnv): TokenPlace | undefined {
  const url = env['ACTIONS_ID_TOKEN_REQUEST_URL'];
  const bearer = env['ACTIONS_ID_TOKEN_REQUEST_TOKEN'];
  return url && bearer ? { url, bearer } : undefined;
}

function required(env: NodeJS.ProcessEnv, name: string): string {
  const value = env[name];
  if (value) return value;
  throw new RunlinkError('invalid_input', `${name} is not set.`, {
    hint: 'Run this as a step of a GitHub workflow.',
  });
}

function readRepository(fullName: string | undefined, serverUrl: string): Repository | undefined {
  const [owner, name] = fullName?.split('/') ?? [];
  if (!owner || !name) return undefined;
  return { owner, name, url: `${serverUrl}/${owner}/${name}`, defaultBranch: undefined };
}
