import { hash } from 'node:crypto';
import { z } from 'zod';
import { errorMessage } from '../base/error.ts';
import { ask } from '../github/read/octokit.ts';
import { debug } from './log.ts';
import type { Step } from './step-context.ts';

const job = z.object({ name: z.string() });

/**
 * A name for this job that differs from the other jobs of its workflow run and stays the same in
 * each attempt. GITHUB_JOB will not do: it repeats across a matrix and across calls of a reusable
 * workflow. GitHub knows the full name by the job's check run; if GitHub cannot be asked, the hash
 * of the prompt is used.
 */
export async function jobName(step: Step): Promise<string> {
  const { github, settings, runner, event } = step;
  const { owner, name: repo } = event.repository;
  const jobId = settings.checkRunId;
  try {
    if (github && jobId !== '') {
      const route = 'GET /repos/{owner}/{repo}/actions/jobs/{jobId}';
      return job.parse(await ask(github, route, { owner, repo, jobId })).name;
    }
  } catch (error) {
    if (step.signal.aborted) throw step.signal.reason;
    debug(`The job’s name could not be read: ${errorMessage(error)}`);
  }
  const { instruction, skill, runId, environment } = settings;
  const asked = JSON.stringify([instruction, skill, runId, environment]);
  const digest = hash('sha256', asked);
  return `${runner.step.job}~${digest.slice(0, 16)}`;
}
