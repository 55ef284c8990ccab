import { RunlinkError } from '../../base/error.ts';
import { TimedThread } from '../../base/timed-thread.ts';
import type { YamlResult } from '../../base/yaml.ts';
import type { RepositoryConfig } from './schema.ts';

type Read = YamlResult<RepositoryConfig>;

/** How many parsed files to keep: the same ones are asked for with each event. */
const KNOWN_MAX = 50;
const TOO_LONG: Read = {
  ok: false,
  issues: [
    {
      line: 1,
      column: 1,
      path: '',
      message: 'takes too long to read: make it shorter and simpler',
    },
  ],
};

/**
 * On a thread with a time limit, because whoever writes the file decides how long parsing takes
 * (threats.md G15).
 */
const thread = new TimedThread<string, Read>('config-thread', import.meta.url);
const known = new Map<string, Read>();

/**
 * Parses a repository's file into its settings or its errors. Throws if it should be tried again
 * later.
 */
export async function readConfig(text: string): Promise<Read> {
  const before = known.get(text);
  if (before) return before;
  const { answers, gaveUp } = await thread.run([text]);
  if (gaveUp === 'busy')
    throw new RunlinkError('busy', 'Too many configurations are waiting to be read.');
  const [read = TOO_LONG] = answers;
  const [oldest] = known.keys();
  if (known.size >= KNOWN_MAX && oldest !== undefined) known.delete(oldest);
  known.set(text, read);
  return read;
}
