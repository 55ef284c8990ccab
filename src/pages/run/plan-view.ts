import { html } from 'hono/html';
import type { Html } from '../html.ts';
import type { Item } from '../../contract/log-item.ts';
import { mark, type Mark } from './labels.ts';

type Entries = (Item & { type: 'plan' })['entries'];

/** The agent's plan: its steps and the state of each. `over` says that the run has ended. */
export function planView(entries: Entries, over: boolean): Html {
  return html`<ol class="plan">
    ${entries.map((entry) => {
      const kind = markOf(entry.status, over);
      return html`<li class="${kind}">${mark(kind)}<span>${entry.content}</span></li>`;
    })}
  </ol>`;
}

function markOf(status: string | undefined, over: boolean): Mark {
  if (status === 'completed') return 'good';
  return status === 'in_progress' && !over ? 'busy' : 'note';
}
