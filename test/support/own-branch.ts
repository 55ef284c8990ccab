import { branchName } from '../../src/worker/git/branch-name.ts';

/**
 * The head of a pull request that a run made: a branch that the worker named for it, in the
 * repository itself.
 */
export function ownHead(
  run: { run_id: string },
  repository = 'acme/widgets',
  sha = 'a'.repeat(40),
): { ref: string; sha: string; repo: { full_name: string } } {
  return { ref: branchName('fix it', run.run_id), sha, repo: { full_name: repository } };
}
