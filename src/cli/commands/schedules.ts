import type { Command } from 'commander';
import { schedule, updateScheduleRequest, type Schedule } from '../../contract/schedule.ts';
import { editable, editInEditor } from '../edit.ts';
import { isAgreed } from '../questions.ts';
import { renderList, shortId, when, type Column } from '../output/table.ts';
import { environmentFor } from '../remote/environment.ts';
import { findId } from '../remote/find.ts';
import { remoteCommand, type Remote } from '../remote/remote.ts';
import { addWatchOptions } from '../watch/watch-options.ts';
import { addGet, addList } from './lists.ts';
import { addWorkOptions, startRun, toConfig, type RunOptions, type WorkOptions } from './run.ts';

interface ScheduleOptions extends WorkOptions {
  name?: string;
  cron?: string;
  prompt?: string;
  paused?: boolean;
}

const FIELDS = Object.keys(schedule.shape);
const nextRun = ({ enabled, history }: Schedule) =>
  enabled ? when(history.next_run, '') : { text: 'paused', style: 'yellow' as const };

const COLUMNS: readonly Column<Schedule>[] = [
  { title: 'NAME', isHead: true, canShrink: true, cell: ({ name }) => name },
  { title: 'ID', isHead: true, cell: ({ id }) => shortId(id) },
  { title: 'CRON (UTC)', cell: ({ cron_schedule: cron }) => cron },
  { title: 'NEXT RUN', cell: nextRun },
  { title: 'LAST RUN', cell: ({ history }) => when(history.last_ran) },
];

const show = ({ show: print, screen }: Remote, made: Schedule): void =>
  print(made, () => renderList(screen, COLUMNS, [made]));

/** What the options say of a schedule; nothing of what they leave out. */
async function toFields(remote: Remote<ScheduleOptions>, before: object = {}) {
  const { options, client } = remote;
  const { name, cron, prompt, mode, metadata, skill, as, environment } = options;
  const environmentId = environment ? await environmentFor(remote, environment) : undefined;
  const config = { ...toConfig(options, environmentId), ...(skill && { skill_spec: skill }) };
  const old = (before as { agent_config?: object }).agent_config;
  return {
    ...(name && { name }),
    ...(cron && { cron_schedule: cron }),
    ...(prompt !== undefined && { prompt }),
    ...(mode && { mode }),
    ...(metadata && { metadata }),
    ...(as && { agent_uid: await findId(client, 'agent', as) }),
    ...(Object.keys(config).length > 0 && { agent_config: { ...old, ...config } }),
  };
}

async function create(remote: Remote<ScheduleOptions>, name: string): Promise<void> {
  const { cron = '', paused } = remote.options;
  const fields = await toFields(remote);
  show(
    remote,
    await remote.client.schedules.create({
      name,
      cron_schedule: cron,
      enabled: !paused,
      ...fields,
    }),
  );
}

async function edit(remote: Remote<ScheduleOptions>, word: string): Promise<void> {
  const { client, say } = remote;
  const id = await findId(client, 'schedule', word);
  const before = await client.schedules.get(id);
  const fields = editable(before, updateScheduleRequest);
  const changes = await toFields(remote, before);
  const after =
    Object.keys(changes).length > 0
      ? updateScheduleRequest.parse({ ...fields, ...changes })
      : await editInEditor(before.name, fields, updateScheduleRequest);
  if (!after) return say('Nothing was changed.');
  show(remote, await client.schedules.update(id, after));
}

/** A run as the schedule would start it now. */
async function runNow(remote: Remote<RunOptions>, word: string): Promise<void> {
  const { client } = remote;
  const { name, prompt, mode, agent_config, agent_uid, metadata } = await client.schedules.get(
    await findId(client, 'schedule', word),
  );
  await startRun(remote, {
    title: name,
    ...(prompt && { prompt }),
    ...(mode && { mode }),
    ...(agent_config && { config: agent_config }),
    ...(agent_uid && { agent_identity_uid: agent_uid }),
    ...(metadata && { metadata }),
  });
}

async function remove(remote: Remote<{ yes?: boolean }>, word: string): Promise<void> {
  const { client, options, show: print, say } = remote;
  const { id, name } = await client.schedules.get(await findId(client, 'schedule', word));
  if (!(await isAgreed(`Delete the schedule ${name}? It starts no more runs.`, options.yes)))
    return say('Nothing was changed.');
  await client.schedules.delete(id);
  print(id, () => `Deleted ${name}.`);
}

function addScheduleOptions(command: Command): Command {
  return addWorkOptions(
    command
      .option('--cron <expression>', 'minute hour day month weekday, in UTC')
      .option('--prompt <text>', 'what the agent is told'),
  );
}

export function addSchedulesCommands(program: Command): void {
  const schedules = program.command('schedules');
  addList<Schedule>(schedules, 'agents that run on a cron schedule, by name', {
    columns: COLUMNS,
    read: async ({ client }) => (await client.schedules.list()).schedules,
    none: 'No schedules. Make one with "runlink schedules create".',
    fields: FIELDS,
  });
  addGet(schedules, 'schedule', FIELDS, ({ client }, id) => client.schedules.get(id));
  const make = remoteCommand<ScheduleOptions>(
    schedules.command('create <name>'),
    'make one; prints it with its next run',
    create,
    FIELDS,
  );
  addScheduleOptions(make)
    .option('--paused', 'do not start yet')
    .addHelpText(
      'after',
      '\nExample:\n  $ runlink schedules create nightly --cron "0 3 * * *" --prompt "update the dependencies"',
    );
  const change = remoteCommand<ScheduleOptions>(
    schedules.command('edit <schedule>'),
    'change one by options; without any, in your editor',
    edit,
    FIELDS,
  );
  addScheduleOptions(change).option('--name <text>', 'another name');
  const now = remoteCommand<RunOptions>(
    schedules.command('run <schedule>'),
    'start a run as it would, now',
    runNow,
  );
  addWatchOptions(now.option('-w, --wait', 'follow the run to its end'));
  const turn = (verb: 'pause' | 'resume', description: string): Command =>
    remoteCommand(
      schedules.command(`${verb} <schedule>`),
      description,
      async (remote, word: string) =>
        show(
          remote,
          await remote.client.schedules[verb](await findId(remote.client, 'schedule', word)),
        ),
      FIELDS,
    );
  turn('pause', 'no runs until resumed');
  turn('resume', 'run by the schedule again');
  remoteCommand<{ yes?: boolean }>(
    schedules.command('delete <schedule>'),
    'stop all future runs',
    remove,
  ).option('-y, --yes', 'do not ask');
}
