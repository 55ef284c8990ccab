import type { StoredReaction, StandInState } from './state.ts';

export type ReactionContent = StoredReaction['content'];

const CONTENTS = ['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes'] as const;

export function isReactionContent(value: unknown): value is ReactionContent {
  return CONTENTS.some((content) => content === value);
}

export function reactionsOn(state: StandInState, path: string): StoredReaction[] {
  return state.reactions.get(path) ?? [];
}

/** Adds a reaction. Adding the same one for the same person again changes nothing. */
export function addReaction(
  state: StandInState,
  path: string,
  reaction: Omit<StoredReaction, 'id' | 'node_id'>,
): { reaction: StoredReaction; created: boolean } {
  const present = reactionsOn(state, path);
  const same = present.find(
    (item) => item.content === reaction.content && item.user?.id === reaction.user?.id,
  );
  if (same) return { reaction: same, created: false };
  state.reactionsGiven += 1;
  const id = state.reactionsGiven;
  const added = { ...reaction, id, node_id: `REA_${id}` };
  state.reactions.set(path, [...present, added]);
  return { reaction: added, created: true };
}

/** Removes a reaction; false if there is none with this id. */
export function removeReaction(state: StandInState, path: string, id: number): boolean {
  const present = reactionsOn(state, path);
  const rest = present.filter((item) => item.id !== id);
  state.reactions.set(path, rest);
  return rest.length < present.length;
}

/** The number of each reaction, as issues and comments show it. */
export function countReactions(state: StandInState, path: string): Record<string, number> {
  const list = reactionsOn(state, path.replace(/\/reactions$/, ''));
  const counts = CONTENTS.map((content) => [
    content,
    list.filter((item) => item.content === content).length,
  ]);
  return { ...Object.fromEntries(counts), total_count: list.length } as Record<string, number>;
}
