import { Octokit } from '@octokit/core';
import { RunlinkError } from '../base/error.ts';
import { sleep } from '../base/time.ts';
import { statusOf, type Github } from '../github/read/octokit.ts';
import { debug } from './log.ts';

export interface GithubClientOptions {
  token: string;
  apiUrl: string;
  /** Aborted when the runner wants the step to end: then nothing is waited for long, or tried twice. */
  interrupt?: AbortSignal | undefined;
}

/** One request of GitHub may take this long; then it is tried again. */
const TRY_TIMEOUT_MS = 15_000;
/**
 * After an interrupt one request may take this long, and all of them together that long: the runner kills
 * ten seconds after its first signal, and the service is asked too.
 */
const HURRIED_TRY_MS = 2000;
const HURRIED_MS = 6000;
const TRIES = 4;
const FIRST_PAUSE_MS = 500;
/** Asked to wait longer than this, we go on without: a report is not worth an hour. */
const LONGEST_PAUSE_MS = 30_000;

/** GitHub by token, with a few tries of what may be repeated. */
export function createGithub(options: GithubClientOptions): Github {
  const { token, apiUrl, interrupt } = options;
  const limit = createLimit(interrupt);
  const octokit = new Octokit({
    auth: token,
    baseUrl: apiUrl,
    userAgent: 'runlink-action',
    log: { debug, info: debug, warn: debug, error: debug },
  });
  octokit.hook.wrap('request', async (request, asked) => {
    for (let tries = 1; ; tries += 1) {
      const { signal, release } = limit();
      const started = performance.now();
      try {
        // Octokit's own hook, which adds the token, reads this object, whatever is passed on.
        asked.request = { ...asked.request, signal };
        const response = await request(asked);
        debug(`GitHub ${asked.method} ${asked.url} ${response.status} ${elapsed(started)}`);
        if (response.status !== 204 && typeof response.data !== 'object' && !isLog(asked.url)) {
          throw new RunlinkError('github_unreadable', 'GitHub’s answer is cut off or no JSON');
        }
        return response;
      } catch (error) {
        const status = statusOf(error);
        debug(`GitHub ${asked.method} ${asked.url} ${status ?? 'failed'} ${elapsed(started)}`);
        const pause = pauseMs(error, tries, asked.method);
        if (pause === undefined || tries >= TRIES || interrupt?.aborted) throw error;
        await sleep(pause, interrupt);
      } finally {
        release();
      }
    }
  });
  return octokit;
}

/** Makes the signal that ends one try, and lets go of it. */
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

/** The one thing we read of GitHub that is text. */
function isLog(url: string): boolean {
  return url.endsWith('/logs');
}

function elapsed(started: number): string {
  return `${Math.round(performance.now() - started)} ms`;
}

/**
 * How long to wait before the next try, or undefined where there should be none. A write whose answer
 * got lost may have been done: it is repeated only where GitHub says it was not.
 */
function pauseMs(error: unknown, tries: number, method: string): number | undefined {
  const status = statusOf(error) ?? 500;
  const told = retryAfterMs(error);
  const wasRefused = status === 429 || (status === 403 && told !== undefined);
  const isSafe = method === 'GET' || method === 'PATCH' || method === 'PUT';
  if (!wasRefused && !(isSafe && status >= 500)) return undefined;
  const pause = told ?? FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.75 + Math.random() / 2);
  return pause <= LONGEST_PAUSE_MS ? pause : undefined;
}

function retryAfterMs(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('response' in error)) return undefined;
  const { response } = error;
  if (typeof response !== 'object' || response === null || !('headers' in response))
    return undefined;
  const headers = new Map(Object.entries(Object(response.headers)));
  const after = Number(headers.get('retry-after'));
  if (Number.isFinite(after) && headers.has('retry-after')) return after * 1000;
  if (headers.get('x-ratelimit-remaining') !== '0') return undefined;
  const reset = Number(headers.get('x-ratelimit-reset'));
  return Number.isFinite(reset) ? Math.max(0, reset * 1000 - Date.now()) : undefined;
}
