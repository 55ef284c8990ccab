import { readReviewFile, REVIEW_FILE, type ReviewFinding } from '../contract/review.ts';
import { repositoryName } from '../github/read/event.ts';
import { renderRefusal } from '../github/render/answer.ts';
import { findingText, readReviewMarker } from '../github/render/review.ts';
import { ourReviews } from '../github/write/review.ts';
import type { Face, Handled, Task } from './face.ts';
import { isRunFile, readFile } from './run-file.ts';
import { isOfPlace, orUndefined } from './thread-run.ts';

const READ_WITHIN_MS = 15_000;

/**
 * Turns the command `fix 3` into a prompt with the findings of that number in our last review here.
 */
export async function withFindings(face: Face, task: Task): Promise<Task | Handled> {
  const { command } = task;
  if (command.verb !== 'fix') return task;
  const numbers = numbersOf(command.prompt);
  const findings = await lastFindings(face);
  const unknown = numbers.filter((number) => findings[number - 1] === undefined);
  if (unknown.length > 0) {
    const detail = known(findings);
    const text = renderRefusal('no_finding', detail);
    return { reason: 'no_finding', detail, answer: { reaction: 'confused', text } };
  }
  const parts = numbers.map((number) => quoted(number, findings[number - 1]));
  const which = numbers.length === 1 ? 'this finding' : 'these findings';
  const prompt = `Fix ${which} of the review of this pull request.\n\n${parts.join('\n\n')}`;
  return { ...task, command: { ...command, verb: 'run', prompt } };
}

/** The numbers in a text such as `1, 3 and 5-7`, each once. */
function numbersOf(text: string): number[] {
  const parts = [...text.matchAll(/(\d{1,4})(?: ?(?:[-–]|to) ?#?(\d{1,4}))?/g)];
  const numbers = parts.flatMap(([, first, last = first]) => {
    const length = Math.max(1, Number(last) - Number(first) + 1);
    return Array.from({ length }, (_, at) => Number(first) + at);
  });
  return [...new Set(numbers)];
}

async function lastFindings(face: Face): Promise<readonly ReviewFinding[]> {
  const { event, github } = face;
  if (!github || event.thread?.kind !== 'pull_request') return [];
  const place = { repository: repositoryName(event.repository), number: event.thread.number };
  const reviews = await ourReviews(github, place, await face.login());
  const mark = readReviewMarker(reviews.at(-1)?.body ?? '');
  if (!mark || !(await isOfRunHere(face, mark))) return [];
  const options = face.patience(READ_WITHIN_MS);
  const left = await orUndefined(() => readFile(face.service, mark.artifact, REVIEW_FILE, options));
  const read = left && 'value' in left ? readReviewFile(left.value) : undefined;
  return read && 'review' in read ? read.review.comments : [];
}

/**
 * Checks that the file belongs to a run of this place: others that write under our name could name
 * any file of the team.
 */
async function isOfRunHere(
  face: Face,
  mark: { runId: string; artifact: string },
): Promise<boolean> {
  const options = face.patience(READ_WITHIN_MS);
  const run = await orUndefined(() => face.service.runs.get(mark.runId, options));
  return run !== undefined && isRunFile(run, REVIEW_FILE, mark.artifact) && isOfPlace(face, run);
}

function known({ length }: readonly ReviewFinding[]): string {
  if (length === 0) return 'There is no review of a run with findings here.';
  return length === 1 ? 'It has one finding, number 1.' : `It has findings 1 to ${length}.`;
}

function quoted(number: number, finding: ReviewFinding | undefined): string {
  const lines = finding ? findingText(finding).split('\n') : [];
  return [`Finding ${number}:`, ...lines.map((line) => `> ${line}`)].join('\n');
}
