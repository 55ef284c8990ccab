import type { GithubAccess } from './connect-github.ts';

/** Who we are on GitHub. */
export interface AppIdentity {
  appId: number;
  /** Login our comments are written by, such as `runlink[bot]`. */
  login: string;
}

/** Who we are, asked of GitHub once it answers: `GET /app` names the slug that our login is made of. */
export function identify(github: Pick<GithubAccess, 'app'>): () => Promise<AppIdentity> {
  let known: Promise<AppIdentity> | undefined;
  return async () => {
    known ??= ask(github);
    try {
      return await known;
    } catch (error) {
      known = undefined;
      throw error;
    }
  };
}

async function ask(github: Pick<GithubAccess, 'app'>): Promise<AppIdentity> {
  const { data } = await (await github.app()).request('GET /app');
  return { appId: data?.id ?? 0, login: `${data?.slug ?? ''}[bot]` };
}
