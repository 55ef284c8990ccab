import { EventEmitter, once } from 'node:events';
import { correct, isFields, noteTimes } from './corrections.ts';
import type { Deliveries } from './deliveries.ts';
import { DEMO_APP } from './seed.ts';
import type { StandInState } from './state.ts';

/** The longest that a response waits for the event that it causes. */
const EVENT_WITHIN_MS = 500;
/** Requests that always cause an event when they succeed. */
const CAUSING = [
  /^POST \/repos\/[^/]+\/[^/]+\/issues$/,
  /^(POST|PATCH|DELETE) \/repos\/[^/]+\/[^/]+\/(issues|pulls)\/(\d+\/)?comments(\/\d+)?(\/replies)?$/,
  /^POST \/repos\/[^/]+\/[^/]+\/pulls$/,
  /^POST \/repos\/[^/]+\/[^/]+\/check-runs$/,
];
const HEARD: ReadonlySet<string> = new Set(DEMO_APP.events.filter((event) => event !== 'push'));

/** Receives events from the emulator and turns them into GitHub's. */
export interface EventIntake {
  take(event: string, payload: unknown): Promise<void>;
  /** Sets the earlier text for the next `edited` event. */
  noteEdit(changes: Record<string, { from: unknown }>): void;
  /** Resolves once the event that this successful request causes is on disk. */
  settled(method: string, path: string): Promise<void>;
}

/** A missing event must not delay the response for ever. */
const ignoreLate = (): undefined => undefined;

export function createEventIntake(state: StandInState, deliveries: Deliveries): EventIntake {
  const arrivals = new EventEmitter();
  let arrived = 0;
  let expected = 0;
  let edit: Record<string, { from: unknown }> | undefined;

  const complete = (event: string, payload: Record<string, unknown>): Record<string, unknown> => {
    const pull = payload['pull_request'];
    const number = event === 'pull_request' && isFields(pull) && { number: pull['number'] };
    const changes = payload['action'] === 'edited' && { changes: edit ?? {} };
    const corrected = correct({ ...payload, ...number, ...changes }, state);
    return isFields(corrected) ? corrected : {};
  };
  return {
    async take(event, payload) {
      if (HEARD.has(event) && isFields(payload)) {
        noteTimes(payload, state);
        await deliveries.emit(event, complete(event, payload));
        edit = payload['action'] === 'edited' ? undefined : edit;
      }
      arrived += 1;
      arrivals.emit('arrived');
    },
    noteEdit(changes) {
      edit = changes;
    },
    async settled(method, path) {
      if (!CAUSING.some((pattern) => pattern.test(`${method} ${path}`))) return;
      const late = AbortSignal.timeout(EVENT_WITHIN_MS);
      if (arrived <= expected) await once(arrivals, 'arrived', { signal: late }).catch(ignoreLate);
      expected = arrived;
    },
  };
}
