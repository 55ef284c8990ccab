import { warning } from '@actions/core';
import { firstLine } from '../base/error.ts';
import { sleep } from '../base/time.ts';
import type { Face, Pace } from '../commands/face.ts';
import { readGithubFailure, type GithubRefusal } from '../github/read/github-failure.ts';
import { statusOf, type Github } from '../github/read/octokit.ts';
import { maskPost, type Post } from '../github/write/post.ts';
import { writePost } from '../github/write/write-post.ts';
import type { TokenIdentity } from './identity.ts';
import { info, quote } from './log.ts';

/** Writes posts to GitHub, one request at a time. A failure becomes a warning. */
export interface Outbox {
  /** Writes a post if its text changed. A newer version replaces one that still waits. */
  put: Face['put'];
  /** Tells the outbox GitHub's id of a post that an earlier process wrote. */
  recall: (key: string, remoteId: string) => void;
  /** Resolves when every post is written or given up. */
  settle: () => Promise<void>;
  /** URL of a post. */
  urlOf: (key: string) => string | undefined;
  /** Why GitHub refuses a post for good. */
  refusalOf: (key: string) => GithubRefusal | undefined;
  /** Whether something that was put is not written yet, but still might be. */
  readonly isBehind: boolean;
}

export interface OutboxOptions {
  github: Github;
  identity: TokenIdentity;
  /** Input `reactions`: whether reactions are written at all. */
  reactions: boolean;
  /** Values that must not appear in any text. */
  secrets: readonly string[];
  /** Called for each post that was written. */
  onWritten: (key: string, remoteId: string) => void;
}

interface Entry {
  post: Post;
  /** The text that GitHub shows. */
  written?: string;
  remoteId?: string | undefined;
  url?: string;
  mayExist: boolean;
  isForStranger: boolean;
  /** When it was last edited, on the clock of `performance.now()`. */
  editedAt?: number;
  /** Writes the post as soon as its pace allows. */
  timer?: NodeJS.Timeout | undefined;
}

/** How often a failed write is tried again at the end, and the pause before each try. */
const AGAIN_MAX = 2;
const AGAIN_PAUSE_MS = 500;
/** What people call each kind of post. */
const NAMES = {
  comment: 'The comment',
  check: 'The check',
  reaction: 'The reaction',
  review: 'The review',
};

export function createOutbox(options: OutboxOptions): Outbox {
  const entries = new Map<string, Entry>();
  const recalled = new Map<string, string>();
  const waiting = new Set<string>();
  const behind = new Set<string>();
  const denied = new Set<string>();
  const refusals = new Map<string, GithubRefusal>();
  let working: Promise<void> | undefined;
  let again = 0;

  async function write(key: string, entry: Entry): Promise<void> {
    const { github, identity, secrets, onWritten } = options;
    const post = maskPost(entry.post, secrets);
    const text = JSON.stringify(post.content);
    if (text === entry.written || denied.has(key) || denied.has(post.kind)) return;
    const standing = { remoteId: entry.remoteId, mayExist: entry.mayExist };
    // If the answer is lost, the next write must look for the post first.
    entry.mayExist = true;
    behind.delete(key);
    try {
      const written = await writePost(github, post, standing, {
        login: async () => identity.login(),
      });
      if (written.login !== undefined) identity.learn(written.login);
      if (written.id !== entry.remoteId) onWritten(key, written.id);
      else entry.editedAt = performance.now();
      Object.assign(entry, { remoteId: written.id, url: written.url, written: text });
    } catch (error) {
      noteFailure(key, entry, error);
      const isLast = again === AGAIN_MAX || !behind.has(key);
      const said = `${NAMES[post.kind]} could not be written${isLast ? '' : ' yet'}: ${explain(error)}`;
      if (isLast) warning(said);
      else info(said);
    }
  }

  function noteFailure(key: string, { post, isForStranger }: Entry, error: unknown): void {
    const failure = readGithubFailure(error, Date.now());
    const { kind } = failure;
    const isDenied = kind !== 'limit' && [401, 403].includes(statusOf(error) ?? 0);
    const isFinal = kind === 'gone' || (kind === 'never' && post.kind === 'review');
    const refused = isDenied ? post.kind : key;
    if ('detail' in failure) refusals.set(refused, failure);
    if (isDenied || isFinal) denied.add(refused);
    else if (!isForStranger) behind.add(key);
  }

  async function work(): Promise<void> {
    for (const key of waiting) {
      waiting.delete(key);
      const entry = entries.get(key);
      if (entry) await write(key, entry);
    }
    working = undefined;
  }

  function send(key: string, entry: Entry): void {
    clearTimeout(entry.timer);
    entry.timer = undefined;
    waiting.add(key);
    working ??= work();
  }

  /**
   * Writes a passing state no faster than its pace allows. A newer state replaces one that waits.
   */
  function sendInPace(key: string, entry: Entry, { everyMs, afterMs }: Pace): void {
    const { editedAt = -Infinity } = entry;
    const waitMs = Math.max(afterMs, editedAt + everyMs - performance.now());
    if (waitMs <= 0) return send(key, entry);
    clearTimeout(entry.timer);
    entry.timer = setTimeout(() => send(key, entry), waitMs);
  }

  return {
    put: async (post, { mayExist = false, isForStranger = false, pace } = {}) => {
      if (post.kind === 'reaction' && !options.reactions) return;
      const { key } = post;
      const remoteId = recalled.get(key);
      const known = entries.get(key);
      const entry = known ?? { post, mayExist, isForStranger, remoteId };
      entries.set(key, entry);
      entry.post = post;
      if (known && pace) sendInPace(key, entry, pace);
      else send(key, entry);
    },
    recall: (key, remoteId) => void recalled.set(key, remoteId),
    settle: async () => {
      for (const [key, entry] of entries) if (entry.timer) send(key, entry);
      await working;
      while (behind.size > 0 && again < AGAIN_MAX) {
        again += 1;
        await sleep(AGAIN_PAUSE_MS * again);
        for (const key of behind) waiting.add(key);
        working ??= work();
        await working;
      }
    },
    urlOf: (key) => entries.get(key)?.url,
    refusalOf: (key) => refusals.get(key) ?? refusals.get(entries.get(key)?.post.kind ?? ''),
    get isBehind() {
      return behind.size > 0;
    },
  };
}

/** An outbox that writes nothing: there is no token, or the inputs ask for no posts. */
export function createDryOutbox(): Outbox {
  return {
    put: async (post) => {
      if (post.kind === 'comment') quote(post.content.body);
    },
    recall: () => {},
    settle: async () => {},
    urlOf: () => undefined,
    refusalOf: () => undefined,
    isBehind: false,
  };
}

function explain(error: unknown): string {
  const { kind } = readGithubFailure(error, Date.now());
  const text = firstLine(error);
  if (statusOf(error) === 401)
    return `${text} (the token is no longer valid; the outputs still hold the result)`;
  if (kind === 'limit') {
    return `${text} (GitHub’s limit; the job’s last step tries again)`;
  }
  if (kind === 'denied') {
    return `${text} (give the job \`issues: write\`, \`pull-requests: write\` and \`checks: write\`; workflows of forks get a read-only token)`;
  }
  return text;
}
