import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { allRuns } from '../../client/pages.ts';
import { listRunsQuery, type ListRunsQuery } from '../../contract/run.ts';
import { parseQuery } from '../parse-query.ts';
import { followRun } from '../follow-run.ts';
import { interruptSignal } from '../interrupt.ts';
import { readCount } from '../read-option.ts';
import { addRemoteOptions, remoteClient, type RemoteOptions } from '../remote.ts';
import { describeRun, paintState, runDuration } from '../show-run.ts';
import { plain, printJson, table } from '../terminal.ts';

interface ListOptions extends RemoteOptions {
  state?: string[];
  source?: string[];
  environment?: string;
  query?: string;
  sortBy?: string;
  sortOrder?: string;
  limit: number;
}

function toQuery(options: ListOptions): ListRunsQuery {
  return parseQuery(listRunsQuery, {
    state: options.state?.map((state) => state.toUpperCase()),
    source: options.source,
    environment_id: options.environment,
    q: options.query,
    sort_by: options.sortBy,
    sort_order: options.sortOrder,
  });
}

async function listRuns(options: ListOptions): Promise<void> {
  const signal = interruptSignal();
  const runs = [];
  for await (const run of allRuns(remoteClient(options), toQuery(options), { signal })) {
    runs.push(run);
    if (runs.length >= options.limit) break;
  }
  if (options.json) return printJson(runs);
  if (runs.length === 0) return void process.stderr.write('No runs match.\n');
  const out = process.stdout;
  const rows = runs.map((run) => [
    run.run_id,
    run.state,
    runDuration(run),
    run.updated_at ?? '',
    (run.title ?? '').slice(0, 60),
  ]);
  const text = table(out, ['RUN', 'STATE', 'TIME', 'UPDATED', 'TITLE'], rows);
  out.write(`${text.replaceAll(/(?<= )[A-Z]{6,10}(?= )/g, (state) => paintState(out, state))}\n`);
}

async function showRun(runId: string, options: RemoteOptions): Promise<void> {
  const run = await remoteClient(options).runs.get(runId, { signal: interruptSignal() });
  if (options.json) printJson(run);
  else process.stdout.write(`${describeRun(process.stdout, run)}\n`);
}

async function watch(runId: string, options: RemoteOptions): Promise<void> {
  process.exitCode = await followRun(remoteClient(options), runId, {
    signal: interruptSignal(),
    json: options.json ?? false,
  });
}

async function cancelRun(runId: string, options: RemoteOptions): Promise<void> {
  await remoteClient(options).runs.cancel(runId, { signal: interruptSignal() });
  if (options.json) printJson(runId);
  else process.stdout.write(`Cancelled ${runId}.\n`);
}

const OUTCOMES: Record<string, string> = {
  queued_prompt: 'The run has not started; the message joins its prompt.',
  live_session: 'The agent has the message.',
  queue_pending: 'The agent is at work; it gets the message next.',
  handoff_execution: 'The run had ended; it starts again with the message.',
};

async function followUp(runId: string, words: string[], options: RemoteOptions): Promise<void> {
  const reply = await remoteClient(options).runs.followup(
    runId,
    { message: words.join(' ') },
    { signal: interruptSignal() },
  );
  if (options.json) printJson(reply);
  else process.stdout.write(`${OUTCOMES[reply.outcome ?? ''] ?? 'Accepted.'}\n`);
}

async function showTimeline(runId: string, options: RemoteOptions): Promise<void> {
  const { events } = await remoteClient(options).runs.timeline(runId, {
    signal: interruptSignal(),
  });
  if (options.json) return printJson(events);
  const rows = events.map((event) => [
    event.occurred_at,
    event.event_type,
    describePayload(event.payload),
  ]);
  process.stdout.write(`${table(process.stdout, ['TIME', 'EVENT', 'DETAIL'], rows)}\n`);
}

function describePayload(payload: Record<string, unknown> | undefined): string {
  return Object.entries(payload ?? {})
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')
    .slice(0, 100);
}

async function saveTranscript(runId: string, options: RemoteOptions): Promise<void> {
  const body = await remoteClient(options).runs.transcript(runId, { signal: interruptSignal() });
  await pipeline(body, process.stdout, { end: false });
}

async function showConversation(runId: string, options: RemoteOptions): Promise<void> {
  const conversation = await remoteClient(options).runs.conversation(runId, {
    signal: interruptSignal(),
  });
  if (options.json) return printJson(conversation);
  for (const message of conversation.steps.flatMap((step) => step.messages)) {
    for (const block of message.content) {
      if (block.type === 'text') process.stdout.write(`${message.role}: ${plain(block.text)}\n`);
      if (block.type === 'action')
        process.stdout.write(
          `  ${plain(block.name)} ${plain(JSON.stringify(block.input)).slice(0, 120)}\n`,
        );
      if (block.type === 'action_result') process.stdout.write(`  → ${block.state}\n`);
    }
  }
}

const onRun = (runs: Command, name: string, description: string): Command =>
  addRemoteOptions(runs.command(`${name} <run-id>`)).description(description);

export function addRunsCommands(program: Command): void {
  const runs = program.command('runs').description('look at runs and steer them');
  addRemoteOptions(runs.command('list'))
    .description('newest change first')
    .option('--state <state...>', 'only these states')
    .option('--source <source...>', 'only these sources')
    .option('-e, --environment <id>', 'only this environment, or "empty-environment"')
    .option('-q, --query <text>', 'search title, prompt and skill')
    .option('--sort-by <field>', 'updated_at, created_at, title or agent')
    .option('--sort-order <order>', 'asc or desc')
    .option('-n, --limit <count>', 'how many at the most', readCount, 20)
    .addHelpText('after', '\nExample:\n  $ runlink runs list --state FAILED ERROR --limit 5')
    .action(listRuns);
  onRun(runs, 'get', 'one run').action(showRun);
  onRun(runs, 'watch', 'follow a run to its end; exit 0 only if it succeeds').action(watch);
  onRun(runs, 'cancel', 'end a queued or working run').action(cancelRun);
  onRun(runs, 'timeline', 'set-up and lifecycle events').action(showTimeline);
  onRun(runs, 'conversation', 'what was said and done').action(showConversation);
  onRun(runs, 'transcript', 'the raw transcript, as JSON lines').action(saveTranscript);
  addRemoteOptions(runs.command('follow <run-id> <message...>'))
    .description('send a message to a run: queued, working or ended')
    .action(followUp);
}
