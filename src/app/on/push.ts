import { inertLine } from '../../github/render/inert-line.ts';
import { errorMessage } from '../../base/error.ts';
import { formatYamlIssue, type YamlIssue } from '../../base/yaml.ts';
import type { Reason } from '../../github/decide/reason.ts';
import { repositoryName } from '../../github/read/event.ts';
import { CHECK_TITLE_MAX, type CheckContent } from '../../github/render/check.ts';
import type { AppContext } from '../context.ts';
import { loadRepositoryConfig } from '../config/load.ts';
import { CONFIG_PATH } from '../config/schema.ts';
import type { Scene } from '../scene.ts';
import { wish } from '../store/posts.ts';
import type { Delivered } from './event.ts';

/** Name of the check run that says whether the configuration is valid. */
const CHECK_NAME = 'Runlink configuration';
const MESSAGE_MAX = 1000;
const SUMMARY_MAX = 60_000;

/**
 * A push changed the configuration: reports on its commit whether it is valid, with each error at
 * its line.
 */
export async function onPush(
  context: AppContext,
  { event, installationId, github }: Delivered,
): Promise<Reason[]> {
  const { sha } = event;
  if (sha === undefined || /^0+$/.test(sha)) return ['unsupported_event'];
  const repository = repositoryName(event.repository);
  const { broken } = await loadRepositoryConfig(context.db, github, repository);
  await wishCheck(context, { repository, sha, installationId }, broken);
  return [broken.length === 0 ? 'config_read' : 'config_broken'];
}

/**
 * A command found the configuration broken: reports that on the newest commit of the default
 * branch, unless a push already did. A failure to report it must not stop the command.
 */
export async function reportOnHead(
  context: AppContext,
  { github, event, installationId, broken }: Scene,
): Promise<void> {
  const { owner, name, defaultBranch } = event.repository;
  try {
    const { data } = await github.request('GET /repos/{owner}/{repo}/commits/{ref}', {
      owner,
      repo: name,
      ref: defaultBranch ?? 'HEAD',
    });
    const repository = repositoryName(event.repository);
    await wishCheck(context, { repository, sha: data.sha, installationId }, broken);
  } catch (error) {
    context.log.warn({ error: errorMessage(error) }, 'the broken configuration was not reported');
  }
}

async function wishCheck(
  context: AppContext,
  { repository, sha, installationId }: { repository: string; sha: string; installationId: number },
  broken: readonly YamlIssue[],
): Promise<void> {
  await wish(context.db, {
    key: `config:${repository}:${sha}`,
    kind: 'check',
    installationId,
    repository,
    number: 0,
    target: { headSha: sha, externalId: `config:${sha}` },
    content: broken.length === 0 ? soundCheck() : brokenCheck(broken),
  });
  context.pokeOutbox();
}

function soundCheck(): CheckContent {
  return {
    name: CHECK_NAME,
    status: 'completed',
    conclusion: 'success',
    output: { title: 'The configuration is in force', summary: `\`${CONFIG_PATH}\` was read.` },
  };
}

function brokenCheck(issues: readonly YamlIssue[]): CheckContent {
  const lines = issues.map((issue) => `- ${inertLine(formatYamlIssue(CONFIG_PATH, issue), 500)}`);
  const [first] = issues;
  return {
    name: CHECK_NAME,
    status: 'completed',
    conclusion: 'failure',
    output: {
      title: `${issues.length} errors; line ${first?.line ?? 1}: ${first?.message ?? ''}`.slice(
        0,
        CHECK_TITLE_MAX,
      ),
      summary: [`\`${CONFIG_PATH}\` is not in force; the last good one stays.`, '', ...lines]
        .join('\n')
        .slice(0, SUMMARY_MAX),
      annotations: issues.map(({ line, path, message }) => ({
        path: CONFIG_PATH,
        start_line: line,
        end_line: line,
        annotation_level: 'failure',
        message: `${path}${path === '' ? '' : ': '}${message}`.slice(0, MESSAGE_MAX),
      })),
    },
  };
}
