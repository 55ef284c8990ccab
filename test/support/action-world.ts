import { startFakeGithub } from './fake-github.ts';
import type { FakeGithub } from './fake-github-shape.ts';
import { end, startFakeService, type FakeRun, type FakeService } from './fake-service.ts';
import { startStep, type RunningStep, type StepInput, type StepResult } from './run-dist.ts';
import { runStepHere } from './step-here.ts';

/** A fake GitHub, a fake service and the Action between them. */
export interface ActionWorld {
  github: FakeGithub;
  service: FakeService;
  /** The built one, as a process. */
  start: (event: Event, more?: Partial<StepInput>) => Promise<RunningStep>;
  /** Its source, in this process. */
  run: (event: Event, more?: Partial<StepInput>) => Promise<StepResult>;
  close: () => Promise<void>;
}

export type Event = Pick<StepInput, 'eventName' | 'payload'>;

export async function startWorld(): Promise<ActionWorld> {
  const [github, service] = await Promise.all([startFakeGithub(), startFakeService()]);
  github.people['alice'] = { permission: 'write', role_name: 'write' };
  const stepOf = (event: Event, more: Partial<StepInput> = {}): StepInput => ({
    ...event,
    ...more,
    inputs: {
      'base-url': service.apiUrl,
      'api-key': 'test-key',
      'github-token': 'gh-token',
      ...more.inputs,
    },
    env: {
      GITHUB_API_URL: github.url,
      GITHUB_SERVER_URL: github.url,
      GITHUB_REPOSITORY: 'acme/widgets',
      ...more.env,
    },
  });
  return {
    github,
    service,
    start: (event, more) => startStep(stepOf(event, more)),
    run: (event, more) => runStepHere(stepOf(event, more)),
    close: async () => {
      await Promise.all([github.close(), service.close()]);
    },
  };
}

export const repository = {
  full_name: 'acme/widgets',
  html_url: 'https://github.example/acme/widgets',
  default_branch: 'main',
};

export const alice = { login: 'alice', type: 'User' };

export function issue(number = 1): Record<string, unknown> {
  return {
    number,
    node_id: `I_${number}`,
    html_url: `https://github.example/acme/widgets/issues/${number}`,
    title: 'The login test fails',
    body: 'It fails since Monday.',
    user: alice,
    comments: 1,
    updated_at: '2026-11-21T08:00:00Z',
  };
}

/** A new comment of alice on issue 1. */
export function commentEvent(
  body: string,
  more: { comment?: object; issue?: object; sender?: object; action?: string } = {},
): Event {
  const comment = {
    id: 501,
    node_id: 'IC_1',
    html_url: 'https://github.example/acme/widgets/issues/1#issuecomment-501',
    body,
    user: alice,
    created_at: '2026-11-21T08:00:00Z',
    ...more.comment,
  };
  return {
    eventName: 'issue_comment',
    payload: {
      action: more.action ?? 'created',
      repository,
      issue: { ...issue(), ...more.issue },
      comment,
      sender: more.sender ?? alice,
    },
  };
}

/** The pull request whose page is pull 12 of the fake GitHub. */
export function onPullRequest(github: FakeGithub): object {
  return {
    number: 12,
    node_id: 'PR_12',
    html_url: `${github.url}/acme/widgets/pull/12`,
    title: 'Fix the login test',
    pull_request: { url: 'x' },
  };
}

/** A run that was started on issue 1, in this state. */
export async function runOnThread({ service, run }: ActionWorld, state: string): Promise<FakeRun> {
  service.play = undefined;
  await run(commentEvent('/agent first'), { inputs: { wait: 'false' } });
  const [first] = service.runs;
  if (!first) throw new Error('no run');
  if (state === 'SUCCEEDED') end(service, first, state);
  else service.change(first, { state, finished_at: null });
  return first;
}
