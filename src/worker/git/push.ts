import { RunlinkError } from '../../base/error.ts';
import type { RunClone } from './clone.ts';
import type { GitCredentials } from './credentials.ts';
import { git, type GitOptions, type GitProtocol } from './git.ts';

export interface PushOrder {
  clone: RunClone;
  sha: string;
  transports: readonly GitProtocol[];
  credentials: GitCredentials | undefined;
  /** The commit that an earlier execution pushed. */
  publishedSha: string | undefined;
  signal: AbortSignal | undefined;
  /** Variables for git, such as proxies. */
  env: Readonly<Record<string, string>>;
}

/**
 * Pushes the work to its branch, unless it is there already. Never overwrites a commit that is not
 * ours, and on a shared branch none at all: throws `branch_moved` instead. Throws `git_failed` with
 * the remote's message.
 */
export async function pushBranch(order: PushOrder): Promise<void> {
  const { clone, sha } = order;
  const access = accessOf(order);
  const ref = `refs/heads/${clone.branch}`;
  const there = await remoteHead(order);
  if (there === sha) return;
  const ours = !clone.shared && [clone.keepSha, order.publishedSha, undefined].includes(there);
  if (!ours && !(there && (await isAncestor(clone.gitDir, there, sha))))
    throw new RunlinkError(
      'branch_moved',
      `Somebody else pushed to ${clone.branch} while the agent was working.`,
      { hint: 'Send a follow-up: it starts from the newest commit of the branch.' },
    );
  await git(
    [
      'push',
      '--quiet',
      '--no-verify',
      `--force-with-lease=${ref}:${there ?? ''}`,
      '--',
      clone.url,
      `${sha}:${ref}`,
    ],
    access,
  );
}

/**
 * Fetches the current head of the branch into the worker's repository; undefined if the branch no
 * longer exists.
 */
export async function fetchHead(order: PushOrder): Promise<string | undefined> {
  const { clone } = order;
  const there = await remoteHead(order);
  if (there === undefined) return undefined;
  const only = ['--quiet', '--no-tags', '--no-write-fetch-head', '--', clone.url, there];
  await git(['fetch', ...only], accessOf(order));
  return there;
}

async function remoteHead(order: PushOrder): Promise<string | undefined> {
  const { url, branch } = order.clone;
  const said = await git(['ls-remote', '--', url, `refs/heads/${branch}`], accessOf(order));
  return /^([0-9a-f]+)\t/.exec(said)?.[1];
}

function accessOf({ clone, transports, signal, env, credentials }: PushOrder): GitOptions {
  return { gitDir: clone.gitDir, transports, signal, env, credentials };
}

async function isAncestor(gitDir: string, ancestor: string, sha: string): Promise<boolean> {
  try {
    await git(['merge-base', '--is-ancestor', ancestor, sha], { gitDir });
    return true;
  } catch {
    return false;
  }
}
