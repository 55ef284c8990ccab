import { sql } from 'kysely';
import { errorMessage } from '../base/error.ts';
import type { AppContext } from './context.ts';

export interface Readiness {
  ready: boolean;
  /** `ok`, or what is wrong. */
  checks: Record<'database' | 'github' | 'service', string>;
}

/** Whoever asks has given up by then. */
const CHECK_WITHIN_MS = 3000;

/** Whether the App can do its work now: database, GitHub's sign-in, run service. */
export async function checkReadiness(context: AppContext): Promise<Readiness> {
  const [database, github, service] = await Promise.all([
    check(() => sql`select 1`.execute(context.db)),
    check(async () => (await context.appGithub()).request('GET /app')),
    check(() =>
      context.client.runs.list({ limit: 1 }, { deadlineMs: CHECK_WITHIN_MS, retry: false }),
    ),
  ]);
  const checks = { database, github, service };
  return { ready: Object.values(checks).every((outcome) => outcome === 'ok'), checks };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

async function check(ask: () => Promise<unknown>): Promise<string> {
  const late = AbortSignal.timeout(CHECK_WITHIN_MS);
  try {
    await Promise.race([ask(), aborted(late)]);
    return 'ok';
  } catch (error) {
    return errorMessage(error);
  }
}
