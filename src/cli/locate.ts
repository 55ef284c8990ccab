import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { RunlinkError } from '../base/error.ts';
import { wrongUse } from './exit-code.ts';
import { readYaml } from '../base/yaml.ts';
import {
  DEFAULT_OPERATOR_CONFIG,
  operatorConfig,
  type OperatorConfig,
} from '../config/operator-config.ts';
import type { DatabaseLocation } from '../database/open-database.ts';
import { isSystem } from '../worker/sandbox/machine-view.ts';
import { realPath } from '../worker/sandbox/view.ts';

/** Where a command finds the service's state. */
export interface DataOptions {
  data: string;
  databaseUrl?: string;
}

const DEFAULT_CONFIG_FILE = 'runlink.yaml';

/**
 * The full path of the data directory. Throws `invalid_option` for an empty name, and `data_shown`
 * for a directory under the machine's programs and libraries: every run of a worker can read those,
 * and keys are kept here (threats.md S16).
 */
export function dataDirectory(options: DataOptions): string {
  if (options.data.trim() === '')
    throw wrongUse('--data is empty.', 'Name a directory: here it would be the current one.');
  const dir = resolve(options.data);
  if (!isSystem(realPath(dir))) return dir;
  throw new RunlinkError(
    'data_shown',
    `Agents can see what lies in ${dir}: it must hold no keys.`,
    { hint: 'Keep the data somewhere else, such as --data /var/lib/runlink.' },
  );
}

/**
 * The database a command opens: the one at the given address, or the embedded one of the data
 * directory.
 */
export function databaseLocation(options: DataOptions, role: 'owner' | 'guest'): DatabaseLocation {
  const { databaseUrl: url } = options;
  return url ? { url } : { dataDir: dataDirectory(options), role };
}

/** Whether there is a configuration file. */
export function hasConfig(file: string | undefined): boolean {
  return file !== undefined || existsSync(DEFAULT_CONFIG_FILE);
}

/**
 * Loads the operator's configuration: the given file, else `runlink.yaml` in the current folder,
 * else the defaults.
 */
export async function loadOperatorConfig(file: string | undefined): Promise<OperatorConfig> {
  const name = file ?? DEFAULT_CONFIG_FILE;
  try {
    return readYaml(await readFile(name, 'utf8'), operatorConfig, name);
  } catch (error) {
    if (!isMissing(error)) throw unreadable(name, error);
    if (file === undefined) return DEFAULT_OPERATOR_CONFIG;
    throw new RunlinkError('config_not_found', `There is no configuration file ${file}.`, {
      hint: 'Check the path given with --config.',
      cause: error,
    });
  }
}

/** Names the file, which the system's own message does not always do. */
function unreadable(name: string, error: unknown): unknown {
  if (!(error instanceof Error && 'syscall' in error)) return error;
  return new RunlinkError('config_unreadable', `${name} cannot be read: ${error.message}`, {
    hint: 'It has to be a file that the user who runs this may read.',
  });
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
