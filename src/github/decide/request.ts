import { hash } from 'node:crypto';
import {
  askerName,
  repositoryName,
  threadName,
  type GithubEvent,
  type Head,
  type Thread,
} from '../read/event.ts';

/** The workflow step, for events that are not about an issue, a pull request or checks. */
export interface WorkflowStep {
  runId: string;
  attempt: number;
  job: string;
  step: string;
  /** Tells apart steps that are otherwise the same: input `request-key`. */
  key: string;
}

/** What asked for a run. */
export interface Origin {
  event: GithubEvent;
  /** `event`: `opened` and the like, if the App's configuration listens to them. */
  trigger: 'command' | 'label' | 'assignee' | 'prompt' | 'event';
  /** Number of the command in its text, from 1. */
  index: number;
  head?: Head | undefined;
  workflow?: WorkflowStep | undefined;
}

/** Longest metadata value, in bytes (interface.md 2.11). */
const VALUE_MAX_BYTES = 256;

/**
 * The identity of a request. The same in the Action and the App, so that the second of them finds
 * the run of the first (run-lifecycle.md, "One request, one run").
 */
export function requestId(origin: Origin): string {
  return short(longRequestId(origin));
}

function longRequestId(origin: Origin): string {
  const { event, trigger, index, workflow } = origin;
  const { checks } = event;
  if (trigger === 'prompt' && workflow) return workflowId(workflow);
  if (event.review) return `review:${event.review.id}`;
  // Each completion of checks is its own request on each pull request that they belong to.
  if (checks) {
    const on = event.thread ? `:${event.thread.number}` : '';
    return `checks:${checks.kind}:${checks.id}:${checks.attempt}:${index}${on}`;
  }
  if (event.comment)
    return `comment:${event.comment.nodeId || event.comment.id}:${textOf(origin)}${index}`;
  if (event.thread) return threadRequestId(origin, event.thread);
  if (workflow) return workflowId(workflow);
  return `${event.name}:${repositoryName(event.repository)}:${event.sha ?? event.ref ?? ''}`;
}

function threadRequestId(origin: Origin, thread: Thread): string {
  const { event, trigger, index, head } = origin;
  const object = thread.nodeId || threadName(event.repository, thread);
  if (trigger === 'label') return `label:${object}:${event.label ?? ''}@${thread.updatedAt}`;
  if (trigger === 'assignee') return `assign:${object}:${event.assignee ?? ''}@${thread.updatedAt}`;
  const isPush = trigger === 'event' && event.action === 'synchronize';
  const added = isPush ? (head?.sha ?? '') : `${textOf(origin)}${index}`;
  return `${event.action ?? 'event'}:${object}:${added}`;
}

/** Each edit of a text is its own request. */
function textOf({ event: { before, comment, thread } }: Origin): string {
  if (before === undefined) return '';
  const text = comment?.body ?? thread?.body ?? '';
  return `edit-${hash('sha256', text).slice(0, 16)}:`;
}

function workflowId({ runId, job, step, key }: WorkflowStep): string {
  return `workflow:${runId}:${job}:${step}:${key}`;
}

/**
 * Where the commits go when a run works on somebody's pull request (github.md, "Work on somebody's
 * pull request").
 */
export const ON_PULL_REQUEST = ['push', 'stack'] as const;
export type OnPullRequest = (typeof ON_PULL_REQUEST)[number];

/** Metadata key of the thread's id, which survives a rename or transfer of the repository. */
export const THREAD_ID = 'runlink.thread_id';

/** The metadata of every run that we start; a user's own pairs cannot replace it. */
export function requestMetadata(
  origin: Origin,
  own: Record<string, string> = {},
): Record<string, string> {
  const { event, head, workflow } = origin;
  const pairs: Record<string, string | undefined> = {
    'runlink.request': requestId(origin),
    'runlink.repository': repositoryName(event.repository),
    'runlink.thread': event.thread && threadName(event.repository, event.thread),
    [THREAD_ID]: event.thread?.nodeId,
    'runlink.url': webAddress(event),
    'runlink.comment': event.comment?.id,
    'runlink.comment_kind': event.comment?.kind,
    'runlink.actor': askerName(event),
    'runlink.event': event.action ? `${event.name}.${event.action}` : event.name,
    'runlink.sha': pinnedSha(origin),
    'runlink.head_ref': head?.ref,
    'runlink.pull_request': head && event.thread && String(event.thread.number),
    'runlink.workflow_run': workflow?.runId,
    'runlink.attempt': workflow && String(workflow.attempt),
  };
  const ours = Object.entries(pairs).flatMap(([key, value]) =>
    value ? [[key, short(value)] as const] : [],
  );
  return { ...own, ...Object.fromEntries(ours) };
}

/** The page of what asked; undefined if it is too long, because a cut URL leads nowhere. */
function webAddress({ comment, thread }: GithubEvent): string | undefined {
  const url = comment?.url || thread?.url;
  return url && Buffer.byteLength(url) <= VALUE_MAX_BYTES ? url : undefined;
}

/** The head commit at the time of the request (github.md, "Commands"). */
function pinnedSha({ event, head }: Origin): string | undefined {
  return head?.sha ?? event.checks?.sha ?? event.sha;
}

/** Returns the value, or its beginning and a digest if it is too long. */
function short(value: string): string {
  if (Buffer.byteLength(value) <= VALUE_MAX_BYTES) return value;
  const digest = hash('sha256', value).slice(0, 32);
  let head = value.slice(0, VALUE_MAX_BYTES);
  while (Buffer.byteLength(head) > VALUE_MAX_BYTES - digest.length - 1) {
    head = head.slice(0, Math.max(0, head.length - 16));
  }
  return `${head.toWellFormed()}~${digest}`;
}

/** A title to recognise the run by in lists: the first line of the request. */
export function runTitle(prompt: string, event: GithubEvent): string {
  const [line = ''] = prompt.trim().split('\n', 1);
  const words = line.replaceAll(/\s+/g, ' ').trim();
  const title = words === '' ? (event.thread?.title ?? event.name) : words;
  return title.length > 120 ? `${title.slice(0, 119).toWellFormed()}…` : title;
}
