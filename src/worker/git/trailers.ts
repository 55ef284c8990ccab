import type { RunClone } from './clone.ts';
import { git } from './git.ts';
import type { CommitAuthor } from './leftover.ts';

/** A longer history is pushed without trailers, as the agent made it. */
const REWRITE_MAX = 500;

export interface Trailers {
  run: string;
  coAuthor: CommitAuthor | undefined;
  signOff: CommitAuthor | undefined;
}

/** The trailers of every commit of a run. */
export function trailerLines({ run, coAuthor, signOff }: Trailers): string[] {
  const person = ({ name, email }: CommitAuthor): string => `${plain(name)} <${plain(email)}>`;
  return [
    `Run: ${plain(run)}`,
    ...(coAuthor ? [`Co-authored-by: ${person(coAuthor)}`] : []),
    ...(signOff ? [`Signed-off-by: ${person(signOff)}`] : []),
  ];
}

/** Words with which a commit closes an issue once it is merged, before what may name one. */
const CLOSING =
  /\b((?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s{1,20})(?=#\d|gh-\d|https?:|[\w.-]{1,100}\/[\w.-]{1,100}#\d)/gi;

/** The message with the trailers. What an agent writes closes no issue (threats.md G22). */
export async function withTrailers(message: string, trailers: Trailers): Promise<string> {
  const calm = message.replaceAll(CLOSING, '$1issue ');
  const options = trailerLines(trailers).flatMap((line) => ['--trailer', line]);
  return await git(['interpret-trailers', '--if-exists', 'addIfDifferent', ...options], {
    input: calm.endsWith('\n') ? calm : `${calm}\n`,
  });
}

/**
 * Adds the run's trailers to the agent's commits and returns the new head. The same commits always
 * give the same result, so that a second try after a crash pushes what the first one did.
 */
export async function addTrailers(
  clone: RunClone,
  headSha: string,
  trailers: Trailers,
): Promise<string> {
  const own = { gitDir: clone.gitDir };
  const range = ['--reverse', '--topo-order', headSha, `^${clone.keepSha}`, '--'];
  const commits = (await git(['rev-list', ...range], own)).split('\n').filter(Boolean);
  if (commits.length > REWRITE_MAX) return headSha;
  const renamed = new Map<string, string>();
  for (const sha of commits) {
    const commit = await git(['cat-file', 'commit', sha], own);
    const changed = await rewrite(commit, renamed, trailers);
    if (changed === commit) continue;
    const options = ['hash-object', '-t', 'commit', '-w', '--stdin'];
    renamed.set(sha, (await git(options, { ...own, input: changed })).trim());
  }
  return renamed.get(headSha) ?? headSha;
}

async function rewrite(
  commit: string,
  renamed: ReadonlyMap<string, string>,
  trailers: Trailers,
): Promise<string> {
  const split = commit.indexOf('\n\n');
  const header = commit.slice(0, split);
  const message = commit.slice(split + 2);
  // A message in another encoding could not be rewritten without damage.
  const readable = split > 0 && !commit.includes('\uFFFD') && !/^encoding /m.test(header);
  const newMessage = readable ? await withTrailers(message, trailers) : message;
  const newHeader = header.replaceAll(
    /^parent ([0-9a-f]+)$/gm,
    (line, parent: string) => `parent ${renamed.get(parent) ?? line.slice(7)}`,
  );
  if (newHeader === header && newMessage === message) return commit;
  const unsigned = newHeader.replaceAll(/\ngpgsig(?:-sha256)? .*(?:\n .*)*/g, '');
  return `${unsigned}\n\n${newMessage}`;
}

/** Makes a name or address safe for a trailer: one line, no angle brackets. */
function plain(value: string): string {
  return value
    .replaceAll(/[\p{Cc}<>]+/gu, ' ')
    .trim()
    .slice(0, 200);
}
