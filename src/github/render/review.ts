import type { ReviewFile, ReviewFinding } from '../../contract/review.ts';
import type { RunRead } from '../../contract/run.ts';
import { inert } from './inert.ts';
import { noteMarker } from './marker.ts';
import { sessionLink } from './report.ts';

/** How far reviews may go, weakest first; what goes further is posted as a comment. */
export const REVIEW_VERDICTS = ['comment', 'request-changes', 'approve'] as const;
export type ReviewVerdict = (typeof REVIEW_VERDICTS)[number];

/** What a review says, for whoever writes it to sort by what GitHub takes on lines. */
export interface ReviewContent {
  event: 'COMMENT' | 'REQUEST_CHANGES' | 'APPROVE';
  /** Verdict and summary. */
  opening: string;
  closing: string;
  findings: RenderedFinding[];
  /** Numbers of the review before that are settled now. */
  settled: number[];
}

export interface RenderedFinding {
  number: number;
  /** First line of its comment. */
  marker: string;
  path: string;
  line: number;
  startLine: number | undefined;
  side: 'LEFT' | 'RIGHT';
  text: string;
  /** Ready to be applied by a press on the lines it stands on. */
  suggestion: string | undefined;
  /** How to have it mended. */
  hint: string;
}

/** The run and thread that a review comes from. */
export interface ReviewOrigin {
  run: RunRead;
  /** Id of the file that it was read from. */
  artifact: string;
  /** `owner/name`. */
  repository: string;
  number: number;
  /** Address of the pull request. */
  url: string;
  phrase: string;
}

const SUMMARY_MAX = 30_000;
const TEXT_MAX = 12_000;
/** Browsers and servers take addresses of some thousand characters. */
const PROMPT_MAX = 1200;
const VERDICTS = {
  approve: '✅ Review: looks good',
  request_changes: '🔴 Review: changes are needed',
  comment: '🔎 Review',
} as const;
const EVENTS = {
  approve: { event: 'APPROVE', needs: 'approve' },
  request_changes: { event: 'REQUEST_CHANGES', needs: 'request-changes' },
  comment: { event: 'COMMENT', needs: 'comment' },
} as const;
/** Characters that hide or reorder text: nobody sees what a press would put into the code. */
const HIDES = /\p{Bidi_Control}|(?!\uFE0F)\p{Default_Ignorable_Code_Point}/u;

const REVIEW = 'review';

/** First line of a review: which file of which run it was made from. */
export function reviewMarker(runId: string, artifact: string): string {
  return noteMarker(REVIEW, `${runId}:${artifact}`);
}

const MARKER = /^\s*<!-- runlink note=review key=([^\s:]+):([^\s:]+) -->/;
/** What tells one content of a file from the next, behind its id. */
const VERSION = /\.[0-9a-f]{16}$/;
const FINDING = /^\s*<!-- runlink note=finding key=([^\s:]+):([^\s:]+):(\d+) -->/;

/** The run and file that a review of ours was made from, and the version of it. */
export function readReviewMarker(
  body: string,
): { runId: string; artifact: string; version: string } | undefined {
  const [, runId, version] = MARKER.exec(body) ?? [];
  if (runId === undefined || version === undefined) return undefined;
  return { runId, artifact: version.replace(VERSION, ''), version };
}

/** Which finding of which review a comment of ours is. */
export function readFindingMarker(body: string): { artifact: string; number: number } | undefined {
  const [, , artifact, number] = FINDING.exec(body) ?? [];
  return artifact === undefined ? undefined : { artifact, number: Number(number) };
}

/** A review as it is posted: whatever the agent wrote is inert (threats.md G21). */
export async function renderReview(
  review: ReviewFile,
  origin: ReviewOrigin,
  allowed: ReviewVerdict,
): Promise<ReviewContent> {
  const { event, needs } = EVENTS[review.verdict];
  const mayGive = REVIEW_VERDICTS.indexOf(needs) <= REVIEW_VERDICTS.indexOf(allowed);
  const summary = await inert(review.summary, SUMMARY_MAX);
  const findings: RenderedFinding[] = [];
  // Only so many may wait for the thread that makes Markdown inert.
  for (const [at, finding] of review.comments.entries())
    findings.push(await renderFinding(finding, at + 1, origin));
  const link = sessionLink(origin.run);
  const run = link ? `[the run](${link})` : `run \`${origin.run.run_id}\``;
  const fix =
    findings.length === 0
      ? ''
      : ` Write \`${origin.phrase} fix 1\`, or several numbers, to have findings mended.`;
  return {
    event: mayGive ? event : 'COMMENT',
    opening: `### ${VERDICTS[review.verdict]}\n\n${summary}`,
    closing: `<sub>From ${run}.${fix}</sub>`,
    findings,
    settled: review.settled,
  };
}

async function renderFinding(
  finding: ReviewFinding,
  number: number,
  origin: ReviewOrigin,
): Promise<RenderedFinding> {
  const { path, line, start_line: start, side } = finding;
  const key = `${origin.run.run_id}:${origin.artifact}:${number}`;
  const link = fixLink(finding, number, origin);
  const command = `\`${origin.phrase} fix ${number}\``;
  return {
    number,
    marker: noteMarker('finding', key),
    path,
    line,
    // GitHub refuses one line that is given as several.
    startLine: start == null || start === line ? undefined : start,
    side,
    text: await inert(finding.text, TEXT_MAX),
    suggestion: finding.suggestion?.replaceAll('\0', ''),
    hint: `<sub>${link ? `[Fix this](${link}) in a run that you look over first, or write ${command}: both mend it on this branch` : `Write ${command} to have it mended`}</sub>`,
  };
}

/** The comment on the lines of a finding. */
export function lineComment({ marker, number, text, suggestion, hint }: RenderedFinding): string {
  const change = suggestion === undefined ? [] : ['', offered(suggestion)];
  return [marker, `**${number}**`, '', text, ...change, '', hint].join('\n');
}

/** A finding in the text of the review, for want of a line of the diff. */
export function listedFinding(finding: RenderedFinding): string {
  const { number, text, suggestion } = finding;
  const change = suggestion === undefined ? [] : ['', codeBlock('', suggestion)];
  return [`**${number}** ${findingPlace(finding)}`, '', text, ...change].join('\n');
}

/** `src/price.js`, lines 3 to 5, as code. */
export function findingPlace({
  path,
  line,
  startLine,
}: Pick<RenderedFinding, 'path' | 'line' | 'startLine'>): string {
  const lines = startLine === undefined ? `line ${line}` : `lines ${startLine} to ${line}`;
  return `\`${path.replaceAll(/[`\s]+/g, ' ').trim()}\` ${lines}`;
}

function offered(suggestion: string): string {
  if (!HIDES.test(suggestion)) return codeBlock('suggestion', suggestion);
  return `What it suggests holds characters that hide or reorder text, so it cannot be applied by a press:\n\n${codeBlock('', suggestion)}`;
}

/** The fence is longer than any inside: a suggestion must come out letter by letter. */
function codeBlock(info: string, code: string): string {
  const longest = [...code.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${info}\n${code === '' || code.endsWith('\n') ? code : `${code}\n`}${fence}`;
}

/**
 * Where a new run begins with the finding filled in, on the pages of our own service: another's sessions
 * are elsewhere. It works where the review's own run does (github.md, "Work on somebody's pull request").
 */
function fixLink(
  finding: ReviewFinding,
  number: number,
  { run, repository, number: pull, url }: ReviewOrigin,
): string | undefined {
  const session = URL.parse(sessionLink(run) ?? '');
  const [, base] = /^(.*)\/runs\/[^/]+$/.exec(session?.pathname ?? '') ?? [];
  if (!session || base === undefined) return undefined;
  const about = `Fix finding ${number} of the review of pull request #${pull} of ${repository}${url && ` (${url})`}.`;
  const words = `${about}\n\n${findingText(finding)}`;
  const environment = run.agent_config?.environment_id;
  const query = new URLSearchParams({
    prompt: words.length > PROMPT_MAX ? `${words.slice(0, PROMPT_MAX).toWellFormed()}…` : words,
    ...(environment && { environment }),
    on: run.run_id,
  });
  return `${session.origin}${base}/new?${String(query).replaceAll(/[()'*]/g, inAddress)}`;
}

/** Marks that end a Markdown link, or mean something in its words. */
function inAddress(mark: string): string {
  return `%${mark.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** A finding as a run is told of it. */
export function findingText({
  path,
  line,
  start_line: start,
  text,
  suggestion,
}: ReviewFinding): string {
  const lines = start == null ? `line ${line}` : `lines ${start} to ${line}`;
  const change = suggestion == null ? '' : `\n\nSuggested instead:\n${suggestion}`;
  return `${path}, ${lines}:\n${text}${change}`;
}
