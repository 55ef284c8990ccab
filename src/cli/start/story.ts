import { RunlinkError } from '../../base/error.ts';
import type { Client } from '../../client/client.ts';
import { isProblem } from '../../client/error.ts';
import { watchRun } from '../../client/watch-run.ts';
import type { RunRead } from '../../contract/run.ts';
import type { Github } from '../../github/read/octokit.ts';
import { pullRequestsOf, runDuration } from '../output/run-text.ts';
import type { Narrator } from './narrator.ts';
import { until } from './until.ts';

/** What the story is played with. */
export interface Stage {
  /** GitHub as the person who comments sees it. */
  github: Github;
  login: string;
  /** The App's own login, such as `runlink-demo[bot]`. */
  botLogin: string;
  owner: string;
  repo: string;
  issue: number;
  client: Client;
  signal: AbortSignal;
  narrator: Narrator;
  /** Longest time the agent may take for one turn; a real one needs minutes. */
  agentWithinMs: number;
  /** Longest time for everything else; 30 s by default. */
  soonMs?: number;
}

export const FIRST_COMMAND = '/agent fix the failing test';
export const FOLLOW_UP = '/agent also add a changelog line';
const SOON_MS = 30_000;
const soon = (stage: Stage): number => stage.soonMs ?? SOON_MS;

/** One look at the service; the next follows soon, so it need not try for long. */
function lookOf({ signal }: Stage): { signal: AbortSignal; deadlineMs: number } {
  return { signal, deadlineMs: 5000 };
}

interface Comment {
  id: number;
  nodeId: string;
  url: string;
  body: string;
  login: string;
}

/** Plays the main job from the first comment to the updated pull request; throws where a step fails. */
export async function playStory(stage: Stage): Promise<void> {
  const { narrator } = stage;
  const command = await narrator.step(`${stage.login} comments "${FIRST_COMMAND}"`, () =>
    commentOnce(stage, stage.issue, FIRST_COMMAND),
  );
  await narrator.step('The App reacts with 👀', () => seeReaction(stage, command.id));
  const { run } = await narrator.step('A run is created', () => seeRun(stage, command));
  await narrator.step('The tracking comment appears', () =>
    seeBotComment(stage, stage.issue, (comment) => comment.body.includes(run.run_id)),
  );
  const first = await narrator.step('The agent works', () => seeEnd(stage, run.run_id, 1));
  const pull = await narrator.step('The pull request is open', () =>
    seePullRequest(stage, first.run),
  );
  await narrator.step('The comment tells the result and links the pull request', () =>
    seeBotComment(
      stage,
      stage.issue,
      (comment) =>
        [first.run.run_id, pull.link].every((text) => comment.body.includes(text)) &&
        /succeeded/i.test(comment.body),
    ),
  );
  await narrator.step('The pull request leads back to its run', () =>
    seeReference(stage, pull.link, run.run_id),
  );
  await narrator.step(`${stage.login} comments on the pull request "${FOLLOW_UP}"`, () =>
    commentOnce(stage, pull.number, FOLLOW_UP),
  );
  await narrator.step('The same run goes on', () => seeEnd(stage, run.run_id, 2));
  await narrator.step('The same pull request is updated', () => seeUpdate(stage, pull, run.run_id));
}

async function commentsOf(stage: Stage, number: number): Promise<Comment[]> {
  const { data } = await stage.github.request(
    'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
    {
      owner: stage.owner,
      repo: stage.repo,
      issue_number: number,
      per_page: 100,
    },
  );
  return data.map((comment) => ({
    id: Number(comment.id),
    nodeId: comment.node_id,
    url: comment.html_url,
    body: comment.body ?? '',
    login: comment.user?.login ?? '',
  }));
}

/** Posts the comment, unless an earlier start of this story already did. */
async function commentOnce(
  stage: Stage,
  number: number,
  body: string,
): Promise<{ link: string; id: number; nodeId: string }> {
  const said = (await commentsOf(stage, number)).find(
    (comment) => comment.login === stage.login && comment.body === body,
  );
  if (said) return { link: said.url, id: said.id, nodeId: said.nodeId };
  const { data } = await stage.github.request(
    'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
    {
      owner: stage.owner,
      repo: stage.repo,
      issue_number: number,
      body,
    },
  );
  return { link: data.html_url, id: Number(data.id), nodeId: data.node_id };
}

function seeReaction(stage: Stage, commentId: number): Promise<object> {
  return until(
    'The reaction',
    async () => {
      const { data } = await stage.github.request(
        'GET /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions',
        {
          owner: stage.owner,
          repo: stage.repo,
          comment_id: commentId,
        },
      );
      return data.length > 0 ? {} : undefined;
    },
    { withinMs: soon(stage), signal: stage.signal },
  );
}

async function seeRun(
  stage: Stage,
  command: { nodeId: string },
): Promise<{ run: RunRead; link?: string; detail: string }> {
  const run = await until(
    'The run',
    async () => {
      const request = `comment:${command.nodeId}:1`;
      const { runs } = await stage.client.runs.list(
        { metadata: { 'runlink.request': request } },
        lookOf(stage),
      );
      return runs[0];
    },
    { withinMs: soon(stage), signal: stage.signal },
  );
  return { run, detail: run.run_id, ...(run.session_link && { link: run.session_link }) };
}

function seeBotComment(
  stage: Stage,
  number: number,
  matches: (comment: Comment) => boolean,
): Promise<{ link: string }> {
  return until(
    'The tracking comment',
    async () => {
      const comment = (await commentsOf(stage, number)).find(
        (candidate) => candidate.login === stage.botLogin && matches(candidate),
      );
      return comment && { link: comment.url };
    },
    { withinMs: soon(stage), signal: stage.signal },
  );
}

/** Watches the run to the end of its n-th execution; anything but success ends the story. */
async function seeEnd(
  stage: Stage,
  runId: string,
  execution: number,
): Promise<{ run: RunRead; detail: string; link?: string }> {
  const signal = AbortSignal.any([stage.signal, AbortSignal.timeout(stage.agentWithinMs)]);
  await until('The execution', () => hasExecuted(stage, runId, execution), {
    withinMs: soon(stage),
    signal,
  });
  let last: RunRead | undefined;
  for await (const run of watchRun(stage.client, runId, { signal })) last = run;
  if (last?.state !== 'SUCCEEDED') {
    throw new RunlinkError(
      'story_failed',
      `The run ended ${last?.state ?? 'unseen'}: ${last?.status_message?.message ?? 'without a message'}`,
      {
        hint: `Its page tells more: ${last?.session_link ?? runId}`,
      },
    );
  }
  const detail = `${last.state} in ${runDuration(last)}`;
  return { run: last, detail, ...(last.session_link && { link: last.session_link }) };
}

/** True once the follow-up has reached the run: joined the first execution or begun another. */
async function hasExecuted(
  stage: Stage,
  runId: string,
  execution: number,
): Promise<true | undefined> {
  if (execution === 1) return true;
  const { steps } = await stage.client.runs.conversation(runId, lookOf(stage));
  const asked = steps
    .flatMap((step) => step.messages)
    .filter((message) => message.role === 'user').length;
  return asked >= execution || undefined;
}

async function seePullRequest(
  stage: Stage,
  run: RunRead,
): Promise<{ link: string; number: number }> {
  const url = await until(
    'The pull request',
    async () => {
      const now = await stage.client.runs.get(run.run_id, lookOf(stage));
      return pullRequestsOf(now)[0]?.url;
    },
    { withinMs: soon(stage), signal: stage.signal },
  );
  const number = Number(url.split('/').at(-1));
  return { link: url, number };
}

function seeReference(stage: Stage, url: string, runId: string): Promise<{ detail: string }> {
  return until(
    'The external reference',
    async () => {
      try {
        const found = await stage.client.runs.byExternalReference({ url }, lookOf(stage));
        return found.run_id === runId ? { detail: `${url} → ${runId}` } : undefined;
      } catch (error) {
        if (isProblem(error, 'resource_not_found')) return undefined;
        throw error;
      }
    },
    { withinMs: soon(stage), signal: stage.signal },
  );
}

async function seeUpdate(
  stage: Stage,
  pull: { link: string; number: number },
  runId: string,
): Promise<{ detail: string; link: string }> {
  const files = await until(
    'The changelog line in the pull request',
    async () => {
      const { data } = await stage.github.request(
        'GET /repos/{owner}/{repo}/pulls/{pull_number}/files',
        {
          owner: stage.owner,
          repo: stage.repo,
          pull_number: pull.number,
        },
      );
      const names = data.map((file) => file.filename);
      return names.some((name) => /changelog/i.test(name)) ? names : undefined;
    },
    { withinMs: soon(stage), signal: stage.signal },
  );
  const { data } = await stage.github.request('GET /repos/{owner}/{repo}/pulls', {
    owner: stage.owner,
    repo: stage.repo,
    state: 'all',
  });
  const ofRun = data.filter(({ body }) => body?.includes(runId));
  if (ofRun.length !== 1) {
    throw new RunlinkError(
      'story_failed',
      `There should be one pull request, there are ${ofRun.length}.`,
    );
  }
  return { detail: files.join(', '), link: pull.link };
}
