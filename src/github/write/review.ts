import { z } from 'zod';
import { isInDiff, readDiffLines, type DiffLines } from '../read/diff-lines.ts';
import { sameName } from '../read/event.ts';
import { readGithubFailure } from '../read/github-failure.ts';
import { ask, listAll, splitRepository, statusOf, type Github } from '../read/octokit.ts';
import { githubId } from '../read/payload.ts';
import { readPullRequest, type PullRequest } from '../read/pull-requests.ts';
import { COMMENT_MAX } from '../render/cut.ts';
import { hasMarker } from '../render/marker.ts';
import {
  lineComment,
  listedFinding,
  readReviewMarker,
  type RenderedFinding,
  type ReviewContent,
} from '../render/review.ts';
import type { Ourselves, PostOf, Standing, Written } from './post.ts';
import { earlierFindings, settleEarlier, type Earlier } from './settle-review.ts';

type ReviewPost = PostOf<'review'>;

const ROUTE = '/repos/{owner}/{repo}/pulls/{number}/reviews';
/**
 * Each comment counts as created content, of which GitHub accepts 80 a minute, and a request with
 * hundreds of them ends in 502 (prontolabs/pronto#302). The most important findings come first.
 */
export const ON_LINES_MAX = 40;

/** Where each finding goes: on its lines, into the text, or into a comment that already exists. */
interface Sorted {
  onLines: RenderedFinding[];
  listed: RenderedFinding[];
  /** Findings that an earlier comment, still open, already reports. */
  kept: { finding: RenderedFinding; earlier: Earlier }[];
}

/**
 * Posts a review in one request, for the commit that its run worked on: findings on lines of the
 * diff as comments, all others in its text. GitHub refuses a whole review because of one bad line
 * (422); then everything goes into the text. A review posted by an earlier try is found by its
 * marker and author. Findings of earlier reviews are not repeated, and settled ones are resolved.
 */
export async function writeReview(
  github: Github,
  post: ReviewPost,
  { remoteId, mayExist }: Standing,
  us: Ourselves,
): Promise<Written> {
  if (remoteId !== undefined) return { id: remoteId, url: '' };
  const login = await us.login();
  const reviews = await ourReviews(github, post, login);
  const found = mayExist === false ? undefined : reviews.find((one) => isThis(one, post));
  const before = reviews.filter((one) => one !== found);
  const known = before.length === 0 ? [] : await earlierFindings(github, post, login);
  const earlier = known.filter((one) => !post.target.marker.includes(one.artifact));
  const pull = await readPullRequest(github, placeOf(post));
  if (!pull) throw Object.assign(new Error('The pull request is gone.'), { status: 404 });
  const sorted = sortFindings(
    post.content,
    earlier,
    await readDiffLines(github, pull, post.target.headSha),
  );
  const written = found ?? (await create(github, post, pull, sorted));
  const last = readReviewMarker(before.at(-1)?.body ?? '')?.version;
  const { settled } = post.content;
  await settleEarlier(github, { settled, last, earlier, before, kept: sorted.kept });
  return { id: written.id, url: written.html_url, login };
}

function placeOf({ repository, number }: ReviewPost): {
  owner: string;
  repo: string;
  number: number;
} {
  return { ...splitRepository(repository), number };
}

const review = z.object({
  id: githubId,
  node_id: z.string().default(''),
  html_url: z.string().default(''),
  body: z.string().nullish(),
  user: z.object({ login: z.string() }).nullish(),
});
export type StoredReview = z.output<typeof review>;

/** Our reviews that were made from a run's file, oldest first. */
export async function ourReviews(
  github: Github,
  { repository, number }: { repository: string; number: number },
  login: string,
): Promise<StoredReview[]> {
  const query = { ...splitRepository(repository), number };
  return z
    .array(review)
    .parse(await listAll(github, `GET ${ROUTE}`, query))
    .filter(({ body }) => hasMarker(body ?? '', '<!-- runlink note=review '))
    .filter(({ user }) => sameName(user?.login, login));
}

function isThis({ body }: StoredReview, { target }: ReviewPost): boolean {
  return hasMarker(body ?? '', target.marker);
}

function sortFindings(
  content: ReviewContent,
  earlier: readonly Earlier[],
  lines: DiffLines,
): Sorted {
  const findings = content.findings.map((finding) => {
    return { ...finding, path: lines.renamed.get(finding.path) ?? finding.path };
  });
  const kept: Sorted['kept'] = [];
  // Identical text first, so that another finding on the same line does not take its place.
  for (const isSame of [hasSameWords, isOnSameLine]) {
    for (const finding of findings) {
      if (kept.some((pair) => pair.finding === finding)) continue;
      const known = earlier.find(
        (one) => isSame(one, finding) && !kept.some((pair) => pair.earlier === one),
      );
      if (known) kept.push({ finding, earlier: known });
    }
  }
  const fresh = findings.filter((finding) => !kept.some((pair) => pair.finding === finding));
  const onLines = fresh.filter((finding) => isInDiff(lines, finding)).slice(0, ON_LINES_MAX);
  const listed = fresh.filter((finding) => !onLines.includes(finding));
  return { onLines, listed, kept: kept.toSorted((a, b) => a.finding.number - b.finding.number) };
}

function hasSameWords({ path, body }: Earlier, finding: RenderedFinding): boolean {
  return path === finding.path && body.includes(`\n\n${finding.text}\n`);
}

function isOnSameLine({ path, line }: Earlier, finding: RenderedFinding): boolean {
  const first = finding.startLine ?? finding.line;
  return path === finding.path && line !== undefined && first <= line && line <= finding.line;
}

async function create(
  github: Github,
  post: ReviewPost,
  pull: PullRequest,
  sorted: Sorted,
): Promise<StoredReview> {
  const commit_id = post.target.headSha;
  const onLines = { ...request(post, sorted), commit_id };
  const inText = request(post, {
    ...sorted,
    onLines: [],
    listed: [...sorted.onLines, ...sorted.listed].toSorted((a, b) => a.number - b.number),
  });
  const event = 'COMMENT';
  const tries = [
    onLines,
    // Nobody may approve their own pull request, and GITHUB_TOKEN only if the settings allow it.
    ...(post.content.event === event ? [] : [{ ...onLines, event }]),
    { ...inText, commit_id },
    // The reviewed commit may no longer be part of the pull request.
    { ...inText, event, commit_id: pull.headSha },
  ];
  for (const [at, parameters] of tries.entries()) {
    try {
      return review.parse(await ask(github, `POST ${ROUTE}`, { ...placeOf(post), ...parameters }));
    } catch (error) {
      const { kind } = readGithubFailure(error, Date.now());
      if (statusOf(error) !== 422 || kind === 'limit' || at === tries.length - 1) throw error;
    }
  }
  throw new Error('No try of a review was made.');
}

function request(post: ReviewPost, sorted: Sorted): Record<string, unknown> {
  const comments = sorted.onLines.map((finding) => {
    const { path, line, startLine, side } = finding;
    const start = startLine !== undefined && { start_line: startLine, start_side: side };
    return { path, line, side, ...start, body: lineComment(finding) };
  });
  return { event: post.content.event, body: bodyOf(post, sorted), comments };
}

function bodyOf({ target, content }: ReviewPost, { onLines, listed, kept }: Sorted): string {
  const { opening, closing } = content;
  const isFull = onLines.length === ON_LINES_MAX;
  const open = kept.map(({ finding, earlier }) => `- **${finding.number}** ${linkTo(earlier)}`);
  const head = [
    target.marker,
    opening,
    ...(open.length > 0 ? ['', 'Reported before and still open:', '', ...open] : []),
    ...(listed.length > 0
      ? [
          '',
          `Not on lines of this pull request’s changes${isFull ? `, or beyond the first ${ON_LINES_MAX}` : ''}:`,
        ]
      : []),
  ].join('\n');
  let room = COMMENT_MAX - head.length - closing.length - 200;
  const shown: string[] = [];
  for (const finding of listed) {
    const text = listedFinding(finding);
    room -= text.length + 4;
    if (room < 0) break;
    shown.push('', text);
  }
  const left = listed.length - shown.length / 2;
  const more = left > 0 ? ['', `${left} more are in the run’s review.json.`] : [];
  return [head, ...shown, ...more, '', closing].join('\n');
}

function linkTo({ url, path }: Earlier): string {
  const name = `\`${path.replaceAll(/[`\s]+/g, ' ')}\``;
  return /^https?:\/\/[^\s()<>"]+$/.test(url) ? `[${name}](${url})` : name;
}
