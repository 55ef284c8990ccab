import { html } from 'hono/html';
import type { Html } from '../html.ts';
import { lightStart } from '../text.ts';
import type { Item } from '../../contract/log-item.ts';
import { mark, type Mark } from './labels.ts';
import { restView } from './rest-view.ts';

const WEIGHT = 4000;

type Entries = (Item & { type: 'plan' })['entries'];

/** The agent's plan: its steps and the state of each. `over` says that the run has ended. */
export function planView(entries: Entries, over: boolean, isWhole = false): Html {
  const all = entries.map(({ content }) => content).join('\n');
  const shown = isWhole ? all : lightStart(all, WEIGHT);
  let left = shown.length;
  const steps = entries.map((entry) => {
    const text = entry.content.slice(0, Math.max(0, left));
    left -= entry.content.length + 1;
    return { kind: markOf(entry.status, over), text };
  });
  return html`<ol class="plan">
      ${steps.map(({ kind, text }) => html`<li class="${kind}">${mark(kind)}<span>${text}</span></li>`)}
    </ol>
    ${restView(shown, all)}`;
}

function markOf(status: string | undefined, over: boolean): Mark {
  if (status === 'completed') return 'good';
  return status === 'in_progress' && !over ? 'busy' : 'note';
}
