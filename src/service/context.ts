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
import type { Db, ServiceTables } from './tables.ts';
import type { Changes } from './waiting/changes.ts';

/** What all parts of the service share. */
export interface ServiceContext {
  database: Database<ServiceTables>;
  db: Db;
  config: OperatorConfig;
  log: Log;
  /** The origin at which people and clients reach the service, without a trailing slash. */
  publicUrl: () => string;
  /** The process's environment, for the variables that the configuration names. */
  variables: Record<string, string | undefined>;
  secrets: Secrets;
  changes: Changes;
  tally: Tally;
  blobs: BlobStore;
  git: GitAccess;
  /** Finds a key by its hash; calls that arrive together share one query. */
  findKey: (hash: Buffer) => Promise<KeyRow | undefined>;
  goodKeys: GoodKeys;
  /** Inserts a run; calls that arrive together share one transaction. */
  insertRun: (row: NewRunRow) => Promise<void>;
  /** Claims a run for a worker; calls that arrive together share one statement. */
  takeRun: (ask: Ask) => Promise<Taken>;
  /**
   * Writes what a worker reports, likewise. Undefined if the run is not in the state that the
   * report assumes.
   */
  writeWord: (word: Word) => Promise<string | undefined>;
  /** What workers last reported, to save writes. */
  notedWorkers: NotedWorkers;
  /** Cached ids: the lanes of the run queue by team and worker host, and their tracks by agent. */
  lanes: Map<string, number>;
  /** Set while the service holds back its own actions after a restore (docs/operations.md). */
  held: { now: boolean };
  /** Whether the database has trigram search (pg_trgm). */
  trigrams: boolean;
  /** Words that are in the search's dictionary for certain (search-text.ts). */
  knownWords: Set<string>;
}
