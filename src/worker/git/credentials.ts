import { githubOrigin, PUBLIC_API } from '../../contract/github-origin.ts';

/** A token for git, and the only place it may be sent to. */
export interface GitCredentials {
  /** Such as `https://github.com`. */
  origin: string;
  token: string;
}

/**
 * The token for a repository, if it belongs to the host that the repository lies on. A token of GitHub's goes
 * to no other host, wherever an environment clones from (threats.md S18).
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

/** Whether the GitHub with this API has the repository. A local path may be a copy of one of a private GitHub. */
export function isOnGitHub(cloneUrl: string, apiUrl: string): boolean {
  if (cloneUrl.startsWith('/') || cloneUrl.startsWith('file:')) return apiUrl !== PUBLIC_API;
  const github = URL.parse(githubOrigin(apiUrl));
  const url = URL.parse(cloneUrl);
  if (url?.protocol.startsWith('http')) return url.host === github?.host;
  // By ssh another port is nothing else: GitHub has one on the host `ssh.github.com` for those behind firewalls.
  const name = url?.hostname ?? cloneUrl.split('@')[1]?.split(':')[0];
  return github !== null && name?.toLowerCase().replace(/^ssh\./, '') === github.hostname;
}
