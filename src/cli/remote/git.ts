import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { RunlinkError } from '../../base/error.ts';

const execute = promisify(execFile);
const REMOTE = /^(\S+)\t(\S*?[/:]([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?) \(fetch\)$/gm;

/** A remote of the current repository. */
export interface NamedRemote {
  name: string;
  url: string;
  /** `owner/repo`, in lower case. */
  repository: string;
}

/** Runs git in the current folder; throws git's own message. */
export async function gitHere(...words: string[]): Promise<string> {
  try {
    return (await execute('git', words, { env: { ...process.env, GIT_TERMINAL_PROMPT: '0' } }))
      .stdout;
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    throw new RunlinkError('git_failed', `git ${words[0]} failed: ${stderr?.trim() ?? 'no git'}`, {
      cause: error,
    });
  }
}

/** The remotes of the current repository, `origin` first; none outside of a repository. */
export async function gitRemotes(): Promise<NamedRemote[]> {
  const text = await gitHere('remote', '-v').catch(() => '');
  return [...text.matchAll(REMOTE)]
    .map(([, name = '', url = '', owner, repo]) => ({
      name,
      url,
      repository: `${owner}/${repo}`.toLowerCase(),
    }))
    .toSorted((a, b) => Number(b.name === 'origin') - Number(a.name === 'origin'));
}
