import { silentLog } from '../../src/base/log.ts';
import { openDatabase } from '../../src/database/open-database.ts';

/** Owns an embedded database until it is killed: `owner-process.ts DIR`. */
const [, , dataDir = ''] = process.argv;
await openDatabase({
  location: { dataDir, role: 'owner' },
  schema: 'probe',
  migrations: {},
  log: silentLog,
});
process.send?.('open');
