import { html } from 'hono/html';
import { plural } from '../format.ts';
import type { Html } from '../html.ts';
import { entryView } from './entry-view.ts';
import type { Item } from '../../contract/log-item.ts';
import { mark } from './labels.ts';

/** This many reads and searches in a row become one line. */
const FOLDED_FROM = 3;

type Group = readonly [Item, ...Item[]];

/** Groups consecutive reads and searches; every other entry is a group of its own. */
export function foldLooks(items: Item[]): Group[] {
  const groups: [Item, ...Item[]][] = [];
  for (const item of items) {
    const last = groups.at(-1);
    if (last && isLook(item) && isLook(last[0])) last.push(item);
    else groups.push([item]);
  }
  return groups.flatMap((group): Group[] =>
    group.length < FOLDED_FROM ? group.map((item) => [item]) : [group],
  );
}

export function looksView(group: Group, now: Date, over: boolean): Html {
  const reads = group.filter((item) => item.type === 'tool' && item.tool.kind === 'read').length;
  const searches = group.length - reads;
  const said = [
    reads > 0 ? `read ${plural(reads, 'file')}` : '',
    searches > 0 ? plural(searches, 'search', 'searches') : '',
  ].filter(Boolean);
  return html`<li data-place="${group[0].position}">
    <details class="tool looks">
      <summary>
        <div class="line">
          ${mark('good')}<span class="line-text kind"
            >${said.join(', ').replace('read', 'Read')}</span
          >
        </div>
      </summary>
      <ol class="plain activity">
        ${group.map((item) => entryView(item, now, over))}
      </ol>
    </details>
  </li>`;
}

function isLook(item: Item): boolean {
  if (item.type !== 'tool') return false;
  const { kind, status } = item.tool;
  return (kind === 'read' || kind === 'search') && status === 'completed';
}
