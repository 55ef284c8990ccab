import { githubOrigin, PUBLIC_API } from '../../contract/github-origin.ts';

/** A token for git, and the only host that may get it. */
export interface GitCredentials {
  /** Such as `https://github.com`. */
  origin: string;
  token: string;
}

/**
 * The token for a repository, if the repository lies on the host that the token is for. A GitHub
 * token is sent to no other host, whatever address an environment clones from (threats.md S18).
 */
export function credentialsFor(
  cloneUrl: string,
  { token, apiUrl }: { token: string | undefined; apiUrl: string },
): GitCredentials | undefined {
  if (token === undefined) return undefined;
  const origin = URL.parse(cloneUrl)?.origin;
  if (!origin?.startsWith('http') || origin !== githubOrigin(apiUrl)) return undefined;
  return { origin, token };
}

/**
 * Whether the repository is on the GitHub of this API. A local path counts as on it unless that is
 * github.com, because it may be a copy from a private GitHub.
 */
export function isOnGitHub(cloneUrl: string, apiUrl: string): boolean {
  if (cloneUrl.startsWith('/') || cloneUrl.startsWith('file:')) return apiUrl !== PUBLIC_API;
  const github = URL.parse(githubOrigin(apiUrl));
  const url = URL.parse(cloneUrl);
  if (url?.protocol.startsWith('http')) return url.host === github?.host;
  // Over SSH the port does not matter: behind firewalls GitHub is reached as `ssh.github.com`, on
  // another port.
  const name = url?.hostname ?? cloneUrl.split('@')[1]?.split(':')[0];
  return github !== null && name?.toLowerCase().replace(/^ssh\./, '') === github.hostname;
}
