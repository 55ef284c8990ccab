import type { Face } from '../commands/face.ts';
import type { AppContext } from './context.ts';
import { wish } from './store/posts.ts';

/** Has the outbox put things on GitHub through an installation. */
export function putThrough(
  { db, pokeOutbox }: Pick<AppContext, 'db' | 'pokeOutbox'>,
  installationId: number,
): Face['put'] {
  return async (post, { isForStranger = false } = {}) => {
    await wish(db, { ...post, installationId, isForStranger });
    pokeOutbox();
  };
}
