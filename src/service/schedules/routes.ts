import type { ServiceContext } from '../context.ts';
import type { ResourceHandlers } from '../http/call.ts';
import { listSchedules, presentSchedule, requireSchedule } from './present-schedule.ts';
import { createSchedule, deleteSchedule, setEnabled, updateSchedule } from './write-schedules.ts';

export function createScheduleHandlers(context: ServiceContext): ResourceHandlers<'schedules'> {
  return {
    create: (call) => createSchedule(context, call),
    list: async ({ caller }) => ({ schedules: await listSchedules(context, caller.teamId) }),
    get: async ({ caller, params }) =>
      presentSchedule(context, await requireSchedule(context, caller.teamId, params.scheduleId)),
    update: ({ caller, params, body }) => updateSchedule(context, caller, params.scheduleId, body),
    delete: ({ caller, params }) => deleteSchedule(context, caller, params.scheduleId),
    pause: ({ caller, params }) => setEnabled(context, caller, params.scheduleId, false),
    resume: ({ caller, params }) => setEnabled(context, caller, params.scheduleId, true),
  };
}
