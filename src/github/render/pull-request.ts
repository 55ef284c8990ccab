import { sameName } from '../read/event.ts';
import { inertLine } from './inert-line.ts';
import { inert } from './inert.ts';
import { runMarker } from './marker.ts';

export interface PullRequestText {
  runId: string;
  sessionLink: string;
  /** First line of the request. */
  title: string;
  /** The agent's closing words, shown inert. */
  message: string;
  requester?: string | undefined;
  /** `owner/repo#12` of the thread where it was asked for. */
  thread?: string | undefined;
  /** Number of the pull request whose commits this builds on. */
  goesOnFrom?: number | undefined;
  /** Number of the issue that merging it closes. */
  closes?: number | undefined;
}

const TITLE_MAX = 240;
const MESSAGE_MAX = 20_000;

/**
 * The issue that a run's pull request should close: the one where it was asked for, in the same
 * repository, if the repository wants that. None for work on somebody's pull request (threats.md
 * G22).
 */
export function issueToClose(
  metadata: Record<string, string>,
  { owner, name, pull }: { owner: string; name: string; pull?: number | undefined },
): number | undefined {
  const { 'runlink.closes': wish = '', 'runlink.thread': thread } = metadata;
  if (!/^[1-9]\d{0,9}$/.test(wish) || pull !== undefined) return undefined;
  if (metadata['runlink.pull_request'] !== undefined) return undefined;
  return sameName(thread, `${owner}/${name}#${wish}`) ? Number(wish) : undefined;
}

/**
 * Title and body of a run's pull request. Nothing in the agent's words can close an issue or
 * mention a person.
 */
export async function renderPullRequest(
  text: PullRequestText,
): Promise<{ title: string; body: string }> {
  const [line = ''] = text.title.trim().split('\n', 1);
  const lines = [
    runMarker({ runId: text.runId, thread: text.thread }),
    (await inert(text.message, MESSAGE_MAX)).trim(),
    ...(text.goesOnFrom === undefined ? [] : ['', `Builds on #${text.goesOnFrom}.`]),
    ...(text.closes === undefined ? [] : ['', `Fixes #${text.closes}.`]),
    '',
    '---',
    `Run [\`${text.runId}\`](${text.sessionLink})${askedBy(text)}`,
    '',
    'Comment on this pull request to send the same run more work.',
  ];
  return { title: line.slice(0, TITLE_MAX).toWellFormed(), body: lines.join('\n') };
}

/**
 * Where and by whom the run was asked for. Whoever starts a run chooses these values, so the thread
 * is checked.
 */
function askedBy({ thread = '', requester = '' }: PullRequestText): string {
  const where = /^[\w.-]+\/[\w.-]+#\d+$/.test(thread) ? ` · asked on ${thread}` : '';
  return requester === '' ? where : `${where} by ${inertLine(requester)}`;
}
