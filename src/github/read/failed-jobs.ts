import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';
import { errorMessage } from '../../base/error.ts';
import { sameName, type Checks, type GithubEvent } from './event.ts';
import { readLogEnd } from './log-end.ts';
import { ask, statusOf, type Github } from './octokit.ts';
import { githubId } from './payload.ts';

export interface FailedJob {
  name: string;
  url: string;
  conclusion: string;
  /** Names of the steps that failed. */
  steps: string[];
  /** The last lines of the log; or what the check itself reports, title first, in Markdown. */
  lines: string;
  isLog: boolean;
}

/** How many jobs are shown, and how much of each log. */
const JOBS_MAX = 3;
const LINES_MAX = 60;
const LETTERS_MAX = 10_000;
/** A matrix has up to 256 jobs. */
const PAGES_MAX = 5;
const PAGE = 100;
const FAILURES = ['failure', 'timed_out', 'startup_failure'];

const ended = {
  id: githubId,
  name: z.string(),
  html_url: z.string().nullish(),
  conclusion: z.string().nullish(),
};
const workflowJobs = z.object({
  jobs: z.array(
    z.object({
      ...ended,
      steps: z.array(z.object({ name: z.string(), conclusion: z.string().nullish() })).nullish(),
    }),
  ),
});
const said = z.string().nullish();
const checkRuns = z.object({
  check_runs: z.array(
    z.object({
      ...ended,
      output: z.object({ title: said, summary: said, text: said }).nullish(),
      app: z.object({ slug: z.string().nullish() }).nullish(),
      check_suite: z.object({ id: githubId }).nullish(),
    }),
  ),
});

/**
 * The failing jobs of a workflow run, or the failing checks of a suite, with the end of their logs.
 */
export async function failedJobs(
  github: Github,
  { repository: { owner, name: repo } }: GithubEvent,
  checks: Checks,
): Promise<FailedJob[]> {
  const find = checks.kind === 'workflow_run' ? findJobs : findChecks;
  const found = await find(github, { owner, repo }, checks);
  return Promise.all(found.slice(0, JOBS_MAX).map(async (read) => read()));
}

type Place = { owner: string; repo: string };

async function findJobs(
  github: Github,
  place: Place,
  checks: Checks,
): Promise<(() => Promise<FailedJob>)[]> {
  const route = 'GET /repos/{owner}/{repo}/actions/runs/{run_id}/jobs';
  const query = { ...place, run_id: checks.id, filter: 'latest', per_page: PAGE };
  const jobs = await readPages(
    async (page) => workflowJobs.parse(await ask(github, route, { ...query, page })).jobs,
    isFailing,
  );
  return jobs.map((job) => async () => ({
    ...headOf(job),
    steps: (job.steps ?? []).filter(isFailing).map((step) => step.name),
    lines: await jobLog(github, { ...place, job_id: job.id }),
    isLog: true,
  }));
}

/**
 * A check of GitHub Actions is a job with the same id; a check of another App describes its failure
 * itself.
 */
async function findChecks(
  github: Github,
  place: Place,
  checks: Checks,
): Promise<(() => Promise<FailedJob>)[]> {
  const route = 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs';
  const query = { ...place, ref: checks.sha, status: 'completed', per_page: PAGE };
  const found = await readPages(
    async (page) => checkRuns.parse(await ask(github, route, { ...query, page })).check_runs,
    ({ conclusion, id: own, check_suite: suite }) =>
      isFailing({ conclusion }) &&
      checks.id === (checks.kind === 'check_run' ? own : (suite?.id ?? checks.id)),
  );
  return found.map((check) => async () => {
    const isLog = sameName(check.app?.slug ?? '', 'github-actions');
    const { title, summary, text } = check.output ?? {};
    const lines = isLog
      ? await jobLog(github, { ...place, job_id: check.id })
      : [title, summary, text].filter(Boolean).join('\n');
    return { ...headOf(check), steps: [], lines, isLog };
  });
}

/** The wanted items of a list, until there are as many as are shown. */
async function readPages<Item>(
  read: (page: number) => Promise<Item[]>,
  isWanted: (item: Item) => boolean,
): Promise<Item[]> {
  const found: Item[] = [];
  for (let page = 1; page <= PAGES_MAX && found.length < JOBS_MAX; page += 1) {
    const items = await read(page);
    found.push(...items.filter(isWanted));
    if (items.length < PAGE) break;
  }
  return found;
}

/** Whether a job, check or suite failed, as opposed to being cancelled or skipped. */
export function isFailing({ conclusion }: { conclusion?: string | null | undefined }): boolean {
  return FAILURES.includes(conclusion ?? '');
}

function headOf({
  name,
  html_url: url,
  conclusion,
}: Pick<
  z.output<typeof checkRuns>['check_runs'][number],
  'name' | 'html_url' | 'conclusion'
>): Pick<FailedJob, 'name' | 'url' | 'conclusion'> {
  return { name, url: url ?? '', conclusion: conclusion ?? '' };
}

async function jobLog(github: Github, job: Parameters<typeof readLogEnd>[1]): Promise<string> {
  try {
    return lastLines(await readLogEnd(github, job));
  } catch (error) {
    const status = statusOf(error);
    // An error of the log's store may contain the signed URL.
    const why = status === undefined ? errorMessage(error) : `GitHub answered ${status}`;
    return `(the log could not be read: ${why}${status === 410 ? ', it is kept no longer' : ''})`;
  }
}

/** The last lines, without timestamps, colours and the earlier states of progress bars. */
function lastLines(log: string): string {
  const lines = stripVTControlCharacters(log).trimEnd().split(/\r?\n/).slice(-LINES_MAX);
  const text = lines
    .map((line) => line.replace(/^\uFEFF?(?:\d{4}-\d\d-\d\dT[\d:.]+Z )?/, ''))
    .map((line) => line.slice(line.lastIndexOf('\r') + 1))
    .join('\n');
  return text.length > LETTERS_MAX ? `[…]${text.slice(-LETTERS_MAX)}` : text;
}
