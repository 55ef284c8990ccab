import type { Octokit } from '@octokit/rest';
import { RunlinkError } from '../../base/error.ts';
import type { Client } from '../../client/client.ts';
import { isProblem } from '../../client/error.ts';
import { watchRun } from '../../client/watch-run.ts';
import type { RunRead } from '../../contract/run.ts';
import { pullRequestsOf, runDuration } from '../output/run-text.ts';
import type { Narrator, StepResult } from './narrator.ts';
import { until } from './until.ts';

/** What the story needs. */
export interface Stage {
  /** GitHub as the person who comments uses it. */
  github: Octokit;
  login: string;
  /** The App's own login, such as `runlink-demo[bot]`. */
  botLogin: string;
  repository: { owner: string; repo: string };
  issue: number;
  client: Client;
  signal: AbortSignal;
  narrator: Narrator;
  /** Longest time for one turn of the agent; a real one needs minutes. */
  agentWithinMs: number;
  /** Longest time for everything else; 30 s by default. */
  soonMs?: number;
}

export const FIRST_COMMAND = '/agent fix the failing test';
export const FOLLOW_UP = '/agent also add a changelog line';
const EARLIER =
  '\nAn earlier start did the following. It is shown again, and nothing is done twice.';
const NEW = '\nFrom here on it is new.';
const SOON_MS = 30_000;

/**
 * Plays the main scenario, from the first comment to the updated pull request. Throws if a step
 * fails.
 */
export async function playStory(stage: Stage): Promise<void> {
  const { narrator, login, issue } = stage;
  const step = <T extends StepResult>(title: string, work: () => Promise<T>): Promise<T> =>
    narrator.step(title, work);
  const isTold = (await saidBefore(stage, issue, FIRST_COMMAND)) !== undefined;
  if (isTold) narrator.say(EARLIER);
  const command = await step(`${login} comments "${FIRST_COMMAND}"`, () =>
    commentOnce(stage, issue, FIRST_COMMAND),
  );
  await step('The App reacts with 👀', () => seeReaction(stage, command.id));
  const { run } = await step('A run is created', () => seeRun(stage, command.node_id));
  const { run_id: runId } = run;
  await step('The tracking comment appears', () => seeBotComment(stage, [runId]));
  const first = await step('The agent works', () => seeEnd(stage, runId, 1));
  const pull = await step('The pull request is open', () => seePullRequest(stage, first.run));
  await step('The comment tells the result and links the pull request', () =>
    seeBotComment(stage, [runId, pull.link, 'succeeded']),
  );
  await step('The pull request leads back to its run', () => seeReference(stage, pull.link, runId));
  if (isTold && !(await saidBefore(stage, pull.number, FOLLOW_UP))) narrator.say(NEW);
  await step(`${login} comments on the pull request "${FOLLOW_UP}"`, () =>
    commentOnce(stage, pull.number, FOLLOW_UP),
  );
  await step('The same run goes on', () => seeEnd(stage, runId, 2));
  await step('The same pull request is updated', () => seeUpdate(stage, pull, runId));
}

/** Checks repeatedly until the expected thing appears. */
function see<T>(stage: Stage, what: string, look: () => Promise<T | undefined>): Promise<T> {
  return until(what, look, { withinMs: stage.soonMs ?? SOON_MS, signal: stage.signal });
}

/** A single read of the service; it is soon repeated, so it need not retry for long. */
function lookOf({ signal }: Stage): { signal: AbortSignal; deadlineMs: number } {
  return { signal, deadlineMs: 5000 };
}

async function commentsOf({ github, repository }: Stage, issue_number: number) {
  return (await github.issues.listComments({ ...repository, issue_number, per_page: 100 })).data;
}

async function saidBefore(stage: Stage, issue_number: number, body: string) {
  const said = await commentsOf(stage, issue_number);
  return said.find((each) => each.user?.login === stage.login && each.body === body);
}

/** Posts the comment, unless an earlier start did. */
async function commentOnce(stage: Stage, issue_number: number, body: string) {
  const { github, repository } = stage;
  const comment =
    (await saidBefore(stage, issue_number, body)) ??
    (await github.issues.createComment({ ...repository, issue_number, body })).data;
  return { link: comment.html_url, id: comment.id, node_id: comment.node_id };
}

function seeReaction(stage: Stage, comment_id: number): Promise<object> {
  const { github, repository } = stage;
  return see(stage, 'The reaction', async () => {
    const { data } = await github.reactions.listForIssueComment({ ...repository, comment_id });
    return data.length > 0 ? {} : undefined;
  });
}

async function seeRun(stage: Stage, nodeId: string): Promise<StepResult & { run: RunRead }> {
  const metadata = { 'runlink.request': `comment:${nodeId}:1` };
  const run = await see(stage, 'The run', async () => {
    const { runs } = await stage.client.runs.list({ metadata }, lookOf(stage));
    return runs[0];
  });
  return { run, detail: run.run_id, ...linkOf(run) };
}

const linkOf = ({ session_link: link }: RunRead): { link?: string } => (link ? { link } : {});

/** A comment of the App on the issue that contains all of these texts, in any case. */
function seeBotComment(stage: Stage, texts: readonly string[]): Promise<{ link: string }> {
  return see(stage, 'The tracking comment', async () => {
    const comment = (await commentsOf(stage, stage.issue)).find(({ user, body = '' }) => {
      const low = body.toLowerCase();
      return (
        user?.login === stage.botLogin && texts.every((text) => low.includes(text.toLowerCase()))
      );
    });
    return comment && { link: comment.html_url };
  });
}

/** Watches the run to the end of its n-th execution; throws unless it succeeds. */
async function seeEnd(
  stage: Stage,
  runId: string,
  execution: number,
): Promise<StepResult & { run: RunRead }> {
  const signal = AbortSignal.any([stage.signal, AbortSignal.timeout(stage.agentWithinMs)]);
  await see({ ...stage, signal }, 'The execution', () => hasExecuted(stage, runId, execution));
  let last: RunRead | undefined;
  for await (const run of watchRun(stage.client, runId, { signal })) last = run;
  if (last?.state !== 'SUCCEEDED') {
    const message = last?.status_message?.message ?? 'without a message';
    throw new RunlinkError('story_failed', `The run ended ${last?.state ?? 'unseen'}: ${message}`, {
      hint: `Its page tells more: ${last?.session_link ?? runId}`,
    });
  }
  return { run: last, detail: `${last.state} in ${runDuration(last)}`, ...linkOf(last) };
}

/** Whether the follow-up has reached the run: it joined the first execution or began another. */
async function hasExecuted(
  stage: Stage,
  runId: string,
  execution: number,
): Promise<true | undefined> {
  if (execution === 1) return true;
  const { steps } = await stage.client.runs.conversation(runId, lookOf(stage));
  const asked = steps.flatMap(({ messages }) => messages.filter(({ role }) => role === 'user'));
  return asked.length >= execution || undefined;
}

async function seePullRequest(stage: Stage, { run_id: runId }: RunRead) {
  const link = await see(stage, 'The pull request', async () => {
    return pullRequestsOf(await stage.client.runs.get(runId, lookOf(stage)))[0]?.url;
  });
  return { link, number: Number(link.split('/').at(-1)) };
}

function seeReference(stage: Stage, url: string, runId: string): Promise<StepResult> {
  return see(stage, 'The external reference', async () => {
    try {
      const found = await stage.client.runs.byExternalReference({ url }, lookOf(stage));
      return found.run_id === runId ? { detail: `${url} → ${runId}` } : undefined;
    } catch (error) {
      if (isProblem(error, 'resource_not_found')) return undefined;
      throw error;
    }
  });
}

async function seeUpdate(
  stage: Stage,
  { link, number: pull_number }: { link: string; number: number },
  runId: string,
): Promise<StepResult> {
  const { github, repository } = stage;
  const files = await see(stage, 'The changelog line in the pull request', async () => {
    const { data } = await github.pulls.listFiles({ ...repository, pull_number });
    const names = data.map(({ filename }) => filename);
    return names.some((name) => /changelog/i.test(name)) ? names : undefined;
  });
  const { data } = await github.pulls.list({ ...repository, state: 'all' });
  const count = data.filter(({ body }) => body?.includes(runId)).length;
  if (count === 1) return { detail: files.join(', '), link };
  throw new RunlinkError('story_failed', `There should be one pull request, there are ${count}.`);
}
