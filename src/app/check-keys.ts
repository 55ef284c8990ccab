import { RunlinkError, errorMessage } from '../base/error.ts';
import type { Client } from '../client/client.ts';
import { isClientError, isProblem } from '../client/error.ts';
import { statusOf } from '../github/read/octokit.ts';
import type { GithubAccess } from './connect-github.ts';

const ASK_WITHIN_MS = 5000;
/** GitHub's answers for an unknown App or a key that is not its own. */
const REFUSED = new Set([401, 404]);

/**
 * Throws where a retry cannot help: the run service refuses the App's key or has no valid
 * certificate, or GitHub refuses the App's id and private key. If one of them does not answer, it
 * is asked again while the App runs.
 */
export async function assertKeys(client: Client, github: GithubAccess): Promise<void> {
  await Promise.all([askService(client), askGithub(github)]);
}

async function askService(client: Client): Promise<void> {
  try {
    await client.runs.list({ limit: 1 }, { deadlineMs: ASK_WITHIN_MS, retry: false });
  } catch (error) {
    if (isProblem(error, 'authentication_required')) throw error;
    if (isClientError(error) && error.kind === 'network' && error.lasting) throw error;
  }
}

async function askGithub(github: GithubAccess): Promise<void> {
  try {
    const app = await github.app();
    await app.request('GET /app', { request: { signal: AbortSignal.timeout(ASK_WITHIN_MS) } });
  } catch (error) {
    if (!REFUSED.has(statusOf(error) ?? 0)) return;
    throw new RunlinkError('github_key_refused', `GitHub refuses the App: ${errorMessage(error)}`, {
      hint: 'APP_ID and PRIVATE_KEY must be of one App, and GitHub’s address (--github-api-url) that of its server.',
      cause: error,
    });
  }
}
