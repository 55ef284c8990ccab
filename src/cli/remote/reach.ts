import { errorMessage } from '../../base/error.ts';
import { sleep } from '../../base/time.ts';
import { setClock } from '../output/clock.ts';
import { wasNeverSent, type ClientLog, type HttpRequest } from '../../client/send.ts';

/** After how long somebody who waits is told, and when we give up. */
const TELL_AFTER_MS = 2000;
export const CALL_DEADLINE_MS = 15_000;
const PAUSE_MS = 300;

/** Keeps trying to connect while there is time, and says so after two seconds. */
export function persistent(request: HttpRequest, say: (text: string) => void): HttpRequest {
  return async (url, options) => {
    const { host } = new URL(url);
    let failure: unknown;
    let lostAt = Infinity;
    const tell = (): void => {
      if (failure) say(`Cannot reach ${host} (${errorMessage(failure)}), retrying …`);
      else if (options.headers?.['prefer'] === undefined) say(`Waiting for ${host} to answer …`);
    };
    const timer = setTimeout(tell, TELL_AFTER_MS);
    try {
      for (;;) {
        try {
          const answer = await request(url, options);
          setClock(answer.headers['date']);
          return answer;
        } catch (error) {
          // That the service could not be reached says more than that time ran out.
          if (options.signal.aborted) throw failure ?? error;
          failure = error;
          lostAt = Math.min(lostAt, performance.now());
          if (!wasNeverSent(error) || performance.now() - lostAt > CALL_DEADLINE_MS) throw error;
          await sleep(PAUSE_MS, options.signal).catch(() => undefined);
        }
      }
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Tells people about each retry that the client logs. */
export function retryLog(say: (text: string) => void): ClientLog {
  return {
    debug: () => undefined,
    warn: (fields) => {
      const { code } = fields as { code?: string };
      const what =
        code === 'network_failure' ? 'The connection broke' : `The service cannot answer (${code})`;
      say(`${what}, retrying …`);
    },
  };
}
