import { z } from 'zod';
import type { YamlIssue } from '../../base/yaml.ts';
import { statusOf, type Github } from '../../github/read/octokit.ts';
import { readStoredConfig, storeConfig } from '../store/configs.ts';
import { readConfig } from './read-config.ts';
import { CONFIG_PATH, DEFAULT_CONFIG, type RepositoryConfig } from './schema.ts';
import type { AppDb } from '../store/tables.ts';

export interface LoadedConfig {
  config: RepositoryConfig;
  /** Repository of the file in force; undefined if the defaults are. */
  from: string | undefined;
  /** The errors of the file on the default branch, which keep it from being in force. */
  broken: YamlIssue[];
}

type Fetched = 'unchanged' | 'absent' | 'unreadable' | { text: string; etag: string | null };

/** Far more than anybody writes; GitHub itself allows a megabyte. */
const TEXT_MAX = 128 * 1024;
const UNREADABLE: YamlIssue = {
  line: 1,
  column: 1,
  path: '',
  message: `is not a text file of at most ${TEXT_MAX} characters`,
};

/**
 * Finds the configuration in force: the repository's own file, else its organisation's. A file with
 * errors leaves the previous one in force. Reads are conditional, so an unchanged file costs
 * nothing of the rate limit. GitHub's failures are thrown.
 */
export async function loadRepositoryConfig(
  db: AppDb,
  github: Github,
  repository: string,
): Promise<LoadedConfig> {
  const own = await loadFrom(db, github, repository);
  if (own.config) return { config: own.config, from: repository, broken: own.broken };
  const organisation = `${repository.split('/')[0] ?? ''}/.github`;
  const shared = repository === organisation ? undefined : await loadFrom(db, github, organisation);
  const config = shared?.config;
  return {
    config: config ?? DEFAULT_CONFIG,
    from: config && organisation,
    broken: own.broken,
  };
}

async function loadFrom(
  db: AppDb,
  github: Github,
  repository: string,
): Promise<{ config: RepositoryConfig | undefined; broken: YamlIssue[] }> {
  const stored = await readStoredConfig(db, repository);
  const before = stored?.good ? await readConfig(stored.good) : undefined;
  const lastGood = before?.ok ? before.value : undefined;
  const fetched = await fetchFile(github, repository, lastGood && stored?.etag);
  if (fetched === 'unchanged') return { config: lastGood, broken: [] };
  if (fetched === 'absent') {
    await storeConfig(db, repository, { etag: null, good: null });
    return { config: undefined, broken: [] };
  }
  if (fetched === 'unreadable') return { config: lastGood, broken: [UNREADABLE] };
  const parsed = await readConfig(fetched.text);
  if (!parsed.ok) return { config: lastGood, broken: parsed.issues };
  await storeConfig(db, repository, { etag: fetched.etag, good: fetched.text });
  return { config: parsed.value, broken: [] };
}

async function fetchFile(
  github: Github,
  repository: string,
  etag: string | null | undefined,
): Promise<Fetched> {
  const [owner = '', repo = ''] = repository.split('/');
  try {
    const answer = await github.request('GET /repos/{owner}/{repo}/contents/{path}', {
      owner,
      repo,
      path: CONFIG_PATH,
      headers: {
        accept: 'application/vnd.github.object+json',
        ...(etag ? { 'if-none-match': etag } : {}),
      },
    });
    const read = file.safeParse(answer.data);
    if (!read.success) return 'unreadable';
    const text = Buffer.from(read.data.content, 'base64').toString('utf8');
    if (text.length > TEXT_MAX || text.includes('\0')) return 'unreadable';
    return { text, etag: answer.headers.etag ?? null };
  } catch (error) {
    if (statusOf(error) === 304) return 'unchanged';
    if (statusOf(error) === 404) return 'absent';
    throw error;
  }
}

/** // Refuses directories, submodules, broken links, and files too large for GitHub to return. */
const file = z.looseObject({
  type: z.literal('file').default('file'),
  encoding: z.literal('base64'),
  content: z.string(),
});
