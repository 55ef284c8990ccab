import { errorMessage } from '../../base/error.ts';
import type { Checks, GithubEvent } from './event.ts';
import type { Github } from './octokit.ts';

export interface FailedJob {
  name: string;
  url: string;
  conclusion: string;
  /** Names of the steps that failed. */
  steps: string[];
  /** Last lines of the log, oldest first; or what the check itself says. */
  lines: string;
}

/** Jobs whose logs are read, and how much of each is shown. */
const JOBS_MAX = 3;
const LINES_MAX = 60;
/** What is read of a log's end; logs have tens of megabytes. */
const END_CHARS = 100_000;
const FAILING = ['failure', 'timed_out', 'startup_failure', 'action_required'];

/** The failing jobs of a workflow run, or the failing checks of a suite, with the end of their logs. */
export async function failedJobs(
  github: Github,
  event: GithubEvent,
  checks: Checks,
): Promise<FailedJob[]> {
  return checks.kind === 'workflow_run'
    ? failedWorkflowJobs(github, event, checks)
    : failedChecks(github, event, checks);
}

async function failedWorkflowJobs(
  github: Github,
  { repository }: GithubEvent,
  checks: Checks,
): Promise<FailedJob[]> {
  const place = { owner: repository.owner, repo: repository.name };
  const { data } = await github.request('GET /repos/{owner}/{repo}/actions/runs/{run_id}/jobs', {
    ...place,
    run_id: checks.id,
    filter: 'latest',
    per_page: 100,
  });
  const failing = data.jobs.filter((job) => FAILING.includes(job.conclusion ?? ''));
  return Promise.all(
    failing.slice(0, JOBS_MAX).map(async (job) => ({
      name: job.name,
      url: job.html_url ?? '',
      conclusion: job.conclusion ?? '',
      steps: (job.steps ?? [])
        .filter((step) => FAILING.includes(step.conclusion ?? ''))
        .map((step) => step.name),
      lines: await jobLog(github, place, Number(job.id)),
    })),
  );
}

async function jobLog(
  github: Github,
  place: { owner: string; repo: string },
  jobId: number,
): Promise<string> {
  try {
    const { data } = await github.request('GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs', {
      ...place,
      job_id: jobId,
    });
    return lastLines(String(data));
  } catch (error) {
    return `(the log could not be read: ${errorMessage(error)})`;
  }
}

/** Time stamps say nothing to the agent, and colours even less. */
function lastLines(log: string): string {
  const plain = log
    .slice(-END_CHARS)
    .replaceAll('\u001B', '')
    .replaceAll(/\[[\d;]*m/g, '')
    .trimEnd();
  return plain
    .split(/\r?\n/)
    .slice(-LINES_MAX)
    .map((line) => line.replace(/^\uFEFF?\d{4}-\d\d-\d\dT[\d:.]+Z /, ''))
    .join('\n');
}

async function failedChecks(
  github: Github,
  { repository }: GithubEvent,
  checks: Checks,
): Promise<FailedJob[]> {
  const { data } = await github.request('GET /repos/{owner}/{repo}/commits/{ref}/check-runs', {
    owner: repository.owner,
    repo: repository.name,
    ref: checks.sha,
    per_page: 100,
  });
  return data.check_runs
    .filter((check) => FAILING.includes(check.conclusion ?? ''))
    .slice(0, JOBS_MAX)
    .map((check) => ({
      name: check.name,
      url: check.html_url ?? '',
      conclusion: check.conclusion ?? '',
      steps: [],
      lines: lastLines(
        [check.output.title, check.output.summary, check.output.text].filter(Boolean).join('\n'),
      ),
    }));
}
