import type { ReviewFile, ReviewFinding } from '../../contract/review.ts';
import type { RunRead } from '../../contract/run.ts';
import { inert } from './inert.ts';
import { noteMarker } from './marker.ts';
import { sessionLink } from './report.ts';

/**
 * The strongest verdict allowed, weakest first. A review with a stronger one is posted as a
 * comment.
 */
export const REVIEW_VERDICTS = ['comment', 'request-changes', 'approve'] as const;
export type ReviewVerdict = (typeof REVIEW_VERDICTS)[number];

/** The content of a review. The writer decides which findings GitHub accepts on lines. */
export interface ReviewContent {
  event: 'COMMENT' | 'REQUEST_CHANGES' | 'APPROVE';
  /** Verdict and summary. */
  opening: string;
  closing: string;
  findings: RenderedFinding[];
  /** Numbers of the previous review's findings that are settled now. */
  settled: number[];
}

export interface RenderedFinding {
  number: number;
  /** First line of the finding's comment. */
  marker: string;
  path: string;
  line: number;
  startLine: number | undefined;
  side: 'LEFT' | 'RIGHT';
  text: string;
  /** Code that replaces these lines when somebody applies the suggestion. */
  suggestion: string | undefined;
  /** How to have the finding fixed. */
  hint: string;
}

/** Where a review comes from: its run and its pull request. */
export interface ReviewOrigin {
  run: RunRead;
  /** Id of the file with the review. */
  artifact: string;
  /** `owner/name`. */
  repository: string;
  number: number;
  /** URL of the pull request. */
  url: string;
  phrase: string;
}

const SUMMARY_MAX = 30_000;
const TEXT_MAX = 12_000;
/** Browsers and servers accept URLs of a few thousand characters. */
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
/**
 * Characters that hide or reorder text: a person could not see what applying the suggestion puts
 * into the code.
 */
const HIDES = /\p{Bidi_Control}|(?!\uFE0F)\p{Default_Ignorable_Code_Point}/u;

const REVIEW = 'review';

/** First line of a review: the run, and the file that it was made from. */
export function reviewMarker(runId: string, artifact: string): string {
  return noteMarker(REVIEW, `${runId}:${artifact}`);
}

const MARKER = /^\s*<!-- runlink note=review key=([^\s:]+):([^\s:]+) -->/;
/** The digest after a file's id, which tells its versions apart. */
const VERSION = /\.[0-9a-f]{16}$/;
const FINDING = /^\s*<!-- runlink note=finding key=([^\s:]+):([^\s:]+):(\d+) -->/;

/** The run, file and version that one of our reviews was made from. */
export function readReviewMarker(
  body: string,
): { runId: string; artifact: string; version: string } | undefined {
  const [, runId, version] = MARKER.exec(body) ?? [];
  if (runId === undefined || version === undefined) return undefined;
  return { runId, artifact: version.replace(VERSION, ''), version };
}

/** The review and finding that one of our comments is about. */
export function readFindingMarker(body: string): { artifact: string; number: number } | undefined {
  const [, , artifact, number] = FINDING.exec(body) ?? [];
  return artifact === undefined ? undefined : { artifact, number: Number(number) };
}

/** A review as it is posted; nothing that the agent wrote takes effect (threats.md G21). */
export async function renderReview(
  review: ReviewFile,
  origin: ReviewOrigin,
  allowed: ReviewVerdict,
): Promise<ReviewContent> {
  const { event, needs } = EVENTS[review.verdict];
  const mayGive = REVIEW_VERDICTS.indexOf(needs) <= REVIEW_VERDICTS.indexOf(allowed);
  const summary = await inert(review.summary, SUMMARY_MAX);
  const findings: RenderedFinding[] = [];
  // One at a time, because only a limited number may wait for the thread that makes Markdown
  // harmless.
  for (const [at, finding] of review.comments.entries())
    findings.push(await renderFinding(finding, at + 1, origin));
  const link = sessionLink(origin.run);
  const run = link ? `[the run](${link})` : `run \`${origin.run.run_id}\``;
  const fix =
    findings.length === 0
      ? ''
      : ` Write \`${origin.phrase} fix 1\`, or several numbers, to have findings fixed.`;
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
    // GitHub refuses a range that is a single line.
    startLine: start == null || start === line ? undefined : start,
    side,
    text: await inert(finding.text, TEXT_MAX),
    suggestion: finding.suggestion?.replaceAll('\0', ''),
    hint: `<sub>${link ? `[Fix this](${link}) in a run that you check before it starts, or write ${command}: both fix it on this branch` : `Write ${command} to have it fixed`}</sub>`,
  };
}

/** The comment on a finding's lines. */
export function lineComment({ marker, number, text, suggestion, hint }: RenderedFinding): string {
  const change = suggestion === undefined ? [] : ['', offered(suggestion)];
  return [marker, `**${number}**`, '', text, ...change, '', hint].join('\n');
}

/** A finding in the text of the review, if GitHub accepts no comment on its lines. */
export function listedFinding(finding: RenderedFinding): string {
  const { number, text, suggestion } = finding;
  const change = suggestion === undefined ? [] : ['', codeBlock('', suggestion)];
  return [`**${number}** ${findingPlace(finding)}`, '', text, ...change].join('\n');
}

/** Such as `src/price.js` lines 3 to 5. */
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
  return `This suggestion contains characters that hide or reorder text, so there is no button to apply it:\n\n${codeBlock('', suggestion)}`;
}

/**
 * A code block with a fence longer than any inside, because a suggestion must stay exactly as it
 * is.
 */
function codeBlock(info: string, code: string): string {
  const longest = [...code.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${info}\n${code === '' || code.endsWith('\n') ? code : `${code}\n`}${fence}`;
}

/**
 * URL of our own service's page for a new run, with the finding filled in; undefined if sessions
 * are elsewhere. The new run works on the same pull request as the review's run (github.md, "Work
 * on somebody's pull request").
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

/** Escapes a character that would end a Markdown link or change its text. */
function inAddress(mark: string): string {
  return `%${mark.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** A finding as text for a run. */
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
