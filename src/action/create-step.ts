import { connect } from '../client/connect.ts';
import type { ClientLog } from '../client/send.ts';
import type { GithubEvent } from '../github/read/event.ts';
import type { Github } from '../github/read/octokit.ts';
import type { EarlyQuestion } from './early.ts';
import { fetchRequest } from './fetch-request.ts';
import { createIdentity } from './identity.ts';
import { createDryOutbox, createOutbox, type Outbox } from './outbox.ts';
import type { Prepared } from './prepare.ts';
import type { Runner } from './runner.ts';
import type { Step } from './step.ts';

export interface StepSignals {
  signal: AbortSignal;
  /** Aborted when the runner wants the step to end. */
  interrupt?: AbortSignal;
  early?: EarlyQuestion | undefined;
}

/** Connects a prepared step to the service and to GitHub. */
export async function createStep(
  runner: Runner,
  { settings, surroundings, started }: Prepared,
  event: GithubEvent,
  { signal, interrupt, early }: StepSignals,
): Promise<Step> {
  const debug = (line: string): void => runner.debug(line);
  const { baseUrl, apiKey, githubToken: token, timeoutMs } = settings;
  const { apiUrl } = surroundings;
  const headers = { 'user-agent': 'runlink-action' };
  const client = connect({
    baseUrl,
    apiKey,
    headers,
    request: fetchRequest,
    log: clientLog(debug),
  });
  const github =
    token === ''
      ? undefined
      : (await import('./github-client.ts')).createGithub({
          token,
          apiUrl,
          early,
          interrupt,
          debug,
        });
  const identity = createIdentity(github);
  const outbox = outboxOf(runner, { settings, github, identity });
  const deadline = started + timeoutMs;
  return {
    runner,
    settings,
    surroundings,
    client,
    github,
    identity,
    event,
    outbox,
    signal,
    deadline,
  };
}

function outboxOf(
  runner: Runner,
  {
    settings,
    github,
    identity,
  }: Pick<Step, 'settings' | 'identity'> & { github: Github | undefined },
): Outbox {
  if (!github || settings.dryRun) return createDryOutbox(runner);
  const secrets = [settings.apiKey, settings.githubToken];
  const onWritten = (key: string, remoteId: string): void => {
    if (key.startsWith('comment:')) runner.state('comment-id', remoteId);
    if (key.startsWith('check:')) runner.state('check-id', remoteId);
  };
  return createOutbox({ github, identity, runner, secrets, onWritten });
}

/** Traffic for step debugging: what was called and how it went, no bodies and no headers. */
function clientLog(debug: (line: string) => void): ClientLog {
  const print = (fields: object, message: string): void =>
    debug(`service ${message} ${JSON.stringify(fields)}`);
  return { debug: print, warn: print };
}
