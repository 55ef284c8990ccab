import type { Client } from '../client/connect.ts';
import { isProblem } from '../client/error.ts';
import type { CallOptions } from '../client/send.ts';
import type { ReportedPullRequest } from '../github/read/pull-requests.ts';
import { finalMessage } from '../github/render/final-message.ts';

/** Longest title of an external reference that is reported. */
const TITLE_MAX = 1000;

/**
 * The agent's last message. Services keep no conversation of some runs (404, 422); that is no
 * failure.
 */
export async function lastWords(
  service: Client,
  runId: string,
  options: CallOptions,
): Promise<string | undefined> {
  try {
    return finalMessage(await service.runs.conversation(runId, options));
  } catch (error) {
    if (isProblem(error, 'resource_not_found')) return undefined;
    if (isProblem(error, 'operation_not_supported')) return undefined;
    throw error;
  }
}

/**
 * Reports a run's pull request to the service, so that commands there find its run (interface.md
 * 4.2).
 */
export async function reportPullRequest(
  service: Client,
  runId: string,
  { url, title }: Pick<ReportedPullRequest, 'url'> & { title: string | null | undefined },
  options: CallOptions,
): Promise<void> {
  const data = {
    reference_type: 'github_pull_request',
    url,
    ...(title && { title: title.slice(0, TITLE_MAX).toWellFormed() }),
  };
  await service.harness.reportArtifact(
    { artifact_type: 'EXTERNAL_REFERENCE', data },
    { ...options, run: runId },
  );
}
