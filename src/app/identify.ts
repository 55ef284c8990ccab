import type { GithubAccess } from './connect-github.ts';

/** Who we are on GitHub. */
export interface AppIdentity {
  appId: number;
  /** The login that writes our comments, such as `runlink[bot]`. */
  login: string;
}

/** Asks GitHub who we are (`GET /app`): our login is made of the slug. */
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
