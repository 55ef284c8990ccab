import type { ApplicationFunction, Probot } from 'probot';
import { parseExactJson } from '../../github/read/exact-json.ts';
import type { Receive } from './handle-delivery.ts';

type WebhookEvent = Parameters<Probot['receive']>[0];

/** Passes deliveries from the inbox to a Probot application. Rejects with what a handler threw. */
export function receiveBy(probot: Probot, app: ApplicationFunction): Receive {
  const loaded = probot.load(app);
  // A failure to load the application shows in the first delivery.
  loaded.catch(() => undefined);
  return async ({ guid: id, event: name, body }) => {
    await loaded;
    try {
      // The signature and the event's name were checked; handlers parse the payload themselves.
      await probot.receive({ id, name, payload: parseExactJson(body) } as WebhookEvent);
    } catch (error) {
      throw error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error;
    }
  };
}
