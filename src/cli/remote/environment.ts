import { wrongUse } from '../exit-code.ts';
import { canAsk, choose } from '../questions.ts';
import { findId, readEnvironments } from './find.ts';
import { gitRemotes } from './git.ts';
import type { Remote } from './remote.ts';

/**
 * The environment for a run: the one named, none if asked for, the one with the current folder's
 * repository, or else the only one there is.
 */
export async function environmentFor(
  { client, say }: Pick<Remote, 'client' | 'say'>,
  named: string | false | undefined,
): Promise<string | undefined> {
  if (named === false) return undefined;
  if (named !== undefined) return findId(client, 'environment', named);
  const remotes = await gitRemotes();
  // A key without access to environments may still start runs.
  if (remotes.length === 0) return theOnlyOne(await readEnvironments(client).catch(() => []), say);
  const environments = await readEnvironments(client);
  for (const { repository } of remotes) {
    const having = environments.filter(({ config }) =>
      config?.github_repos?.some(
        ({ owner, repo }) => `${owner}/${repo}`.toLowerCase() === repository,
      ),
    );
    const found = having.map(({ uid, config }) => ({ value: uid, label: config?.name ?? uid }));
    const [only] = found;
    if (!only) continue;
    const chosen = found.length === 1 ? only.value : await chooseOne(repository, found);
    say(
      `Environment ${found.find(({ value }) => value === chosen)?.label}, which has ${repository}.`,
    );
    return chosen;
  }
  say(`No environment has ${remotes[0]?.repository}; the run begins in an empty workspace.`);
  return undefined;
}

function theOnlyOne(
  environments: Awaited<ReturnType<typeof readEnvironments>>,
  say: Remote['say'],
): string | undefined {
  const [only, ...others] = environments;
  if (!only) return undefined;
  if (others.length === 0) {
    say(`Environment ${only.config?.name ?? only.uid}, the only one there is.`);
    return only.uid;
  }
  say('The run begins in an empty workspace: name its environment with --environment.');
  return undefined;
}

function chooseOne(repository: string, found: { value: string; label: string }[]): Promise<string> {
  if (canAsk()) return choose(`Which environment? Several have ${repository}.`, found);
  const names = found.map(({ label }) => label).join(', ');
  throw wrongUse(
    `Several environments have ${repository}: ${names}.`,
    'Name one with --environment.',
  );
}
