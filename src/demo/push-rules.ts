import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { StandInActor } from './actor.ts';
import type { StandInContext } from './context.ts';
import { KEEPER } from './upstream.ts';

/**
 * Refuses pushes that GitHub refuses, with the same messages: to a protected branch (GH006), and
 * changes to workflow files with a token that may not make them
 * (peter-evans/create-pull-request#1713).
 */
const PRE_RECEIVE = `#!/bin/sh
while read -r old new ref; do
  for branch in $PROTECTED_BRANCHES; do
    [ "$ref" = "refs/heads/$branch" ] || continue
    echo "error: GH006: Protected branch update failed for $ref." >&2
    exit 1
  done
  [ "$MAY_CHANGE_WORKFLOWS" = yes ] && continue
  file=$(git log --format= --name-only "$new" --not --all -- .github/workflows 2>/dev/null | sed -n '/./{p;q}')
  [ -z "$file" ] && continue
  echo "refusing to allow a GitHub App to create or update workflow \\\`$file\\\` without \\\`workflows\\\` permission" >&2
  exit 1
done
`;

const branches = z.array(z.object({ name: z.string(), protected: z.boolean() }));

/** The environment that makes git apply GitHub's rules to a push by this actor. */
export async function pushRules(
  context: StandInContext,
  actor: StandInActor,
  repository: string,
): Promise<Record<string, string>> {
  const hooks = join(context.gitRoot, '.hooks');
  await mkdir(hooks, { recursive: true });
  await writeFile(join(hooks, 'pre-receive'), PRE_RECEIVE, { mode: 0o755 });
  const path = `/repos/${repository}/branches?per_page=100`;
  const { body } = await context.upstream.send(KEEPER, 'GET', path);
  const isProtected = branches.parse(body).filter((branch) => branch.protected);
  const mayChange = actor.kind !== 'installation' || actor.permissions['workflows'] === 'write';
  return {
    HOOKS: hooks,
    PROTECTED_BRANCHES: isProtected.map(({ name }) => name).join(' '),
    MAY_CHANGE_WORKFLOWS: mayChange ? 'yes' : 'no',
  };
}
