import { html } from 'hono/html';
import { formatDuration } from '../../base/time.ts';
import {
  statisticsGroup,
  type Statistics,
  type StatisticsFigures,
  type StatisticsGroup,
} from '../../contract/statistics.ts';
import { formatCount, formatUsd, plural } from '../format.ts';
import type { Html } from '../html.ts';
import { listingView } from '../lists/table.ts';

export const SPANS_OF_DAYS = [7, 30, 90] as const;

interface Overview {
  statistics: Statistics;
  days: (typeof SPANS_OF_DAYS)[number];
  group: StatisticsGroup;
  /** How many runs all workers together can work on at the same time. */
  slots: number;
  /** Why the oldest queued run is waiting. */
  why?: string;
}

const [WIDTH, HEIGHT] = [1000, 120];
const SPAN_MS = { day: 86_400_000, week: 7 * 86_400_000, month: 31 * 86_400_000 };

const percent = (rate: number | null): string =>
  rate === null ? '–' : `${Math.round(rate * 100)} %`;
const listOf = (query: Record<string, string>): string =>
  `/runs?${new URLSearchParams(query).toString()}`;
const words = (it: StatisticsFigures): string =>
  `${plural(it.runs, 'run')}, ${percent(it.success_rate)} succeeded, ${formatUsd(it.cost_usd)}`;

type Bucket = Statistics['buckets'][number];

const COLUMNS = ['Runs', 'Success', 'Median time', 'Cost', 'Cost of a merged PR'];

/** How many runs a team has in which state, how they ended, and what they cost. */
export function overviewView(overview: Overview): Html {
  const { statistics, days, group } = overview;
  const rows = statistics.buckets.map((it) =>
    figuresRow(it.start.slice(0, 10), it, bucketList(it, statistics)),
  );
  return html`<div class="page">
    <h1>Overview</h1>
    ${tiles(overview)}
    ${choice('Time', SPANS_OF_DAYS, days, (it) => [`days=${it}&by=${group}`, `${it} days`])}
    ${chart(overview)}
    <details class="help">
      <summary>The same as a table</summary>
      ${listingView({ title: `By ${statistics.bucket}`, columns: ['From', ...COLUMNS], rows, empty: '' })}
    </details>
    ${choice('Grouped by', statisticsGroup.options, group, (it) => [
      `days=${days}&by=${it}`,
      `By ${it}`,
    ])}
    ${groupTable(overview)}
  </div>`;
}

type Tone = keyof typeof LEGEND;
const LEGEND = {
  succeeded: 'Succeeded',
  failed: 'Failed',
  blocked: 'Needs you',
  cancelled: 'Cancelled',
};

/** Outcomes from bottom to top of a bar, each with the CSS class of its colour. */
function partsOf(it: StatisticsFigures): [tone: Tone, runs: number][] {
  return [
    ['succeeded', it.succeeded],
    ['failed', it.failed + it.errors],
    ['blocked', it.blocked],
    ['cancelled', it.cancelled],
  ];
}

function tile(label: string, value: string, href: string, note = ''): Html {
  return html`<li>
    <a class="card" href="${href}"
      ><span class="muted">${label}</span>
      <strong>${value}</strong> ${note === '' ? '' : html`<span class="muted">${note}</span>`}</a
    >
  </li>`;
}

function tiles({ statistics, days, slots, why }: Overview): Html {
  const { now, total, from: after } = statistics;
  const room = slots > 0 ? `of ${plural(slots, 'slot')}` : 'no worker is connected';
  return html`<ul class="plain tiles">
    ${tile('Needs you', formatCount(now.blocked), '/runs?state=BLOCKED&order=oldest')}
    ${tile('Working', formatCount(now.working), '/runs?state=INPROGRESS', room)}
    ${tile('Queued', formatCount(now.queued), '/runs?state=QUEUED', why)}
    ${tile(`Succeeded in ${days} days`, percent(total.success_rate), listOf({ state: 'SUCCEEDED', after }))}
    ${tile(`Spent in ${days} days`, formatUsd(total.cost_usd), listOf({ state: 'ended', after }))}
  </ul>`;
}

function bucketList({ start }: Bucket, { bucket }: Statistics): string {
  const until = new Date(Date.parse(start) + SPAN_MS[bucket]).toISOString();
  return listOf({ state: 'ended', after: start, before: until });
}

/** Runs per day or week, stacked by outcome; each bar links to its runs. */
function chart({ statistics }: Overview): Html {
  const { buckets } = statistics;
  const most = Math.max(1, ...buckets.map((it) => it.runs));
  const step = WIDTH / Math.max(1, buckets.length);
  const bars = buckets.map((it, at) => {
    let top = HEIGHT;
    const rects = partsOf(it).map(([tone, runs]) => {
      const height = (runs / most) * HEIGHT;
      top -= height;
      const place = html`x="${(at * step + step * 0.1).toFixed(1)}" y="${top.toFixed(1)}"`;
      const size = html`width="${(step * 0.8).toFixed(1)}" height="${height.toFixed(1)}"`;
      return html`<rect class="${tone}" ${place} ${size}></rect>`;
    });
    return html`<a href="${bucketList(it, statistics)}" tabindex="-1">
      <title>${it.start.slice(0, 10)}: ${words(it)}</title> ${rects}</a
    >`;
  });
  const view = `0 0 ${WIDTH} ${HEIGHT}`;
  return html`<figure class="chart card">
    <svg viewBox="${view}" preserveAspectRatio="none" aria-hidden="true">${bars}</svg>
    <figcaption class="muted">
      <span>${buckets[0]?.start.slice(0, 10)}</span>
      <span>Runs a ${statistics.bucket}</span>
      <span>${buckets.at(-1)?.start.slice(0, 10)}</span>
    </figcaption>
    <ul class="plain legend" aria-label="Colours">
      ${partsOf(statistics.total).map(
        ([tone, runs]) => html`<li class="${tone}">${LEGEND[tone]} ${formatCount(runs)}</li>`,
      )}
    </ul>
  </figure>`;
}

function shares(it: StatisticsFigures): Html {
  let left = 0;
  const rects = partsOf(it).map(([tone, runs]) => {
    const [x, width] = [left, (runs / Math.max(1, it.runs)) * 100];
    left += width;
    return html`<rect
      class="${tone}"
      x="${x.toFixed(1)}"
      y="0"
      width="${width.toFixed(1)}"
      height="8"
    ></rect>`;
  });
  return html`<svg class="shares" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
    ${rects}
  </svg>`;
}

/** A row whose name and bar link to its runs. */
function figuresRow(text: string, it: StatisticsFigures, list: string): (Html | string)[] {
  const { median_seconds: median, merged_pull_requests: merged } = it;
  return [
    html`<a href="${list}"><bdi>${text}</bdi></a>`,
    html`<a href="${list}" tabindex="-1" aria-hidden="true">${shares(it)}</a>
      ${formatCount(it.runs)}`,
    percent(it.success_rate),
    median === null ? '–' : formatDuration(median * 1000),
    formatUsd(it.cost_usd),
    merged === 0 ? '–' : formatUsd(it.cost_usd / merged),
  ];
}

function groupTable({ statistics, group }: Overview): Html {
  const { from: after } = statistics;
  const list = (key: string | null): string =>
    listOf({ state: 'ended', ...(key === null ? { without: group } : { [group]: key }), after });
  return listingView({
    title: `By ${group}`,
    columns: [group.charAt(0).toUpperCase() + group.slice(1), ...COLUMNS],
    rows: (statistics.groups ?? []).map((it) => figuresRow(it.name, it, list(it.key))),
    empty: 'No run has ended in this time.',
  });
}

function choice<T extends string | number>(
  label: string,
  all: readonly T[],
  chosen: T,
  to: (it: T) => [address: string, text: string],
): Html {
  const links = all.map((it) => {
    const [address, text] = to(it);
    const current = it === chosen ? html`aria-current="true"` : '';
    return html`<li><a href="/overview?${address}" ${current}>${text}</a></li>`;
  });
  return html`<nav class="tabs" aria-label="${label}">
    <ul>
      ${links}
    </ul>
  </nav>`;
}
