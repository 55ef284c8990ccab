import { execFile } from 'node:child_process';
import { RunlinkError } from '../base/error.ts';

/** The directory that git works in, and a `PATH` with git. */
export interface GitPlace {
  directory: string;
  path: string;
}

/** An environment in which git reads no configuration of the user and asks no questions. */
export function quietGitEnvironment(path: string): Record<string, string> {
  return {
    PATH: path,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
  };
}

/** Runs git on a repository and returns its output. Throws `git_failed` with git's message. */
export function gitIn(
  place: GitPlace,
  words: readonly string[],
  options: { input?: string | Buffer; env?: Record<string, string> } = {},
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      'git',
      ['-c', 'safe.directory=*', ...words],
      {
        cwd: place.directory,
        env: { ...quietGitEnvironment(place.path), ...options.env },
        encoding: 'buffer',
        maxBuffer: 256 * 1024 * 1024,
      },
      (error, stdout, stderr) => {
        if (!error) resolve(stdout);
        else
          reject(
            new RunlinkError('git_failed', `git ${words[0]}: ${stderr.toString().trim()}`, {
              cause: error,
            }),
          );
      },
    );
    child.stdin?.end(options.input);
  });
}

export async function gitText(
  place: GitPlace,
  words: readonly string[],
  options: { input?: string | Buffer; env?: Record<string, string> } = {},
): Promise<string> {
  return (await gitIn(place, words, options)).toString('utf8').trimEnd();
}

/** Every branch and tag with its commit. */
export async function readRefs(place: GitPlace): Promise<Map<string, string>> {
  const text = await gitText(place, [
    'for-each-ref',
    '--format=%(refname) %(objectname)',
    'refs/heads',
    'refs/tags',
  ]);
  const lines = text === '' ? [] : text.split('\n');
  return new Map(
    lines.map((line) => {
      const [ref = '', sha = ''] = line.split(' ');
      return [ref, sha];
    }),
  );
}
