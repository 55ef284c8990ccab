import { pipeline } from 'node:stream/promises';
import { Transform } from 'node:stream';
import { Option, type Command } from 'commander';
import { artifactItem } from '../../contract/artifact.ts';
import { logEvent, runEntry, type RunEntry } from '../../contract/entry.ts';
import type { RunRead } from '../../contract/run.ts';
import { listScoresResponse, type ListScoresResponse } from '../../contract/score.ts';
import { timelineEvent, type TimelineEvent } from '../../contract/timeline.ts';
import { harmlessJson, printJsonLine } from '../output/json.ts';
import { shortId, when, type Column } from '../output/table.ts';
import { savedFilesOf } from '../remote/find.ts';
import { remoteCommand, type Remote } from '../remote/remote.ts';

const clock = (at: string) => ({ text: at.slice(11, 19), exact: at, style: 'dim' as const });

interface EntriesOptions {
  type?: string[];
  after?: string;
  query?: string;
  failed?: boolean;
}

const ENTRIES_OF_PAGE = 200;

const SCORE_COLUMNS: readonly Column<ListScoresResponse['scores'][number]>[] = [
  { title: 'SCORER', isHead: true, cell: ({ scorer_name: name }) => name },
  { title: 'VERDICT', isHead: true, cell: (score) => score.classification ?? score.attempt_status },
  { title: 'AT', cell: ({ scored_at: at, attempted_at: tried }) => when(at ?? tried) },
  { title: 'REASON', canShrink: true, cell: ({ reason }) => reason },
];

type Artifact = NonNullable<RunRead['artifacts']>[number];
const ARTIFACT_COLUMNS: readonly Column<Artifact>[] = [
  { title: 'TYPE', isHead: true, cell: ({ artifact_type: type }) => type },
  { title: 'ARTIFACT', isHead: true, canShrink: true, cell: idOrAddress },
  { title: 'NAME', canShrink: true, cell: (artifact) => savedFilesOf([artifact])[0]?.name },
];

export function addRunContents(runs: Command): void {
  const eventFields = Object.keys(timelineEvent.shape);
  remoteCommand(runs, 'timeline <run>', 'set-up and lifecycle events', timeline, eventFields);
  remoteCommand(runs, 'transcript <run>', 'the raw transcript, as JSON lines', transcript);
  remoteCommand(
    runs,
    'entries <run>',
    'the run’s log from its beginning; with --json one entry a line',
    entries,
    Object.keys(runEntry.shape),
  )
    .addOption(new Option('--type <type...>', 'only these').choices(entryTypes()))
    .option('-q, --query <text>', 'only entries that say this')
    .option('--failed', 'only commands and steps of the set-up that failed')
    .option('--after <place>', 'only entries that changed after this position');
  const scoreFields = Object.keys(listScoresResponse.shape.scores.element.shape);
  remoteCommand(runs, 'scores <run>', 'the verdicts of scorers on it', scores, scoreFields);
  remoteCommand(
    runs,
    'artifacts <run>',
    'its files, plans, screenshots and pull requests',
    artifacts,
    [...new Set(artifactItem.options.flatMap(({ shape }) => Object.keys(shape)))],
  );
}

function entryTypes(): string[] {
  const [worker, ...own] = logEvent.options;
  return [...worker.options, ...own].map((schema) => schema.shape.type.value);
}

function payloadText(payload: Record<string, unknown> | undefined): string {
  return Object.entries(payload ?? {})
    .filter(([key]) => !key.endsWith('_ts'))
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
}

async function timeline({ client, showList }: Remote, id: string): Promise<void> {
  const { events } = await client.runs.timeline(id);
  const { labelOf } = await import('../../pages/run/labels.ts');
  const label = (type: string) => ({ text: labelOf(type), exact: type });
  const columns: Column<TimelineEvent>[] = [
    { title: 'TIME', isHead: true, cell: ({ occurred_at: at }) => clock(at) },
    { title: 'EVENT', isHead: true, cell: ({ event_type: type }) => label(type) },
    { title: 'DETAIL', canShrink: true, cell: ({ payload }) => payloadText(payload) },
  ];
  showList(events, columns, 'Nothing has happened yet.');
}

/**
 * Prints the transcript unchanged; on a terminal with control characters escaped, which leaves the
 * JSON equivalent.
 */
async function transcript({ client }: Remote, id: string): Promise<void> {
  const body = await client.runs.transcript(id);
  const harmless = new Transform({
    decodeStrings: false,
    transform: (chunk: string, _, done) => done(null, harmlessJson(chunk)),
  });
  if (!process.stdout.isTTY) return pipeline(body, process.stdout, { end: false });
  await pipeline(body.setEncoding('utf8'), harmless, process.stdout, { end: false });
}

async function* entriesFrom(
  client: Remote['client'],
  runId: string,
  options: EntriesOptions,
): AsyncGenerator<RunEntry> {
  let after = Number(options.after ?? 0);
  for (;;) {
    const query = { after, limit: ENTRIES_OF_PAGE, ...(options.type && { type: options.type }) };
    const page = await client.runs.entries(runId, query);
    yield* page.entries;
    if (page.entries.length === 0 || page.next_after === after) return;
    after = page.next_after;
  }
}

async function* soughtEntries(
  client: Remote['client'],
  runId: string,
  { after, query: q, failed, type }: EntriesOptions,
): AsyncGenerator<RunEntry> {
  for (let from = Number(after ?? 0) + 1; ;) {
    const page = await client.runs.entries(runId, {
      from,
      limit: ENTRIES_OF_PAGE,
      ...(q !== undefined && { q }),
      ...(failed && { failed }),
      ...(type && { type }),
    });
    yield* page.entries;
    const isFull = page.entries.length === ENTRIES_OF_PAGE;
    const last = isFull ? page.entries.at(-1)?.position : page.searched_to;
    if (last === undefined) return;
    from = last + 1;
  }
}

async function entries(
  { client, options, screen }: Remote<EntriesOptions>,
  id: string,
): Promise<void> {
  const { itemText } = await import('../watch/item-text.ts');
  const { toItem } = await import('../../contract/log-item.ts');
  const isSearch = options.query !== undefined || options.failed;
  const found = (isSearch ? soughtEntries : entriesFrom)(client, id, options);
  for await (const entry of found) {
    if (options.json) {
      printJsonLine(entry, options.json);
      continue;
    }
    const item = toItem(entry);
    const text = item ? itemText(screen, item, true) : '';
    if (text !== '') process.stdout.write(`${text}\n`);
  }
}

async function scores({ client, showList }: Remote, id: string): Promise<void> {
  showList((await client.scores.list(id)).scores, SCORE_COLUMNS, 'Nobody has scored this run.');
}

function idOrAddress(artifact: Artifact) {
  const [own] = savedFilesOf([artifact]);
  return own ? shortId(own.id) : { text: artifact.data?.url ?? '', url: artifact.data?.url };
}

async function artifacts({ client, showList }: Remote, id: string): Promise<void> {
  const run = await client.runs.get(id);
  showList(run.artifacts ?? [], ARTIFACT_COLUMNS, 'This run left no artifacts.');
}
