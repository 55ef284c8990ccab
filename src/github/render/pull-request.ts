import { sameName } from '../read/event.ts';
import { inertLine } from './inert-line.ts';
import { inert } from './inert.ts';
import { runMarker } from './marker.ts';

export interface PullRequestText {
  runId: string;
  sessionLink: string;
  /** First line of what was asked. */
  title: string;
  /** The agent's closing words, shown inert. */
  message: string;
  requester?: string | undefined;
  /** `owner/repo#12` the request was made on. */
  thread?: string | undefined;
  /** Number of the pull request whose commits the work begins at. */
  goesOnFrom?: number | undefined;
  /** Number of the issue that it closes when it is merged. */
  closes?: number | undefined;
}

const TITLE_MAX = 240;
const MESSAGE_MAX = 20_000;

/**
 * The issue that a run's pull request is to close: the one it was asked in, of that very repository, where the
 * repository wishes it. None for work on somebody's pull request (threats.md G22).
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

/** Title and body of a run's pull request. Nothing that the agent wrote in it closes an issue or calls a person. */
export async function renderPullRequest(
  text: PullRequestText,
): Promise<{ title: string; body: string }> {
  const [line = ''] = text.title.trim().split('\n', 1);
  const lines = [
    runMarker({ runId: text.runId, thread: text.thread }),
    (await inert(text.message, MESSAGE_MAX)).trim(),
    ...(text.goesOnFrom === undefined ? [] : ['', `Goes on from #${text.goesOnFrom}.`]),
    ...(text.closes === undefined ? [] : ['', `Fixes #${text.closes}.`]),
    '',
    '---',
    `Run [\`${text.runId}\`](${text.sessionLink})${askedBy(text)}`,
    '',
    'Comment on this pull request to send the same run more work.',
  ];
  return { title: line.slice(0, TITLE_MAX).toWellFormed(), body: lines.join('\n') };
}

/** Whoever starts a run says on which thread, in words of their own. */
function askedBy({ thread = '', requester = '' }: PullRequestText): string {
  const where = /^[\w.-]+\/[\w.-]+#\d+$/.test(thread) ? ` · asked on ${thread}` : '';
  return requester === '' ? where : `${where} by ${inertLine(requester)}`;
}
