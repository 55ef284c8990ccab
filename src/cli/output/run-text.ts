import { formatDuration } from '../../base/time.ts';
import type { RunRead } from '../../contract/run.ts';
import { costText, workedMs } from '../../contract/time-and-cost.ts';
import { STATES } from '../../pages/run/state.ts';
import { readEnvironments } from '../remote/find.ts';
import type { Remote } from '../remote/remote.ts';
import { serviceNow } from './clock.ts';
import type { Screen, Style } from './screen.ts';
import { renderFields, shortId, when, type Cell, type Column } from './table.ts';

type Sign = 'ok' | 'bad' | 'ask' | 'stop' | 'wait' | 'work';
const LOOKS: Record<string, readonly [Sign, Style]> = {
  QUEUED: ['wait', 'dim'],
  PENDING: ['wait', 'cyan'],
  SUCCEEDED: ['ok', 'green'],
  FAILED: ['bad', 'red'],
  ERROR: ['bad', 'red'],
  BLOCKED: ['ask', 'yellow'],
  CANCELLED: ['stop', 'yellow'],
};

/** A run's state as a symbol and a word; in pipes as it was sent. */
export function stateCell(state: string, { signs }: Screen): Cell {
  const [sign, style] = LOOKS[state] ?? ['work', 'cyan'];
  const label = Object.hasOwn(STATES, state) ? STATES[state as keyof typeof STATES].label : state;
  return { text: `${signs[sign]} ${label}`, exact: state, style };
}

/** How long the run has worked; empty if no execution has started. */
export function runDuration(run: RunRead): string {
  const ms = workedMs(run, serviceNow());
  return ms === undefined ? '' : formatDuration(ms);
}

/** What the run has cost so far, such as `$0.42`, and its tokens, such as `45.2k tokens`. */
export function runCost(run: RunRead): { cost: string; tokens: string } {
  const total = run.request_usage?.total_tokens;
  return { cost: costText(run), tokens: total ? `${compact.format(total)} tokens` : '' };
}
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** Pull requests of the run, as it reported them. */
export function pullRequestsOf(run: RunRead): { url: string; branch?: string }[] {
  const all = (run.artifacts ?? []).flatMap(({ artifact_type, data }) => {
    const { url, branch } = (data ?? {}) as { url?: string; branch?: unknown };
    if (artifact_type !== 'PULL_REQUEST' || url === undefined) return [];
    return [{ url, ...(typeof branch === 'string' && { branch }) }];
  });
  return [...new Map(all.map((pull) => [pull.url, pull])).values()];
}

export const RUN_COLUMNS: readonly Column<RunRead>[] = [
  { title: 'RUN', isHead: true, cell: (run) => shortId(run.run_id, run.session_link) },
  { title: 'STATE', isHead: true, cell: (run, screen) => stateCell(run.state, screen) },
  { title: 'TITLE', isHead: true, canShrink: true, cell: (run) => run.title },
  { title: 'TIME', cell: runDuration },
  { title: 'COST', cell: (run) => runCost(run).cost },
  { title: '+/-', cell: linesText },
  { title: 'PULL REQUEST', cell: pullCell },
  { title: 'UPDATED', cell: (run) => when(run.updated_at, '') },
];

/** Lines that the run added and removed, such as `+12 -3`. */
function linesText({ changed_lines: lines }: RunRead): string {
  if (!lines || lines.additions + lines.deletions === 0) return '';
  return `+${lines.additions} -${lines.deletions}`;
}

function pullCell(run: RunRead): Cell {
  const [pull] = pullRequestsOf(run);
  if (!pull) return { text: '' };
  const short = /^https?:\/\/[^/]+\/([^/]+\/[^/]+)\/pull\/(\d+)/.exec(pull.url);
  return { text: short ? `${short[1]}#${short[2]}` : pull.url, exact: pull.url, url: pull.url };
}

/** The environment: its name for people, its id for pipes. */
export async function environmentCell({ client, signal }: Reader, id = ''): Promise<Cell> {
  // Facts without the environment's name are better than none.
  const known = id === '' ? [] : await readEnvironments(client, signal).catch(() => []);
  const name = known.find(({ uid }) => uid === id)?.config?.name;
  return name ? { text: name, exact: `${name} (${id})` } : { text: id };
}

type Reader = Pick<Remote, 'client' | 'screen' | 'signal'>;

/** A run as a short block of labelled lines. */
export async function describeRun(reader: Reader, run: RunRead): Promise<string> {
  const { screen } = reader;
  const { cost, tokens } = runCost(run);
  const state = stateCell(run.state, screen);
  const config = run.agent_config as
    | { environment_id?: string; model_id?: string; harness?: { type?: string } }
    | null
    | undefined;
  const also = [runDuration(run), tokens, cost].filter(Boolean).join('  ');
  return renderFields(screen, [
    ['run', { ...shortId(run.run_id), text: run.run_id }],
    ['title', run.title],
    ['state', { ...state, text: `${state.text}  ${also}`, exact: `${run.state}  ${also}` }],
    ['changed', linesText(run)],
    ['message', run.waiting?.message ?? run.status_message?.message],
    ['environment', await environmentCell(reader, config?.environment_id)],
    ['harness', config?.harness?.type],
    ['model', config?.model_id],
    ['created', when(run.created_at, '')],
    ...pullRequestsOf(run).map(({ url }) => ['pull request', { text: url, url }] as const),
    ['page', run.session_link && { text: run.session_link, url: run.session_link }],
  ]);
}
