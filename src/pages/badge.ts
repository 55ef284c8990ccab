import { html } from 'hono/html';
import type { RunState } from '../contract/run.ts';
import type { Html } from './html.ts';
import { STATES } from './run/state.ts';

/** A run's state as a coloured word. */
export function badge(state: RunState): Html {
  const { label, meaning } = STATES[state];
  return html`<span class="badge ${state.toLowerCase()}" title="${meaning}">${label}</span>`;
}
