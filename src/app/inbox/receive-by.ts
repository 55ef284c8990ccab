import type { ApplicationFunction, Probot } from 'probot';
import { parseExactJson } from '../../github/read/exact-json.ts';
import type { Receive } from './handle-delivery.ts';

type WebhookEvent = Parameters<Probot['receive']>[0];

/** Feeds a Probot application from the inbox; a delivery that fails there rejects with what its handler threw. */
export function receiveBy(probot: Probot, app: ApplicationFunction): Receive {
  const loaded = probot.load(app);
  // Whoever hands over the first delivery sees why it could not be loaded.
  loaded.catch(() => undefined);
  return async ({ guid: id, event: name, body }) => {
    await loaded;
    try {
      // Signed by GitHub and let in by name; handlers parse what they read of it.
      await probot.receive({ id, name, payload: parseExactJson(body) } as WebhookEvent);
    } catch (error) {
      throw error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error;
    }
  };
}
