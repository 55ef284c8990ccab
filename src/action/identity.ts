import { z } from 'zod';
import { graphql, type Github } from '../github/read/octokit.ts';

/** The account that a workflow's own token writes as. */
export const WORKFLOW_LOGIN = 'github-actions[bot]';

/**
 * The account that our token writes as. GitHub's answer to a reaction names it; without one it is
 * asked for once.
 */
export interface TokenIdentity {
  learn(login: string | undefined): void;
  login(): Promise<string>;
}

const answer = z.object({ data: z.object({ viewer: z.object({ login: z.string() }) }) });

export function createTokenIdentity(github: Github | undefined): TokenIdentity {
  let known: Promise<string> | undefined;
  const ask = async (): Promise<string> => {
    if (!github) return WORKFLOW_LOGIN;
    try {
      // The only query for this that tokens of workflows, Apps and people may all make.
      const query = 'query { viewer { login } }';
      return answer.parse(await graphql(github, query, {})).data.viewer.login;
    } catch {
      return WORKFLOW_LOGIN;
    }
  };
  return {
    learn: (login) => {
      if (login !== undefined) known = Promise.resolve(login);
    },
    login: () => (known ??= ask()),
  };
}
