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
  /** A service or GitHub that does not answer is told on the thread after this time. */
  tellAfterMs: number;
  /** A service that is watched counts as down when one look takes longer; it is looked for so often then. */
  lookWithinMs: number;
  probeEveryMs: number;
  /** A comment about a working run is changed at most so often, and how far the run is is looked at so often. */
  editEveryMs: number;
  lookEveryMs: number;
  /** What could not be read of a run is read again so often, a few times; then with each sweep. */
  againEveryMs: number;
  /** A command that could not be carried out is given up after this time. */
  giveUpAfterMs: number;
}

/** What every part of the App works with. */
export interface AppContext {
  db: AppDb;
  replica: Replica;
  client: Client;
  /** GitHub as this installation. */
  github: (installationId: number) => Promise<Github>;
  /** GitHub as the App itself. */
  appGithub: () => Promise<Github>;
  identity: () => Promise<AppIdentity>;
  settings: AppSettings;
  metrics: Metrics;
  log: Log;
  /** Says that there may be something to write to GitHub now. */
  pokeOutbox: () => void;
}
