import { connect } from '../client/connect.ts';
import type { Place } from '../commands/run-posts.ts';
import { repositoryName, type GithubEvent } from '../github/read/event.ts';
import { fetchRequest } from './fetch-request.ts';
import { createGithub } from './github-client.ts';
import { createTokenIdentity } from './identity.ts';
import { debug } from './log.ts';
import { createDryOutbox, createOutbox, type Outbox } from './outbox.ts';
import type { Prepared } from './read-inputs-and-event.ts';
import { leave } from './left-for-post-step.ts';
import { signedIn } from './sign-in.ts';
import type { Step } from './step-context.ts';

export interface StepSignals {
  signal: AbortSignal;
  /** Aborted when the runner wants the step to end. */
  interrupt?: AbortSignal;
}

/** Connects a prepared step to the service and to GitHub. */
export function connectStep(
  { settings, runner, started }: Prepared,
  event: GithubEvent,
  { signal, interrupt }: StepSignals,
): Step {
  const { baseUrl, apiKey = 'none', githubToken: token } = settings;
  const { apiUrl, tokenPlace } = runner;
  const headers = { 'user-agent': 'runlink-action' };
  // For step debugging: each request and its outcome, without bodies or headers.
  const print = (fields: object, message: string): void =>
    debug(`service ${message} ${JSON.stringify(fields)}`);
  const log = { debug: print, warn: print };
  const isSignedIn = tokenPlace && settings.apiKey === undefined;
  const request = isSignedIn ? signedIn(baseUrl, tokenPlace) : fetchRequest;
  const client = connect({ baseUrl, apiKey, headers, request, log });
  const github = token === '' ? undefined : createGithub({ token, apiUrl, interrupt });
  const identity = createTokenIdentity(github);
  const outbox = outboxOf({ settings, github, identity });
  const deadline = started + settings.timeoutMs;
  return {
    settings,
    runner,
    client,
    github,
    identity,
    event,
    place: threadPlace(event),
    outbox,
    signal,
    deadline,
  };
}

/** Where a run asked for by this event is shown. */
export function threadPlace({ thread, repository, comment }: GithubEvent): Place | undefined {
  if (!thread) return undefined;
  const replyTo = comment?.replyTo ?? null;
  return { repository: repositoryName(repository), number: thread.number, replyTo };
}

function outboxOf({
  settings,
  github,
  identity,
}: Pick<Step, 'settings' | 'github' | 'identity'>): Outbox {
  if (!github || settings.dryRun) return createDryOutbox();
  const secrets = [settings.apiKey ?? '', settings.githubToken];
  const onWritten = (key: string, remoteId: string): void => {
    if (key.startsWith('comment:')) leave('comment-id', remoteId);
    if (key.startsWith('check:')) leave('check-id', remoteId);
  };
  const { reactions } = settings.report;
  return createOutbox({ github, identity, reactions, secrets, onWritten });
}
