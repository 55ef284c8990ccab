import type { Migrations } from '../../database/migrate.ts';
import { core } from './0001-core.ts';
import { resources } from './0002-resources.ts';
import { sessions } from './0003-sessions.ts';
import { retention } from './0004-retention.ts';
import { lists } from './0005-lists.ts';
import { logins } from './0006-logins.ts';
import { statistics } from './0007-statistics.ts';
import { executions } from './0008-executions.ts';
import { tracks } from './0009-tracks.ts';
import { workflowKeys } from './0010-workflow-keys.ts';
import { readers } from './0011-readers.ts';
import { spaces } from './0012-spaces.ts';
import { people } from './0013-people.ts';
import { interrupts } from './0014-interrupts.ts';
import { slots } from './0015-slots.ts';
import { lines } from './0016-lines.ts';
import { messages } from './0017-messages.ts';
import { months } from './0018-months.ts';
import { attachments } from './0019-attachments.ts';
import { workerEnvironments } from './0020-worker-environments.ts';
import { madeOnce } from './0021-made-once.ts';

/**
 * The service's schema. Migrations only go forward; a released one is never changed. From 0006 on,
 * each one only expands the schema (CONTRIBUTING.md).
 */
export const SERVICE_SCHEMA = 'runlink';
export const SERVICE_MIGRATIONS: Migrations = {
  '0001_core': core,
  '0002_resources': resources,
  '0003_sessions': sessions,
  '0004_retention': retention,
  '0005_lists': lists,
  '0006_logins': logins,
  '0007_statistics': statistics,
  '0008_executions': executions,
  '0009_tracks': tracks,
  '0010_workflow_keys': workflowKeys,
  '0011_readers': readers,
  '0012_spaces': spaces,
  '0013_people': people,
  '0014_interrupts': interrupts,
  '0015_slots': slots,
  '0016_lines': lines,
  '0017_messages': messages,
  '0018_months': months,
  '0019_attachments': attachments,
  '0020_worker_environments': workerEnvironments,
  '0021_made_once': madeOnce,
};
