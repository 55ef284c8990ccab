import type { Kysely } from 'kysely';
import type { Log } from '../base/log.ts';
import type { OperatorConfig } from '../config/operator-config.ts';
import type { Database } from '../database/open-database.ts';
import type { BlobStore } from './blobs/store.ts';
import type { GitAccess } from './git/git-access.ts';
import type { GoodKeys, KeyRow } from './keys/principal.ts';
import type { NotedWorkers } from './leases/note-worker.ts';
import type { Ask, Taken } from './leases/ask.ts';
import type { Word } from './leases/write-words.ts';
import type { Tally } from './metrics/tally.ts';
import type { NewRunRow } from './runs/create/new-run.ts';
import type { Secrets } from './secrets.ts';
import type { ServiceTables } from './tables.ts';
import type { Changes } from './waiting/changes.ts';

/** What the service's use cases share. */
export interface ServiceContext {
  database: Database<ServiceTables>;
  db: Kysely<ServiceTables>;
  config: OperatorConfig;
  log: Log;
  /** Origin people and clients reach the service under, without a trailing slash. */
  publicUrl: () => string;
  /** The service's own environment, for the variables that the configuration names. */
  variables: Record<string, string | undefined>;
  secrets: Secrets;
  changes: Changes;
  tally: Tally;
  blobs: BlobStore;
  git: GitAccess;
  /** Finds keys by their hashes, in one query for those that are asked for at the same time. */
  findKey: (hash: Buffer) => Promise<KeyRow | undefined>;
  goodKeys: GoodKeys;
  /** Inserts a run in a transaction that it shares with those that come at the same time. */
  insertRun: (row: NewRunRow) => Promise<void>;
  /** Takes a run for a worker, likewise. */
  takeRun: (ask: Ask) => Promise<Taken>;
  /** Writes what a worker says, likewise; undefined where its run is not as it says. */
  writeWord: (word: Word) => Promise<string | undefined>;
  /** What was noted of workers a moment ago. */
  notedWorkers: NotedWorkers;
  /** Lanes of the run queue by team and worker host, and their tracks by agent, once they are known. */
  lanes: Map<string, number>;
  /** Set while a restore holds what the service would do by itself (docs/operations.md). */
  held: { now: boolean };
  /** Whether the database can compare texts by their trigrams (pg_trgm). */
  trigrams: boolean;
  /** Words of texts that the search is known to know (search-text.ts). */
  knownWords: Set<string>;
}
