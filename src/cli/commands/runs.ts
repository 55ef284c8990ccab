import type { Command } from 'commander';
import { allRuns } from '../../client/pages.ts';
import { runEntry } from '../../contract/entry.ts';
import { repeatOf } from '../../contract/repeat-run.ts';
import { followupResponse, listRunsQuery, runItem, type RunRead } from '../../contract/run.ts';
import { webUrl } from '../../pages/text.ts';
import { RunlinkError } from '../../base/error.ts';
import { wrongUse } from '../exit-code.ts';
import { outcomeText } from '../output/outcome-text.ts';
import { describeRun, RUN_COLUMNS } from '../output/run-text.ts';
import { readCount } from '../read-option.ts';
import { addQueryOptions, readQuery, type Spellings } from '../query-options.ts';
import { findId } from '../remote/find.ts';
import { remoteCommand, type Remote } from '../remote/remote.ts';
import { addWatchOptions, type WatchFlags } from '../watch/watch-options.ts';
import { addRunOptions, STARTED_FIELDS, startRun, toRequest, type RunOptions } from './run.ts';
import { addRunChanges } from './run-changes.ts';
import { addRunContents } from './run-contents.ts';

const RUN_FIELDS = Object.keys(runItem.shape);
/** The fields of a watched run: those of its entries, and its own at the end. */
const WATCH_FIELDS = [...RUN_FIELDS, ...Object.keys(runEntry.shape)];
const LIMIT = 20;

/** Filters with a shorter name here; the others have the contract's names. */
const SPELLINGS: Spellings = {
  limit: null,
  cursor: null,
  skill_spec: null,
  factory_uid: null,
  factory_only: null,
  q: { flags: '-q, --query <text>', help: 'search title, prompt and skill; or a run’s id' },
  environment_id: {
    flags: '-e, --environment <name>',
    help: 'only this environment, or "empty-environment"',
  },
  created_after: {
    flags: '--since <time>',
    help: 'created since then: a time, or how long ago, such as 7d',
  },
  created_before: { flags: '--until <time>', help: 'created before then' },
  updated_after: { flags: '--updated-since <time>', help: 'changed since then' },
  model_id: { flags: '-m, --model <id>', help: 'only this model' },
  person: { flags: '--person <person>', help: 'whom stats counts it for: @login, or an id' },
  schedule_id: { flags: '--schedule <name>', help: 'only runs of this schedule' },
  ancestor_run_id: { flags: '--ancestor <run>', help: 'only runs that this one started' },
  metadata: { flags: '--metadata <key=value>', help: 'only runs with this label; may be repeated' },
  name: { flags: '--config-name <name>', help: 'only runs with a configuration of this name' },
  sort_by: { flags: '--sort-by <field>', help: 'order' },
  sort_order: { flags: '--sort-order <order>', help: 'direction' },
};

interface ListOptions extends Record<string, unknown> {
  limit: number;
  environment?: string;
  schedule?: string;
  ancestor?: string;
}

export function addRunsCommands(program: Command): void {
  const runs = program.command('runs');
  const list = remoteCommand(runs, 'list', 'newest change first', listRuns, RUN_FIELDS);
  addQueryOptions(list, listRunsQuery, SPELLINGS)
    .option('-n, --limit <count>', 'show at most this many', readCount, LIMIT)
    .addHelpText(
      'after',
      `
Examples:
  $ runlink runs list --state failed error --since 7d
  $ runlink runs list --state blocked --json=run_id,title`,
    );
  remoteCommand(
    runs,
    'get <run>',
    'one run: by id or its start, @last, or the address of its page or pull request',
    showRun,
    RUN_FIELDS,
  );
  addWatch(runs);
  remoteCommand(runs, 'cancel <run>', 'end a queued or working run', cancelRun);
  remoteCommand(
    runs,
    'follow <run> <message...>',
    'send a message to a run: queued, working or ended',
    followUp,
    Object.keys(followupResponse.shape),
  );
  const retry = remoteCommand(
    runs,
    'retry <run> [prompt...]',
    'start the same run again, with what you give changed',
    retryRun,
    STARTED_FIELDS,
  );
  addRunOptions(retry, 'that of the run').addHelpText(
    'after',
    '\nExample:\n  $ runlink runs retry @last --model sonnet --wait',
  );
  remoteCommand(runs, 'open <run>', 'open the run’s page in the browser', openPage, ['url']);
  addRunChanges(runs);
  addRunContents(runs);
}

function addWatch(runs: Command): void {
  const help = 'follow a run to its end (default: your newest); --all shows every run of the team';
  addWatchOptions(remoteCommand(runs, 'watch [run]', help, watch, WATCH_FIELDS))
    .option('--all', 'a live table of all runs')
    .addHelpText(
      'after',
      `
What you type is sent to the agent with Enter. With --json each entry is one line of JSON once it is
complete, and the run is the last line; --json=state prints that alone. The exit code says how the run ended.

Examples:
  $ runlink runs watch @last
  $ runlink runs watch https://github.com/acme/app/pull/7
  $ runlink runs watch --all`,
    );
}

async function listRuns(remote: Remote<ListOptions>): Promise<void> {
  const { client, options } = remote;
  const { environment, schedule, ancestor, limit } = options;
  const query = readQuery(listRunsQuery, SPELLINGS, {
    ...options,
    limit: undefined,
    ...(environment && { environment: await findId(client, 'environment', environment) }),
    ...(schedule && { schedule: await findId(client, 'schedule', schedule) }),
    ...(ancestor && { ancestor: await findId(client, 'run', ancestor) }),
  });
  const runs: RunRead[] = [];
  for await (const run of allRuns(client, { ...query, limit: Math.min(limit, 500) })) {
    runs.push(run);
    if (runs.length >= limit) break;
  }
  remote.showList(runs, RUN_COLUMNS, 'No runs match.');
}

async function openPage({ client, show, say }: Remote, id: string): Promise<void> {
  const url = webUrl((await client.runs.get(id)).session_link ?? undefined);
  if (!url) throw new RunlinkError('not_found', 'This run has no page yet.');
  show({ url }, () => url);
  const { default: open } = await import('open');
  await open(url).catch(() => say('No browser could be started; open the address yourself.'));
}

async function showRun(remote: Remote, id: string): Promise<void> {
  const run = await remote.client.runs.get(id);
  const text = remote.options.json ? '' : await describeRun(remote, run);
  remote.show(run, () => text);
}

async function cancelRun({ client, show }: Remote, id: string): Promise<void> {
  await client.runs.cancel(id);
  show(id, () => `Cancelled ${id}.`);
}

async function followUp({ client, show }: Remote, id: string, words: string[]): Promise<void> {
  const reply = await client.runs.followup(id, { message: words.join(' ') });
  show(reply, () => outcomeText(reply.outcome));
}

async function retryRun(remote: Remote<RunOptions>, id: string, words: string[]): Promise<void> {
  const run = await remote.client.runs.get(id);
  await startRun(remote, await toRequest(remote, words, repeatOf(run)));
}

async function watch(remote: Remote<WatchFlags & { all?: boolean }>, word = '@last') {
  if (remote.options.all && word !== '@last') throw wrongUse('Name a run, or give --all.');
  if (remote.options.all) return (await import('../watch/watch-all.ts')).watchAll(remote);
  const { followToEnd: watchRun } = await import('../watch/watch-run.ts');
  process.exitCode = await watchRun(remote, await findId(remote.client, 'run', word));
}
