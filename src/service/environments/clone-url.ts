import { githubOrigin } from '../../contract/github-origin.ts';
import type { EnvironmentRepository, OperatorConfig } from '../../config/operator-config.ts';

/**
 * The address to clone a repository from: the one that the operator configured, otherwise on the
 * GitHub whose API is used.
 */
export function cloneUrl(
  repository: EnvironmentRepository,
  { api_url }: Pick<OperatorConfig['github'], 'api_url'>,
): string {
  const { owner, repo, clone_url } = repository;
  return clone_url ?? `${githubOrigin(api_url)}/${owner}/${repo}.git`;
}
