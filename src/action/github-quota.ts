import { LONGEST_WAIT_MS, readGithubFailure } from '../github/read/github-failure.ts';
import { formatDuration, sleep } from '../base/time.ts';

/**
 * Keeps our token within GitHub's limits: sends nothing while GitHub asks us to wait, and counts
 * every request.
 */
export class GithubQuota {
  #sent = 0;
  #said: Readonly<Record<string, unknown>> = {};
  #freeAt = 0;
  #refusals = 0;
  #refusal: unknown;

  /**
   * Waits until GitHub takes requests again. If that is too long, throws GitHub's refusal; the post
   * step then tries again.
   */
  async ready(signal: AbortSignal | undefined): Promise<void> {
    const waitMs = this.#freeAt - performance.now();
    if (waitMs > LONGEST_WAIT_MS) throw this.#refusal;
    if (waitMs > 0) await sleep(waitMs, signal);
    this.#sent += 1;
  }

  taken(headers: Readonly<Record<string, unknown>>): void {
    this.#refusals = 0;
    this.#said = headers;
  }

  /**
   * Whether a request failed because of a limit. Each refusal after a wait makes the next wait
   * longer, because GitHub bans clients that persist.
   */
  failed(error: unknown): boolean {
    const failure = readGithubFailure(error, Date.now());
    if (failure.kind !== 'limit') return false;
    const now = performance.now();
    if (now < this.#freeAt) return true;
    this.#freeAt = now + failure.waitMs * 2 ** this.#refusals;
    this.#refusals += 1;
    this.#refusal = error;
    return true;
  }

  /** A line for the log. A workflow's token has 1,000 requests an hour for the whole repository. */
  toString(): string {
    const said = (name: string): number => Number(this.#said[`x-ratelimit-${name}`] ?? Number.NaN);
    const resetMs = Math.max(0, said('reset') * 1000 - Date.now());
    const sent = `Sent ${this.#sent} requests to GitHub.`;
    if (Number.isNaN(resetMs)) return sent;
    return `${sent} The token has ${said('remaining')} of ${said('limit')} left for the next ${formatDuration(resetMs)}.`;
  }
}
