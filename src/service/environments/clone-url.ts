import type { EnvironmentRepository, OperatorConfig } from '../../config/operator-config.ts';

const PUBLIC_API = 'https://api.github.com';
const PUBLIC_HOST = 'https://github.com';

/** Where git clones a repository from: as the operator says, else from the GitHub whose API is used. */
export function cloneUrl(
  repository: EnvironmentRepository,
  { api_url }: Pick<OperatorConfig['github'], 'api_url'>,
): string {
  const host = api_url === PUBLIC_API ? PUBLIC_HOST : new URL(api_url).origin;
  return repository.clone_url ?? `${host}/${repository.owner}/${repository.repo}.git`;
}
