import type { Actor } from './actor.ts';
import type { components } from '@octokit/openapi-types';

export type Reaction = components['schemas']['reaction'];

/** What the stand-in knows beside the emulator; the journal remakes it at each start. */
export interface StandInState {
  publicUrl: string;
  /** Bearer tokens people and Apps use, and whom they stand for. */
  tokens: Map<string, Actor>;
  /** Branches and tags by repository (`owner/name`), as the bare repositories have them. */
  refs: Map<string, Map<string, string>>;
  /** Head commit of each pull request, by `owner/name#number`. */
  pullHeads: Map<string, string>;
  /** Merge commit of each merged pull request, likewise. */
  merges: Map<string, string>;
  /** Reactions by the API path of what they are on. */
  reactions: Map<string, Reaction[]>;
  /** Reactions given so far, those taken back included. */
  reactionsGiven: number;
  /** When things were made, by node id, for what an earlier process made. */
  times: Map<string, string>;
  /** The present change: when it was asked for, and when its carrying out began. */
  asked: { at: string; began: string };
  /** Times before this one are from replaying the journal and not when things happened. */
  bornAt: string;
}

export function createState(publicUrl: string): StandInState {
  return {
    publicUrl,
    tokens: new Map(),
    refs: new Map(),
    pullHeads: new Map(),
    merges: new Map(),
    reactions: new Map(),
    reactionsGiven: 0,
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
