import { silentLog } from '../../src/base/log.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import type { EmbeddedRole } from '../../src/database/open-embedded.ts';

/**
 * Opens an embedded database and ends as it is told, never closing it: `database-process.ts DIR
 * ROLE`.
 */
const [, , dataDir = '', role] = process.argv;
await openDatabase({
  location: { dataDir, role: role as EmbeddedRole },
  schema: 'probe',
  migrations: {},
  log: silentLog,
});
process.on('message', (how) => {
  if (how === 'throw') throw new Error('thrown by the test');
  process.exit(3);
});
process.send?.('open');
