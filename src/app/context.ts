import type { Log } from '../base/log.ts';
import type { Client } from '../client/client.ts';
import type { Github } from '../github/read/octokit.ts';
import type { Metrics } from './metrics.ts';
import type { AppIdentity } from './identify.ts';
import type { Replica } from './store/replica.ts';
import type { AppDb } from './store/tables.ts';

export interface AppSettings {
  /** First word of a command's line, such as `/agent`. */
  phrase: string;
  /** Name of our check runs. */
  checkName: string;
  /** How long the service or GitHub may fail to answer before the thread is told. */
  tellAfterMs: number;
  /**
   * How long one health check of the service may take, and the pause between checks while it is
   * down.
   */
  lookWithinMs: number;
  probeEveryMs: number;
  /**
   * Least time between two edits of a working run's comment, and between two looks at its progress.
   */
  editEveryMs: number;
  lookEveryMs: number;
  /**
   * Pause before reading again what could not be read of a run; after a few tries the sweep does
   * it.
   */
  againEveryMs: number;
  /** A command that could not be carried out is given up after this long. */
  giveUpAfterMs: number;
}

/** What every part of the App works with. */
export interface AppContext {
  db: AppDb;
  replica: Replica;
  client: Client;
  /** GitHub through this installation. */
  github: (installationId: number) => Promise<Github>;
  /** GitHub as the App itself. */
  appGithub: () => Promise<Github>;
  identity: () => Promise<AppIdentity>;
  settings: AppSettings;
  metrics: Metrics;
  log: Log;
  /** Says that there may be something new to write to GitHub. */
  pokeOutbox: () => void;
}
