import type { Command } from 'commander';
import { formatDuration } from '../../base/time.ts';
import {
  statisticsQuery,
  statisticsResponse,
  type StatisticsFigures,
} from '../../contract/statistics.ts';
import { paint, type Screen } from '../output/screen.ts';
import { renderFields, renderList, type Column } from '../output/table.ts';
import { addQueryOptions, readQuery, type Spellings } from '../query-options.ts';
import { remoteCommand, type Remote } from '../remote/remote.ts';

const SPELLINGS: Spellings = {
  from: {
    flags: '--since <time>',
    help: 'from then on: a time, or how long ago, such as 90d (default: 30d)',
  },
  to: { flags: '--until <time>', help: 'up to then' },
  bucket: { flags: '--bucket <span>', help: 'one bar for each' },
  group_by: { flags: '--by <what>', help: 'a row for each' },
};

const share = (value: number | null): string =>
  value === null ? '' : `${Math.round(value * 100)}%`;
const time = (seconds: number | null): string =>
  seconds === null ? '' : formatDuration(seconds * 1000);
const dollars = (value: number): string => (value === 0 ? '' : `$${value.toFixed(2)}`);

/** The cost per merged pull request; undefined if none was merged. */
const perMerge = ({ cost_usd: cost, merged_pull_requests: merged }: StatisticsFigures): string =>
  merged > 0 ? dollars(cost / merged) : '';

const COLUMNS: readonly Column<StatisticsFigures & { name: string }>[] = [
  { title: 'NAME', isHead: true, canShrink: true, cell: ({ name }) => name || 'none' },
  { title: 'RUNS', isHead: true, cell: ({ runs }) => String(runs) },
  { title: 'SUCCESS', cell: ({ success_rate: rate }) => share(rate) },
  { title: 'MEDIAN', cell: ({ median_seconds: median }) => time(median) },
  { title: 'COST', cell: ({ cost_usd: cost }) => dollars(cost) },
  { title: 'MERGED', cell: ({ merged_pull_requests: merged }) => String(merged) },
  { title: '$/MERGED', cell: perMerge },
];

export function addStatsCommand(program: Command): void {
  const fields = Object.keys(statisticsResponse.shape);
  const command = remoteCommand(program, 'stats', '', stats, fields);
  addQueryOptions(command, statisticsQuery, SPELLINGS).addHelpText(
    'after',
    '\nExample:\n  $ runlink stats --since 90d --bucket week --by repository',
  );
}

/** One bar for each value, relative to the highest. If they do not fit, the last ones are shown. */
function sparkline({ signs, width }: Screen, values: readonly number[]): string {
  const shown = values.slice(-Math.max(8, Math.min(width, 200) - 24));
  const most = Math.max(...shown, 0);
  const last = signs.bars.length - 1;
  return shown
    .map(
      (value) =>
        signs.bars[most > 0 && value > 0 ? Math.max(1, Math.round((value / most) * last)) : 0],
    )
    .join('');
}

async function stats(remote: Remote<Record<string, unknown>>): Promise<void> {
  const { client, options, show, screen } = remote;
  const all = await client.statistics.read(readQuery(statisticsQuery, SPELLINGS, options));
  const { total, buckets, now, groups } = all;
  const line = (of: (bucket: StatisticsFigures) => number): string =>
    sparkline(screen, buckets.map(of));
  show(all, () => {
    const facts = renderFields(screen, [
      ['span', `${all.from.slice(0, 10)} to ${all.to.slice(0, 10)}, by ${all.bucket}`],
      ['now', `${now.working} working, ${now.queued} queued, ${now.blocked} need you`],
      ['runs', `${line(({ runs }) => runs)}  ${total.runs}`],
      [
        'failed',
        `${line(({ failed, errors }) => failed + errors)}  ${total.failed + total.errors}`,
      ],
      ['success', share(total.success_rate)],
      ['median', time(total.median_seconds)],
      ['slowest 10%', total.p90_seconds === null ? '' : `above ${time(total.p90_seconds)}`],
      ['cost', `${line(({ cost_usd: cost }) => cost)}  ${dollars(total.cost_usd) || '$0'}`],
      ['merged', `${total.merged_pull_requests} of ${total.pull_requests} pull requests`],
      ['per merged', perMerge(total)],
    ]);
    if (!groups) return facts;
    const table = renderList(screen, COLUMNS, groups);
    return `${facts}\n\n${groups.length > 0 ? table : paint(screen, 'dim', 'No runs.')}`;
  });
}
