import type { StandInActor } from './actor.ts';
import type { LineComment } from './review-lines.ts';
import type { components } from '@octokit/openapi-types';

export type StoredReaction = components['schemas']['reaction'];

/** What the stand-in knows besides the emulator. Rebuilt from the journal at each start. */
export interface StandInState {
  /** Where issues are that went to another repository, by the API path they had. */
  moved: Map<string, string>;
  /** Where the emulator sends its events. */
  eventUrl: string;
  publicUrl: string;
  /** Bearer tokens of people and Apps, with their owners. */
  tokens: Map<string, StandInActor>;
  /** Branches and tags by repository (`owner/name`), as the bare repositories have them. */
  refs: Map<string, Map<string, string>>;
  /** Head commit of each pull request, by `owner/name#number`. */
  pullHeads: Map<string, string>;
  /** Merge commit of each merged pull request, by the same key. */
  merges: Map<string, string>;
  /** Reactions by the API path of what they are on. */
  reactions: Map<string, StoredReaction[]>;
  /** Number of reactions given so far, removed ones included. */
  reactionsGiven: number;
  /** Positions of review comments, by their ids. */
  reviewLines: Map<number, LineComment>;
  /** Root comments of resolved threads; and the reason of each minimised comment, by node id. */
  resolved: Set<number>;
  minimized: Map<string, string>;
  /** One-time codes to fetch an App with, and the URL for its events. */
  manifestCodes: Map<string, string>;
  /** Creation times by node id, for things that an earlier process created. */
  times: Map<string, string>;
  /** The current change: when it was requested, and when it began. */
  asked: { at: string; began: string };
  /** Earlier times come from the replay and are not when things happened. */
  bornAt: string;
}

export function createState(publicUrl: string): StandInState {
  return {
    moved: new Map(),
    eventUrl: '',
    publicUrl,
    tokens: new Map(),
    refs: new Map(),
    pullHeads: new Map(),
    merges: new Map(),
    reactions: new Map(),
    reactionsGiven: 0,
    manifestCodes: new Map(),
    reviewLines: new Map(),
    resolved: new Set(),
    minimized: new Map(),
    times: new Map(),
    asked: { at: '', began: '9999' },
    bornAt: '',
  };
}

export function refsOf(state: StandInState, repository: string): Map<string, string> {
  const refs = state.refs.get(repository) ?? new Map<string, string>();
  state.refs.set(repository, refs);
  return refs;
}
