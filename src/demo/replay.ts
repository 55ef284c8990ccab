import type { Hono } from 'hono';
import type { ApiEnv } from './api-context.ts';
import type { StandInContext } from './context.ts';
import type { JournalEntry } from './journal.ts';
import { followRef } from './refs.ts';

/** Rebuilds the emulator and the state by repeating the journal. */
export async function replay(
  context: StandInContext,
  api: Hono<ApiEnv>,
  entries: readonly JournalEntry[],
): Promise<void> {
  const { state, deliveries } = context;
  const now = new Date().toISOString();
  for (const entry of entries) {
    if (entry.type === 'request') {
      const { method, body, actor, at } = entry;
      const headers = { 'content-type': 'application/json' };
      const request = new Request(state.publicUrl + entry.path, {
        method,
        headers,
        ...(body && { body }),
      });
      await api.fetch(request, { actor, at, replay: true });
    }
    if (entry.type === 'ref') await followRef(context, entry);
    if (entry.type === 'token' && entry.expires_at > now)
      state.tokens.set(entry.token, entry.actor);
  }
  deliveries.restore(entries);
  state.bornAt = new Date().toISOString();
}
