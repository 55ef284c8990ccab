import { githubOrigin } from '../../contract/github-origin.ts';
import type { EnvironmentRepository, OperatorConfig } from '../../config/operator-config.ts';

/** Where git clones a repository from: as the operator says, else from the GitHub whose API is used. */
export function cloneUrl(
  repository: EnvironmentRepository,
  { api_url }: Pick<OperatorConfig['github'], 'api_url'>,
): string {
  const { owner, repo, clone_url } = repository;
  return clone_url ?? `${githubOrigin(api_url)}/${owner}/${repo}.git`;
}
