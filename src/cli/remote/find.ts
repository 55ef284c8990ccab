import { RunlinkError } from '../../base/error.ts';
import type { Client } from '../../client/connect.ts';
import { isProblem } from '../../client/error.ts';
import { canonicalUrl } from '../../contract/canonical-url.ts';
import type { RunRead } from '../../contract/run.ts';
import { wrongUse } from '../exit-code.ts';

/** Anything that commands accept by id, by the beginning of its id, or by name. */
export interface Named {
  id: string;
  name: string;
}

/** How many of the newest runs are searched for a prefix or an artifact. */
const RECENT_RUNS = 100;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const ENVIRONMENT_ID = /^[A-Za-z0-9]{22}$|^empty-environment$/;
const SHORT_ID = /^[0-9a-f][0-9a-f-]{0,35}$/i;
/** The search finds runs by this many digits and more. */
const SEARCHED_DIGITS = 8;
const LISTED_MAX = 5;

export async function recentRuns(client: Client): Promise<RunRead[]> {
  return (await client.runs.list({ limit: RECENT_RUNS, sort_by: 'created_at' })).runs;
}

export async function readEnvironments(client: Client, signal?: AbortSignal) {
  return (await client.environments.list({ sort_by: 'name' }, { signal })).environments;
}

const namedRun = ({ run_id: id, title }: RunRead): Named => ({ id, name: title ?? '' });

/** Lists everything of a kind that can be named, sorted by time or name. */
export const LISTS = {
  run: async (client) => (await recentRuns(client)).map(namedRun),
  environment: async (client) =>
    (await readEnvironments(client)).map(({ uid, config }) => ({
      id: uid,
      name: config?.name ?? '',
    })),
  schedule: async (client) => (await client.schedules.list()).schedules,
  agent: async (client) =>
    (await client.identities.list({})).agents.map(({ uid, name }) => ({ id: uid, name })),
  key: async (client) => (await client.keys.list({})).keys,
  artifact: async (client) =>
    savedFilesOf((await recentRuns(client)).flatMap(({ artifacts }) => artifacts ?? [])),
  model: async (client) =>
    (await client.models.list()).models.map(({ id, display_name }) => ({ id, name: display_name })),
  skill: async (client) =>
    (await client.skills.list({})).agents.flatMap(({ name, variants }) =>
      variants.map(({ id }) => ({ id, name })),
    ),
} satisfies Record<string, (client: Client) => Promise<readonly Named[]>>;
export type Kind = keyof typeof LISTS;

/** The artifacts that have contents of their own. */
export function savedFilesOf(artifacts: NonNullable<RunRead['artifacts']>): Named[] {
  return artifacts.flatMap(({ data }) => {
    const known = (data ?? {}) as Record<string, unknown>;
    const { artifact_uid: id, filename, title, description } = known;
    const name = [filename, title, description].find((each) => typeof each === 'string') ?? '';
    return typeof id === 'string' ? [{ id, name }] : [];
  });
}

/** The kind of thing that a command's usage names, such as `run` in `get <run>`. */
export function readKind(usage: string): Kind | undefined {
  const [, name = ''] = /^\w+ <(\w+)>/.exec(usage) ?? [];
  return Object.hasOwn(LISTS, name) ? (name as Kind) : undefined;
}

/**
 * The id that a word stands for: an id itself, a name, or the beginning of exactly one id or name.
 */
export async function findId(client: Client, kind: Kind, word: string): Promise<string> {
  if (word.trim() === '') throw wrongUse(`No ${kind} is named.`);
  if (kind === 'run') return findRunId(client, word);
  if (UUID.test(word) || (kind === 'environment' && ENVIRONMENT_ID.test(word))) return word;
  return pickOne(kind, word, await LISTS[kind](client)).id;
}

/**
 * The id of the run that a word stands for: its id or the beginning of it; `@last` (the caller's
 * newest, or the team's if the caller has none); the address of its page; or that of a pull request
 * or anything else that it reported.
 */
export async function findRunId(client: Client, word: string): Promise<string> {
  if (UUID.test(word)) return word;
  if (word === '@last') return lastRun(client);
  if (/^https?:\/\//i.test(word)) return runOfUrl(client, word);
  const found = SHORT_ID.test(word) ? await runsFrom(client, word) : [];
  return pickOne('run', word, found).id;
}

async function lastRun(client: Client): Promise<string> {
  const creator = await client.access
    .whoami()
    .then(({ profile }) => profile.uid)
    .catch((error: unknown) => {
      // Services that speak only the public interface do not say whose key it is.
      if (isProblem(error, 'resource_not_found')) return undefined;
      throw error;
    });
  const newest = { limit: 1, sort_by: 'created_at' } as const;
  const own = creator ? (await client.runs.list({ ...newest, creator })).runs : [];
  const [run] = own.length > 0 ? own : (await client.runs.list(newest)).runs;
  if (run) return run.run_id;
  throw new RunlinkError('not_found', 'There are no runs yet.', {
    hint: 'Start one: runlink run "…"',
  });
}

async function runOfUrl(client: Client, url: string): Promise<string> {
  if (!URL.canParse(url)) throw wrongUse(`"${url}" is not an address.`);
  const id = new URL(url).pathname.split('/').find((part) => UUID.test(part));
  if (id !== undefined) return id;
  try {
    return (await client.runs.byExternalReference({ url })).run_id;
  } catch (error) {
    if (!isProblem(error, 'resource_not_found')) throw error;
  }
  const wanted = canonicalUrl(url);
  const { runs } = await client.runs.list({ artifact_type: 'PULL_REQUEST', limit: RECENT_RUNS });
  const run = runs.find(({ artifacts }) =>
    artifacts?.some(({ data }) => data?.url !== undefined && canonicalUrl(data.url) === wanted),
  );
  if (run) return run.run_id;
  throw new RunlinkError('not_found', `No run reported ${url}.`, {
    hint: 'Look for it: runlink runs list --query "…"',
  });
}

async function runsFrom(client: Client, start: string): Promise<Named[]> {
  if (start.length < SEARCHED_DIGITS) return LISTS.run(client);
  const { runs } = await client.runs.list({ q: start, limit: RECENT_RUNS });
  return runs.map(namedRun);
}

function pickOne(kind: Kind, word: string, items: readonly Named[]): Named {
  const low = word.toLowerCase();
  const tests: ((item: Named) => boolean)[] = [
    ({ id }) => id === word,
    ({ name }) => kind !== 'run' && name === word,
    ({ name }) => kind !== 'run' && name.toLowerCase() === low,
    ({ id }) => id.toLowerCase().startsWith(low),
    ({ name }) => kind !== 'run' && name.toLowerCase().startsWith(low),
  ];
  const found = tests.map((test) => items.filter(test)).find((some) => some.length > 0) ?? [];
  const [only, ...more] = found;
  if (only && more.length === 0) return only;
  if (only) {
    const names = found.slice(0, LISTED_MAX).map(({ id, name }) => `${id}  ${name}`);
    throw new RunlinkError('ambiguous', `"${word}" could be ${found.length} ${kind}s.`, {
      hint: names.join('\n'),
    });
  }
  const known = items.slice(0, LISTED_MAX).flatMap(({ name }) => name || []);
  const isRecent = kind === 'run' && items.length === RECENT_RUNS;
  throw new RunlinkError('not_found', `There is no ${kind} "${word}".`, {
    ...(kind !== 'run' && known.length > 0 && { hint: `There are: ${known.join(', ')}.` }),
    ...(isRecent && {
      hint: `Give ${SEARCHED_DIGITS} digits of one older than the newest ${RECENT_RUNS}.`,
    }),
  });
}
