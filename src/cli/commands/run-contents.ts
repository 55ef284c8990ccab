import { pipeline } from 'node:stream/promises';
import { Transform } from 'node:stream';
import type { Command } from 'commander';
import { logEvent, runEntry, type RunEntry } from '../../contract/entry.ts';
import { listScoresResponse } from '../../contract/score.ts';
import { timelineEvent } from '../../contract/timeline.ts';
import { harmlessJson, printJsonLine } from '../output/json.ts';
import { renderList, shortId, when } from '../output/table.ts';
import { artifactsOf, findRunId } from '../remote/find.ts';
import { remoteCommand, type Remote } from '../remote/remote.ts';

function payloadText(payload: Record<string, unknown> | undefined): string {
  return Object.entries(payload ?? {})
    .filter(([key]) => !key.endsWith('_ts'))
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
}

async function timeline({ client, show, screen }: Remote, word: string): Promise<void> {
  const { events } = await client.runs.timeline(await findRunId(client, word));
  const { labelOf } = await import('../../pages/run/labels.ts');
  show(events, () =>
    renderList(
      screen,
      [
        {
          title: 'TIME',
          isHead: true,
          cell: (event) => ({
            text: event.occurred_at.slice(11, 19),
            exact: event.occurred_at,
            style: 'dim',
          }),
        },
        {
          title: 'EVENT',
          isHead: true,
          cell: ({ event_type: type }) => ({ text: labelOf(type), exact: type }),
        },
        { title: 'DETAIL', canShrink: true, cell: ({ payload }) => payloadText(payload) },
      ],
      events,
    ),
  );
}

async function conversation({ client, show }: Remote, word: string): Promise<void> {
  const all = await client.runs.conversation(await findRunId(client, word));
  const { conversationText } = await import('../output/conversation-text.ts');
  show(all, () => conversationText(all));
}

/** As it is; on a terminal without what could steer it, which in JSON means the same. */
async function transcript({ client }: Remote, word: string): Promise<void> {
  const body = await client.runs.transcript(await findRunId(client, word));
  const harmless = new Transform({
    decodeStrings: false,
    transform: (chunk: string, _, done) => done(null, harmlessJson(chunk)),
  });
  if (!process.stdout.isTTY) return pipeline(body, process.stdout, { end: false });
  await pipeline(body.setEncoding('utf8'), harmless, process.stdout, { end: false });
}

interface EntriesOptions {
  type?: string[];
  after?: string;
}

async function* allEntries(
  client: Remote['client'],
  runId: string,
  options: EntriesOptions,
): AsyncGenerator<RunEntry> {
  let after = Number(options.after ?? 0);
  for (;;) {
    const page = await client.runs.entries(runId, {
      after,
      limit: 200,
      ...(options.type && { type: options.type }),
    });
    yield* page.entries;
    if (page.entries.length === 0 || page.next_after === after) return;
    after = page.next_after;
  }
}

async function entries(
  { client, options, screen }: Remote<EntriesOptions>,
  word: string,
): Promise<void> {
  const id = await findRunId(client, word);
  const { itemText } = await import('../watch/item-text.ts');
  const { toItem } = await import('../../pages/run/item.ts');
  for await (const entry of allEntries(client, id, options)) {
    if (options.json) {
      printJsonLine(entry, options.json);
      continue;
    }
    const item = toItem(entry);
    const text = item ? itemText(screen, item, true) : '';
    if (text !== '') process.stdout.write(`${text}\n`);
  }
}

async function scores({ client, show, screen, say, options }: Remote, word: string): Promise<void> {
  const { scores: all } = await client.scores.list(await findRunId(client, word));
  if (all.length === 0 && !options.json) return say('Nobody has scored this run.');
  show(all, () =>
    renderList(
      screen,
      [
        { title: 'SCORER', isHead: true, cell: ({ scorer_name: name }) => name },
        {
          title: 'VERDICT',
          isHead: true,
          cell: ({ classification, attempt_status: status }) => classification ?? status,
        },
        { title: 'AT', cell: ({ scored_at: at, attempted_at: tried }) => when(at ?? tried) },
        { title: 'REASON', canShrink: true, cell: ({ reason }) => reason },
      ],
      all,
    ),
  );
}

async function artifacts(
  { client, show, screen, say, options }: Remote,
  word: string,
): Promise<void> {
  const run = await client.runs.get(await findRunId(client, word));
  const all = run.artifacts ?? [];
  if (all.length === 0 && !options.json) return say('This run left no artifacts.');
  show(all, () =>
    renderList(
      screen,
      [
        { title: 'TYPE', isHead: true, cell: ({ artifact_type: type }) => type },
        {
          title: 'ARTIFACT',
          isHead: true,
          canShrink: true,
          cell: (artifact) => {
            const [own] = artifactsOf({ ...run, artifacts: [artifact] });
            const url = artifact.data?.url;
            return own ? { ...shortId(own.id) } : { text: url ?? '', url };
          },
        },
        {
          title: 'NAME',
          canShrink: true,
          cell: (artifact) => artifactsOf({ ...run, artifacts: [artifact] })[0]?.name,
        },
      ],
      all,
    ),
  );
}

export function addRunContents(runs: Command): void {
  remoteCommand(
    runs.command('timeline <run>'),
    'set-up and lifecycle events',
    timeline,
    Object.keys(timelineEvent.shape),
  );
  remoteCommand(runs.command('conversation <run>'), 'what was said and done', conversation);
  remoteCommand(runs.command('transcript <run>'), 'the raw transcript, as JSON lines', transcript);
  remoteCommand<EntriesOptions>(
    runs.command('entries <run>'),
    'the run’s log from its beginning; with --json one entry a line',
    entries,
    Object.keys(runEntry.shape),
  )
    .option('--type <type...>', `only these: ${entryTypes().join(', ')}`)
    .option('--after <place>', 'only entries touched after this place');
  remoteCommand(
    runs.command('scores <run>'),
    'what judges said of it',
    scores,
    Object.keys(listScoresResponse.shape.scores.element.shape),
  );
  remoteCommand(runs.command('artifacts <run>'), 'what the run left behind', artifacts);
}

function entryTypes(): string[] {
  const [worker, ...own] = logEvent.options;
  return [...worker.options, ...own].map((schema) => schema.shape.type.value);
}
