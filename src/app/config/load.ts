import type { Kysely } from 'kysely';
import { z } from 'zod';
import { parseYaml, type YamlIssue } from '../../base/yaml.ts';
import { statusOf, type Github } from '../../github/octokit.ts';
import { readStoredConfig, storeConfig } from '../store/configs.ts';
import { CONFIG_PATH, DEFAULT_CONFIG, repositoryConfig, type RepositoryConfig } from './schema.ts';

export interface LoadedConfig {
  config: RepositoryConfig;
  /** Repository whose file is in force; undefined where the defaults are. */
  from: string | undefined;
  /** What is wrong with the file on the default branch, which is therefore not in force. */
  broken: YamlIssue[];
}

type Fetched = 'unchanged' | 'absent' | { text: string; etag: string | null };

/**
 * The configuration in force: the repository's own file, else its organisation's. A file with faults
 * leaves the last good one in force. Each read is conditional, so that an unchanged file costs
 * nothing of the rate limit. GitHub's failures are thrown.
 */
export async function loadConfig(
  db: Kysely<unknown>,
  github: Github,
  repository: string,
): Promise<LoadedConfig> {
  const own = await loadFrom(db, github, repository);
  if (own.config) return { config: own.config, from: repository, broken: own.broken };
  const organisation = `${repository.split('/')[0] ?? ''}/.github`;
  const shared =
    own.broken.length > 0 || repository === organisation
      ? undefined
      : await loadFrom(db, github, organisation);
  const config = shared?.config;
  return {
    config: config ?? DEFAULT_CONFIG,
    from: config && organisation,
    broken: own.broken,
  };
}

/** The text of a file that is in force or was, as a configuration; undefined when it has faults. */
export function readConfig(text: string): RepositoryConfig | undefined {
  const parsed = parseYaml(text, repositoryConfig);
  return parsed.ok ? parsed.value : undefined;
}

async function loadFrom(
  db: Kysely<unknown>,
  github: Github,
  repository: string,
): Promise<{ config: RepositoryConfig | undefined; broken: YamlIssue[] }> {
  const stored = await readStoredConfig(db, repository);
  const lastGood = stored?.good === null || !stored ? undefined : readConfig(stored.good);
  const fetched = await fetchFile(github, repository, stored?.etag ?? null);
  if (fetched === 'unchanged') return { config: lastGood, broken: [] };
  if (fetched === 'absent') {
    await storeConfig(db, repository, { etag: null, good: null });
    return { config: undefined, broken: [] };
  }
  const parsed = parseYaml(fetched.text, repositoryConfig);
  if (!parsed.ok) {
    await storeConfig(db, repository, { etag: null });
    return { config: lastGood, broken: parsed.issues };
  }
  await storeConfig(db, repository, { etag: fetched.etag, good: fetched.text });
  return { config: parsed.value, broken: [] };
}

async function fetchFile(
  github: Github,
  repository: string,
  etag: string | null,
): Promise<Fetched> {
  const [owner = '', repo = ''] = repository.split('/');
  try {
    const answer = await github.request('GET /repos/{owner}/{repo}/contents/{path}', {
      owner,
      repo,
      path: CONFIG_PATH,
      headers: {
        accept: 'application/vnd.github.raw+json',
        ...(etag === null ? {} : { 'if-none-match': etag }),
      },
    });
    return { text: textOf(answer.data), etag: answer.headers.etag ?? null };
  } catch (error) {
    if (statusOf(error) === 304) return 'unchanged';
    if (statusOf(error) === 404) return 'absent';
    throw error;
  }
}

const encoded = z.looseObject({ encoding: z.literal('base64'), content: z.string() });

/** The file itself, as text or bytes by the answer's content type, or inside JSON where raw is unknown. */
function textOf(data: unknown): string {
  if (data instanceof ArrayBuffer) return new TextDecoder().decode(data);
  const json = encoded.safeParse(data);
  return json.success ? Buffer.from(json.data.content, 'base64').toString('utf8') : String(data);
}
