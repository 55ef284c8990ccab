import { Octokit } from '@octokit/core';
import { RunlinkError } from '../base/error.ts';
import { backoffMs } from '../base/retry.ts';
import { sleep } from '../base/time.ts';
import { isUnexplained } from '../github/read/github-failure.ts';
import { GithubQuota } from './github-quota.ts';
import { statusOf, throwLimit, type Github } from '../github/read/octokit.ts';
import { debug } from './log.ts';

export interface GithubClientOptions {
  token: string;
  apiUrl: string;
  /**
   * Aborted when the runner wants the step to end. From then on waits are short and nothing is
   * retried.
   */
  interrupt?: AbortSignal | undefined;
}

/** A request to GitHub is given up and tried again after this long. */
const TRY_TIMEOUT_MS = 15_000;
/**
 * After an interrupt: the limit of one request, and of all of them together. The runner kills the
 * step ten seconds after its first signal, and the service must be asked in that time too.
 */
const HURRIED_TRY_MS = 2000;
const HURRIED_MS = 6000;
const TRIES = 4;
const BACKOFF = { firstMs: 500, longestMs: 4000 };

/**
 * A GitHub client with a token. Retries what is safe to repeat, and waits as long as GitHub's rate
 * limits ask for.
 */
export function createGithub(options: GithubClientOptions): Github & { quota: GithubQuota } {
  const { token, apiUrl, interrupt } = options;
  const limit = createLimit(interrupt);
  const quota = new GithubQuota();
  const octokit = new Octokit({
    auth: token,
    baseUrl: apiUrl,
    userAgent: 'runlink-action',
    log: { debug, info: debug, warn: debug, error: debug },
  });
  octokit.hook.wrap('request', async (request, asked) => {
    for (let tries = 1; ; tries += 1) {
      await quota.ready(interrupt);
      const { signal, release } = limit();
      const started = performance.now();
      try {
        // Octokit's own hook adds the token to this very object, so it must be passed on itself.
        asked.request = { ...asked.request, signal };
        const response = await request(asked);
        debug(`GitHub ${asked.method} ${asked.url} ${response.status} ${elapsed(started)}`);
        if (asked.url === '/graphql') throwLimit(response);
        quota.taken(response.headers);
        return whole(response);
      } catch (error) {
        const status = statusOf(error);
        debug(`GitHub ${asked.method} ${asked.url} ${status ?? 'failed'} ${elapsed(started)}`);
        const isLimit = quota.failed(error);
        const mayRepeat = isLimit || isUnexplained(error) || isSafe(asked.method, status);
        if (!mayRepeat || tries >= TRIES || interrupt?.aborted) throw error;
        if (!isLimit) await sleep(backoffMs(tries, BACKOFF), interrupt);
      } finally {
        release();
      }
    }
  });
  return Object.assign(octokit, { quota });
}

function whole<R extends { status: number; data: unknown }>(response: R): R {
  if (response.status === 204 || typeof response.data === 'object') return response;
  throw new RunlinkError('github_unreadable', 'GitHub’s answer is cut off or not JSON');
}

/** Makes the signal that ends one try, and a way to dispose of it. */
function createLimit(
  interrupt: AbortSignal | undefined,
): () => { signal: AbortSignal; release: () => void } {
  let last = Number.POSITIVE_INFINITY;
  interrupt?.addEventListener('abort', () => (last = performance.now() + HURRIED_MS));
  return () => {
    const controller = new AbortController();
    const end = (): void => controller.abort(new RunlinkError('github_slow', 'GitHub is too slow'));
    const hurriedMs = (): number => Math.max(0, Math.min(HURRIED_TRY_MS, last - performance.now()));
    let timer = setTimeout(end, interrupt?.aborted ? hurriedMs() : TRY_TIMEOUT_MS);
    const hurry = (): void => {
      clearTimeout(timer);
      timer = setTimeout(end, hurriedMs());
    };
    interrupt?.addEventListener('abort', hurry);
    return {
      signal: controller.signal,
      release: () => {
        clearTimeout(timer);
        interrupt?.removeEventListener('abort', hurry);
      },
    };
  };
}

function elapsed(started: number): string {
  return `${Math.round(performance.now() - started)} ms`;
}

/**
 * Whether a request may be repeated. A write whose answer was lost may have been carried out, so it
 * is repeated only when GitHub says that it was not.
 */
function isSafe(method: string, status = 500): boolean {
  return status >= 500 && (method === 'GET' || method === 'PATCH' || method === 'PUT');
}
