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

/** Brings GitHub in step with what it should show, one request at a time. Failures are warnings. */
export interface Outbox {
  /** Puts a post there when its text changed; a newer one replaces one that waits. */
  put: Face['put'];
  /** Says what an earlier process knew: GitHub's id of a post. */
  recall: (key: string, remoteId: string) => void;
  /** Resolves when everything stands, or could not. */
  settle: () => Promise<void>;
  /** Where a post stands. */
  urlOf: (key: string) => string | undefined;
  /** Why GitHub does not take a post at all. */
  refusalOf: (key: string) => GithubRefusal | undefined;
  /** What GitHub shows is not the last that was put, and might still become it. */
  readonly isBehind: boolean;
}

export interface OutboxOptions {
  github: Github;
  identity: TokenIdentity;
  /** Input `reactions`: without them none is put. */
  reactions: boolean;
  /** Values that no text may show. */
  secrets: readonly string[];
  /** Told of each post that stands. */
  onWritten: (key: string, remoteId: string) => void;
}

interface Entry {
  post: Post;
  /** Text of what stands. */
  written?: string;
  remoteId?: string | undefined;
  url?: string;
  mayExist: boolean;
  isForStranger: boolean;
  /** When it was last changed after it was made, on the clock of `performance.now()`. */
  editedAt?: number;
  /** Has it written when its pace allows. */
  timer?: NodeJS.Timeout | undefined;
}

/** How often what could not be written is tried again at the end, and how long before that. */
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
    // Should the answer get lost, the next write looks for the post first.
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

  /** What passes waits for its pace; what comes meanwhile takes its place. */
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

/** Where nothing can be written, for want of a token or because nothing is to be. */
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
