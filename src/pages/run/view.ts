import { setImmediate as turn } from 'node:timers/promises';
import { html } from 'hono/html';
import { isTerminal } from '../../contract/run.ts';
import { card } from '../card.ts';
import { onceField } from '../forms.ts';
import type { Html } from '../html.ts';
import type { Viewer } from '../layout.ts';
import { artifactsView, imagesView, listedArtifacts } from './artifacts-view.ts';
import { changesView, type Alone } from './changes-view.ts';
import { detailsView } from './details-view.ts';
import { entryView } from './entry-view.ts';
import { foldLooks, looksView } from './looks-view.ts';
import { findForm, findNotice, markFound, type Find } from './find-view.ts';
import { followupView } from './followup-view.ts';
import { RETRY_FORM, headView, spokenState } from './head-view.ts';
import { ENTRIES_PER_UPDATE, type RunData } from './load.ts';
import { outcomeView } from './outcome-view.ts';
import { panel } from './panels.ts';
import { planView } from './plan-view.ts';
import { promptView } from './prompt-view.ts';
import { sharingView } from './sharing-view.ts';
import { scoresView } from './scores-view.ts';
import { spansTable, stripView } from './strip-view.ts';
import { runPath } from '../format.ts';

export interface RunView extends RunData {
  /** Undefined if a guest looks at a shared run. */
  viewer?: Viewer;
  now: Date;
  environmentName?: string;
  /** Shown at the top: the result of the form that was just sent. */
  notice?: { text: string; bad: boolean };
  draft?: string;
  tab: Tab;
  /** An older part of the conversation, to which new entries are not added. */
  isPart?: boolean;
  images: number;
  /** Whether prompt, outcome and plan are shown in full, however long. */
  isWhole?: boolean;
  find?: Find;
  /** The changed file that is shown alone. */
  alone?: Alone;
  /** Whether runs may be shared by their link. */
  publicLinks?: boolean;
}

/** The tabs of a run's page, each with its own URL below the run's. */
export const TABS = ['conversation', 'changes', 'artifacts', 'details'] as const;
export type Tab = (typeof TABS)[number];
/** The tabs that guests can see. */
const SHARED_TABS = ['conversation', 'changes'] as const satisfies readonly Tab[];

/** Milliseconds of rendering entries before other work gets a turn. */
const SLICE_MS = 10;

/** Spans cover only this many of the newest lines; older entries may have failed too. */
const SPANS_OF_LINES = 240_000;

/** Logs with more lines than this get a form to go to any position. */
const LONG_LINES = 300;
const STEPS = 200;

/** The next part of the conversation, which the script adds before or after what is shown. */
export function pieceView(view: RunView): Html {
  const { earlier, later } = waysOf(view);
  return html`<div
      id="run"
      ${liveAttributes({ ...view, isPart: view.log.has_later !== false })}
    ></div>
    ${earlier} ${later}
    <ol id="piece">
      ${entries(view)}
    </ol>`;
}

function emptyActivity(view: RunView): string {
  return isTerminal(view.run.state)
    ? 'The agent did nothing that could be shown.'
    : 'Nothing yet. What the agent does appears here as it happens.';
}

function activityView(view: RunView): Html {
  return html`<section aria-labelledby="activity-title" id="activity">
    <h2 id="activity-title" class="visually-hidden">Conversation</h2>
    ${wayEarlier(view)}
    <ol class="plain activity" id="entries">
      ${entries(view)}
    </ol>
    <p class="empty only-if-empty">${emptyActivity(view)}</p>
    ${wayLater(view)}
    <span id="latest"></span>
  </section>`;
}

/** The parts of the page that change while a run works, by their ids. */
const PARTS = {
  head: (view: RunView) => headView(view.run, view.viewer, view.now),
  tabs: tabsView,
  strip: (view: RunView) => stripView(view.spans ?? [], pathOf(view), view.now),
  outcome: (view: RunView) => outcomeView(view.run, view.isWhole),
  plan: planPanel,
  changes: (view: RunView) => changesView(view.changes?.event, view.alone),
  details: (view: RunView) => detailsView(view.run, view.agent, view.environmentName),
  artifacts: (view: RunView) => artifactsView(view),
};
type PartName = keyof typeof PARTS;

/** The parts of each tab, besides head and tabs. */
const PARTS_OF: Record<Tab, PartName[]> = {
  conversation: ['strip', 'outcome', 'plan'],
  changes: ['changes'],
  artifacts: ['artifacts'],
  details: ['details'],
};

function part(view: RunView, name: PartName): Promise<Html> {
  return panel(name, PARTS[name](view));
}

/**
 * The page asks for news this long after a run has ended. The log is read before the state, so the
 * last entries may still be missing.
 */
const SETTLES_WITHIN_MS = 30_000;

/** Whether the page should keep asking for news. */
function isActive({ run, log, now, isPart }: RunView): boolean {
  if (isPart) return false;
  if (!isTerminal(run.state) || log.entries.length >= ENTRIES_PER_UPDATE) return true;
  return now.getTime() - Date.parse(run.finished_at ?? run.updated_at) < SETTLES_WITHIN_MS;
}

function liveAttributes(view: RunView): Html {
  const { alone } = view;
  const only = alone === undefined ? '' : `&file=${alone.file}&line=${alone.line}`;
  return html`data-live="${pathOf(view)}/updates?tab=${view.tab}${only}"
  data-now="${view.now.getTime()}" data-after="${view.log.next_after}"
  data-active="${isActive(view) ? 'yes' : 'no'}"`;
}

/** The body of the run page. It works without scripts. */
export function runView(view: RunView): Html {
  const { notice, run } = view;
  return html`<div class="page run" id="run" ${liveAttributes(view)}>
    <div class="sticky">
      ${view.viewer ? findForm(pathOf(view), view.find ?? { q: '' }) : ''} ${part(view, 'head')}
      ${part(view, 'tabs')}
    </div>
    ${notice ? html`<p class="${notice.bad ? 'alert' : 'notice'}" role="${notice.bad ? 'alert' : 'status'}">${notice.text}</p>` : ''}
    ${view.find ? findNotice(pathOf(view), view.find) : ''}
    <p class="visually-hidden" role="status" id="spoken">${spokenState(run)}</p>
    <p class="connection" id="connection" role="status" hidden></p>
    ${tabView(view)}
    ${view.viewer ? html`${followupView(run, view.viewer, view.draft ?? '')} ${onceField(RETRY_FORM)}` : ''}
  </div>`;
}

function tabView(view: RunView): Html {
  switch (view.tab) {
    case 'conversation':
      return html`${part(view, 'strip')}
        <div class="columns">
          <div class="main-column">
            ${part(view, 'outcome')} ${promptView(view.run, view.isWhole)} ${activityView(view)}
          </div>
          <aside aria-label="Plan">${part(view, 'plan')}</aside>
        </div>`;
    case 'changes':
      return html`${part(view, 'changes')}
        <p class="empty only-if-empty">No file has changed yet.</p>`;
    case 'artifacts':
      return html`${imagesView(pathOf(view), view.images)} ${part(view, 'artifacts')}
        <p class="empty only-if-empty">This run has left no files, plans or screenshots.</p>`;
    case 'details':
      return html`${part(view, 'details')} ${sharingView(view)} ${scoresView(view.scores)}
        ${spansTable(view.run, view.spans ?? [], pathOf(view), view.now)}
        <p>
          <a class="button" href="${pathOf(view)}/transcript" download>Download transcript</a>
        </p>`;
    default:
      return view.tab satisfies never;
  }
}

/** What has changed since the page was rendered or last updated, for the script to insert. */
export function updateView(view: RunView): Html {
  const names = PARTS_OF[view.tab].filter((name) => name !== 'strip' || view.spans !== undefined);
  return html`<div id="run" ${liveAttributes(view)}></div>
    <p id="spoken">${spokenState(view.run)}</p>
    ${(['head', 'tabs', ...names] as const).map((name) => part(view, name))}
    <ol>
      ${view.tab === 'conversation' ? entries(view) : ''}
    </ol>`;
}

function pathOf({ run }: RunView): string {
  return runPath(run.run_id);
}

function tabsView(view: RunView): Html {
  const { run, changes, images } = view;
  const counts: Partial<Record<Tab, number>> = {
    changes: changes?.event.files.length ?? 0,
    artifacts: images + listedArtifacts(run).length,
  };
  const tab = (name: Tab): Html => {
    const address = name === 'conversation' ? pathOf(view) : `${pathOf(view)}/${name}`;
    const current = name === view.tab ? html`aria-current="page"` : '';
    const count = counts[name] ? html` <span class="count">${counts[name]}</span>` : '';
    const label = name.charAt(0).toUpperCase() + name.slice(1);
    return html`<li><a href="${address}" ${current}>${label}${count}</a></li>`;
  };
  return html`<nav class="tabs" aria-label="Parts of this run">
    <ul>
      ${(view.viewer ? TABS : SHARED_TABS).map(tab)}
    </ul>
  </nav>`;
}

function planPanel(view: RunView): Html | '' {
  if (!view.plan || view.plan.entries.length === 0) return '';
  return card(
    'plan',
    'Plan',
    html`${planView(view.plan.entries, isTerminal(view.run.state), view.isWhole)}`,
  );
}

async function entries({ items, now, run, find }: RunView): Promise<Awaited<Html>> {
  const over = isTerminal(run.state);
  const made: (Html | '')[] = [];
  let since = performance.now();
  for (const group of foldLooks(items)) {
    const view = group.length > 1 ? looksView(group, now, over) : entryView(group[0], now, over);
    made.push(find?.at === undefined ? view : await markFound(view, find.q));
    if (performance.now() - since < SLICE_MS) continue;
    await turn();
    since = performance.now();
  }
  return html`${made}`;
}

function placeForm(view: RunView, first: number): Html | '' {
  const { next_after: end } = view.log;
  if (end <= LONG_LINES) return '';
  return html`<form class="place-form" action="${pathOf(view)}#activity">
    <input
      type="range"
      name="from"
      min="1"
      max="${end}"
      step="${Math.ceil(end / STEPS)}"
      value="${first}"
      aria-label="Place in the conversation"
    />
    <button>Go there</button>
  </form>`;
}

/** A link to the earlier or later entries; hidden if there are none. */
function way(name: 'earlier' | 'later', query: string | undefined): Html {
  const label = name === 'earlier' ? 'Earlier' : 'Later';
  return html`<a
    class="button"
    id="${name}"
    href="?${query ?? ''}#activity"
    ${query === undefined ? html`hidden` : ''}
    >${label}</a
  >`;
}

function waysOf({ log, isPart }: RunView): Record<'earlier' | 'later', Html> {
  const [first, last] = [log.entries[0]?.position, log.entries.at(-1)?.position];
  const isMore = isPart && log.has_later !== false && last !== undefined;
  return {
    earlier: way('earlier', log.has_earlier && first !== undefined ? `before=${first}` : undefined),
    later: way('later', isMore ? `from=${last + 1}` : undefined),
  };
}

/** Links to the earlier parts of the conversation. */
function wayEarlier(view: RunView): Html {
  const { log, spans = [] } = view;
  const first = log.entries[0]?.position ?? 1;
  const last = log.entries.at(-1)?.position ?? 0;
  const isAny = spans.some((it) => it.failed) || log.next_after > SPANS_OF_LINES;
  const mayFind = view.viewer !== undefined && isAny;
  return html`<nav class="more" aria-label="Parts of the conversation">
    ${log.has_earlier ? html`<a class="button" href="?from=1#activity">Start</a>` : ''}
    ${waysOf(view).earlier}
    ${
      mayFind
        ? html`<a
            class="button"
            id="next-failure"
            href="${pathOf(view)}/find?failed=yes&after=${last}"
            aria-keyshortcuts="n"
            >Next failure</a
          >`
        : ''
    }
    ${placeForm(view, first)}
  </nav>`;
}

function wayLater(view: RunView): Html {
  return html`<nav class="more" aria-label="Later parts" ${view.isPart ? '' : html`hidden`}>
    ${waysOf(view).later}
    <a class="button" href="${pathOf(view)}#latest">Latest</a>
  </nav>`;
}
