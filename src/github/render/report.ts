import { formatDuration } from '../../base/time.ts';
import { costText } from '../../contract/time-and-cost.ts';
import { isTerminal, type RunRead } from '../../contract/run.ts';
import type { ReportedPullRequest } from '../read/pull-requests.ts';
import { COMMENT_MAX } from './cut.ts';
import { inertLine } from './inert-line.ts';
import { inert } from './inert.ts';
import { noteMarker, runMarker } from './marker.ts';
import { progressLines, roughly, type Progress } from './progress.ts';
import { ENDINGS, presentState } from './state.ts';

/** Everything that a report shows; reports depend on nothing else (github.md, "Reports"). */
export interface Report {
  run: RunRead;
  /** `owner/repo#12` of the thread that shows the report. */
  thread: string | undefined;
  /** Login of the person who asked. */
  requester: string | undefined;
  pullRequests: readonly ReportedPullRequest[];
  /** The agent's last message. */
  finalMessage: string | undefined;
  /** The progress, on the comment of a working run. */
  progress?: Progress | undefined;
  /** Nobody watches the run any more, although it may still work. */
  unwatched: boolean;
  /** Sentences to add, such as that the service does not answer. */
  notes: readonly string[];
  /** First word of commands, for hints. */
  phrase: string;
  now: Date;
}

/** Longer final messages are folded. */
const FOLD_ABOVE = 1500;
const STATUS_MAX = 4000;
/** Space for everything but the agent's message. */
const FRAME_MAX = 12_000;

/** Milliseconds from the request, or its latest continuation, until the end or until now. */
export function durationMs(run: RunRead, now: Date): number | undefined {
  const from = Date.parse(run.executions?.at(-1)?.queued_at ?? run.created_at ?? '');
  const to = run.finished_at ? Date.parse(run.finished_at) : now.getTime();
  return Number.isFinite(from) && Number.isFinite(to) ? Math.max(0, to - from) : undefined;
}

/** The tracking comment: one per run and thread, with the marker first. */
export async function renderComment(report: Report): Promise<string> {
  const marker = runMarker({ runId: report.run.run_id, thread: report.thread });
  const body = await renderBody(report, COMMENT_MAX - marker.length - 1);
  return `${marker}\n${body}`;
}

/** The report without a marker, for summaries and checks; at most `max` UTF-16 units. */
export async function renderBody(report: Report, max: number): Promise<string> {
  const frame = [
    `### ${headline(report)}`,
    '',
    facts(report),
    ...(await statusLines(report)),
    ...(report.progress && !isTerminal(report.run.state) ? progressLines(report.progress) : []),
    ...pullRequestLines(report),
  ];
  const closing = ['', `<sub>${hint(report)}</sub>`];
  const room = max - [...frame, ...closing].join('\n').length - 200;
  const message = await messageLines(report, Math.min(room, max - FRAME_MAX));
  return [...frame, ...message, ...closing].join('\n');
}

export function headline({ run }: Report): string {
  const { icon, words } = presentState(run.state);
  const title = inertLine(run.title ?? '', 120);
  return `${icon} ${words}${title ? `: ${title}` : ''}`;
}

/** One line: state, duration, who asked, and links. */
function facts(report: Report): string {
  const { run, requester, now, progress } = report;
  const ms = durationMs(run, now);
  const hasEnded = isTerminal(run.state);
  const soFar = hasEnded ? formatDuration : progress && roughly;
  const parts = [
    `\`${run.state}\``,
    ms === undefined ? undefined : soFar?.(ms),
    hasEnded ? costText(run) : progress?.cost,
    requester && `asked by ${code(requester)}`,
    sessionLink(run) ? `[session](${sessionLink(run)})` : undefined,
    `run ${code(run.run_id)}`,
  ];
  return parts.filter((part) => part !== undefined && part !== '').join(' · ');
}

/** The session's URL, if it is safe to link. */
export function sessionLink(run: RunRead): string | undefined {
  const link = run.session_link ?? '';
  return /^https?:\/\/[^\s()<>"]+$/.test(link) ? link : undefined;
}

async function statusLines({ run, notes, finalMessage }: Report): Promise<string[]> {
  const status = run.status_message?.message.trim() ?? '';
  const lines = notes.flatMap((note) => ['', `> ${note}`]);
  if (status === '' || status === finalMessage?.trim()) return lines;
  return [...lines, '', await inert(status, STATUS_MAX)];
}

function pullRequestLines({ pullRequests }: Report): string[] {
  if (pullRequests.length === 0) return [];
  const items = pullRequests.map((pull) => {
    const state = pull.state === 'unknown' ? '' : ` (${pull.state})`;
    return `- ${linked(pull)}${pull.title ? ` ${inertLine(pull.title)}` : ''}${state}`;
  });
  return ['', pullRequests.length === 1 ? '**Pull request**' : '**Pull requests**', ...items];
}

/**
 * Links only pull requests that are proven to be the run's own, because GitHub shows a link on the
 * page it leads to.
 */
function linked({ url, number, repository, isOwn }: ReportedPullRequest): string {
  if (!isOwn) return code(url);
  const name = number === undefined ? url : `${repository ?? ''}#${number}`;
  return /^https?:\/\/[^\s()<>"]+$/.test(url) ? `[${name}](${url})` : code(url);
}

async function messageLines({ finalMessage, run }: Report, room: number): Promise<string[]> {
  const text = finalMessage?.trim() ?? '';
  if (text === '' || room < 200) return [];
  const shown = await inert(text, room);
  const wasCut = shown.length < text.length;
  const link = sessionLink(run);
  const whole = wasCut && link ? ['', `[The whole text](${link})`] : [];
  if (shown.length <= FOLD_ABOVE) return ['', shown, ...whole];
  const summary = '<details><summary>What the agent says</summary>';
  return ['', summary, '', shown, ...whole, '', '</details>'];
}

function hint({ run, phrase, thread }: Report): string {
  if (thread === undefined) return 'Runlink';
  const command = code(phrase);
  if (!isTerminal(run.state)) {
    return `Write ${code(`${phrase} cancel`)} to stop it, ${code(`${phrase} follow …`)} to add something.`;
  }
  if (run.state === 'BLOCKED')
    return `Answer with ${command} and your words; the run goes on from there.`;
  if (run.state === 'SUCCEEDED')
    return `Write ${command} and what else is to be done; the same run continues.`;
  return `Write ${code(`${phrase} retry`)} to try again, or ${command} and what to do differently.`;
}

function code(text: string): string {
  return `\`${text.replaceAll(/[`\s]+/g, ' ').trim()}\``;
}

/**
 * When a run ends, a reply notifies the person who asked if it took longer than this or is blocked
 * (github.md, "Reports").
 */
export const MENTION_AFTER_MS = 120_000;

export function deservesMention(report: Report): boolean {
  const { run, requester, now } = report;
  // A bot reads no mentions, and its name without brackets may be a person's login.
  if (!isTerminal(run.state) || !/^[\w-]+$/.test(requester ?? '')) return false;
  return run.state === 'BLOCKED' || (durationMs(run, now) ?? 0) > MENTION_AFTER_MS;
}

/** Marker of the mention for this end of the run, so that it is posted only once. */
export function mentionMarker({ run }: Report): string {
  return noteMarker('ended', `${run.run_id}:${run.finished_at ?? run.state}`);
}

/**
 * The short reply that mentions the person who asked, because editing the tracking comment notifies
 * nobody.
 */
export async function renderMention(
  report: Report,
  commentUrl: string | undefined,
): Promise<string> {
  const { run, requester = '' } = report;
  const { icon, words } = presentState(run.state);
  const status = run.state === 'BLOCKED' ? (run.status_message?.message.trim() ?? '') : '';
  const pulls = report.pullRequests.map(linked).join(', ');
  const details = commentUrl ? ` [Details](${commentUrl}).` : '';
  const line = `@${requester} ${icon} ${words}${pulls ? `: ${pulls}` : ''}.${details}`;
  const question = status ? `\n\n${await inert(status, STATUS_MAX)}` : '';
  return `${mentionMarker(report)}\n${line}${question}`;
}

export function endingReaction(state: string): 'rocket' | '-1' | 'confused' | 'eyes' {
  return isTerminal(state) ? ENDINGS[state].reaction : 'eyes';
}
