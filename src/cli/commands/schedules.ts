import type { Command } from 'commander';
import { requestOfSchedule } from '../../contract/repeat-run.ts';
import { schedule, updateScheduleRequest, type Schedule } from '../../contract/schedule.ts';
import { wrongUse } from '../exit-code.ts';
import { renderList, shortId, when, type Column } from '../output/table.ts';
import { environmentFor } from '../remote/environment.ts';
import { findId } from '../remote/find.ts';
import { remoteCommand, type Remote } from '../remote/remote.ts';
import { addWatchOptions } from '../watch/watch-options.ts';
import { addDelete, addEdit, addGet, addList, type Changeable } from './lists.ts';
import {
  addWorkOptions,
  STARTED_FIELDS,
  startRun,
  toConfig,
  type RunOptions,
  type WorkOptions,
} from './run.ts';

interface ScheduleOptions extends WorkOptions {
  name?: string;
  cron?: string;
  prompt?: string;
  paused?: boolean;
}

/** The service sends the environment's settings along, and takes only its id. */
const changes = updateScheduleRequest.omit({ environment: true });
const SCHEDULES: Changeable<Schedule, typeof changes> = {
  kind: 'schedule',
  of: ({ schedules }) => schedules,
  schema: changes,
  fields: Object.keys(schedule.shape),
};
const nextRun = ({ enabled, history }: Schedule) =>
  enabled ? when(history.next_run, '') : { text: 'paused', style: 'yellow' as const };

const COLUMNS: readonly Column<Schedule>[] = [
  { title: 'NAME', isHead: true, canShrink: true, cell: ({ name }) => name },
  { title: 'ID', isHead: true, cell: ({ id }) => shortId(id) },
  { title: 'CRON (UTC)', cell: ({ cron_schedule: cron }) => cron },
  { title: 'NEXT RUN', cell: nextRun },
  { title: 'LAST RUN', cell: ({ history }) => when(history.last_ran) },
];

const showOne = ({ show, screen }: Remote, made: Schedule): void =>
  show(made, () => renderList(screen, COLUMNS, [made]));

export function addSchedulesCommands(program: Command): void {
  const schedules = program.command('schedules');
  const { fields } = SCHEDULES;
  addList<Schedule>(schedules, 'agents that run on a cron schedule, by name', {
    columns: COLUMNS,
    read: async ({ client }) => (await client.schedules.list()).schedules,
    none: 'No schedules. Make one with "runlink schedules create".',
    fields,
  });
  addGet(schedules, 'schedule', fields, ({ client }, id) => client.schedules.get(id));
  addScheduleOptions(
    remoteCommand(
      schedules,
      'create <name>',
      'make one; prints it with its next run',
      create,
      fields,
    ),
  )
    .option('--paused', 'do not start yet')
    .addHelpText(
      'after',
      '\nExample:\n  $ runlink schedules create nightly --cron "0 3 * * *" --prompt "update the dependencies"',
    );
  addScheduleOptions(addEdit(schedules, SCHEDULES, toFields, showOne), 'as it is');
  addWatchOptions(
    remoteCommand(
      schedules,
      'run <schedule>',
      'start a run as it would, now',
      runNow,
      STARTED_FIELDS,
    ).option('-w, --wait', 'follow the run to its end'),
  );
  for (const [verb, help] of [
    ['pause', 'no runs until resumed'],
    ['resume', 'let it start runs again'],
  ] as const) {
    const turn = async (remote: Remote, id: string) =>
      showOne(remote, await remote.client.schedules[verb](id));
    remoteCommand(schedules, `${verb} <schedule>`, help, turn, fields);
  }
  addDelete(schedules, SCHEDULES, 'stop all future runs', 'It starts no more runs.');
}

/** The fields that the options set, and no others. */
async function toFields(remote: Remote<ScheduleOptions>, before?: Schedule) {
  const { options, client } = remote;
  const { name, cron, prompt, mode, metadata, as } = options;
  const config = await toAgentConfig(remote, before);
  return {
    ...(name && { name }),
    ...(cron && { cron_schedule: cron }),
    ...(prompt !== undefined && { prompt }),
    ...(mode && { mode }),
    ...(metadata && { metadata }),
    ...(as !== undefined && { agent_uid: as && (await findId(client, 'agent', as)) }),
    ...(Object.keys(config).length > 0 && { agent_config: { ...before?.agent_config, ...config } }),
  };
}

async function toAgentConfig(remote: Remote<ScheduleOptions>, before: Schedule | undefined) {
  const { skill, environment } = remote.options;
  const isKept = before !== undefined && environment === undefined;
  const environmentId = isKept ? undefined : await environmentFor(remote, environment);
  return {
    ...(environment === false && { environment_id: undefined }),
    ...toConfig(remote.options, environmentId),
    ...(skill && { skill_spec: skill }),
  };
}

async function create(remote: Remote<ScheduleOptions>, name: string): Promise<void> {
  const { cron, prompt, skill, paused } = remote.options;
  if (!cron) throw wrongUse('It is not clear when it is to run.', 'Give --cron "0 3 * * *".');
  if (!prompt && !skill)
    throw wrongUse('There is nothing to do: no prompt and no skill.', 'Give --prompt or --skill.');
  const wanted = { name, cron_schedule: cron, enabled: !paused, ...(await toFields(remote)) };
  showOne(remote, await remote.client.schedules.create(wanted));
}

/** Starts a run as the schedule would. */
async function runNow(remote: Remote<RunOptions>, id: string): Promise<void> {
  await startRun(remote, requestOfSchedule(await remote.client.schedules.get(id)));
}

function addScheduleOptions(command: Command, environment?: string): Command {
  return addWorkOptions(
    command
      .option('--cron <expression>', 'minute hour day month weekday, in UTC')
      .option('--prompt <text>', 'what the agent is told'),
    environment,
  );
}
