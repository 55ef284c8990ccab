import { upsertCheck } from '../github/write/check.ts';
import { sleep } from '../base/time.ts';
import { renderCheck } from '../github/render/check.ts';
import { type Head, sameName } from '../github/read/event.ts';
import { statusOf } from '../github/read/octokit.ts';
import { react } from '../github/write/reply.ts';
import { renderComment, type Report } from '../github/render/report.ts';
import type { Reaction } from '../github/render/state.ts';
import { upsertComment, type Author } from '../github/write/upsert.ts';
import { runMarker } from '../github/render/marker.ts';
import type { Act } from './act.ts';

/** Keeps what GitHub shows of one run in step with the run. Failures are warnings, once per kind. */
export interface Publisher {
  /** Brings comment and check up to date, when their text changed; newer reports replace waiting ones. */
  show(report: Report): void;
  /** Resolves when the last report shown stands, or could not. */
  settle(): Promise<void>;
  react(reaction: Reaction): Promise<void>;
  /** What GitHub shows is not the last report, and might still become it. */
  readonly isBehind: boolean;
  readonly commentUrl: string | undefined;
  readonly checkUrl: string | undefined;
}

export interface PublisherStart {
  head: Head | undefined;
  /** The run existed before, so that its comment and check may exist too. */
  mayExist: boolean;
  commentId?: number | undefined;
  checkId?: number | undefined;
}

/** How often what could not be written is tried again at the end, and how long before that. */
const AGAIN_MAX = 2;
const AGAIN_PAUSE_MS = 500;

type Deps = Pick<Act, 'runner' | 'settings' | 'event' | 'github' | 'identity'>;

export function createPublisher(deps: Deps, start: PublisherStart): Publisher {
  const { github, runner } = deps;
  const comment = createCommentWriter(deps, start);
  const check = createCheckWriter(deps, start);
  const warned = new Set<string>();
  const behind = new Set<string>();
  const attempt = async (what: string, effort: () => Promise<void>): Promise<void> => {
    if (warned.has(what)) return;
    behind.delete(what);
    try {
      await effort();
    } catch (error) {
      if (isDenied(error)) warned.add(what);
      else behind.add(what);
      runner.warning(`${what} could not be written: ${explain(error)}`);
    }
  };
  let waiting: Report | undefined;
  let last: Report | undefined;
  let working: Promise<void> | undefined;
  const work = async (): Promise<void> => {
    while (waiting) {
      const report = waiting;
      waiting = undefined;
      await attempt('The comment', async () => comment.write(report));
      await attempt('The check', async () => check.write(report));
    }
    working = undefined;
  };
  return {
    show: (report) => {
      last = report;
      waiting = report;
      working ??= work();
    },
    settle: async () => {
      await working;
      for (let again = 1; again <= AGAIN_MAX; again += 1) {
        if (last === undefined || behind.size === 0) return;
        await sleep(AGAIN_PAUSE_MS * again);
        waiting = last;
        working ??= work();
        await working;
      }
    },
    react: async (reaction) => {
      if (!github || !deps.settings.report.reactions) return;
      await attempt('The reaction', async () => {
        await react(github, deps.event, reaction);
      });
    },
    get isBehind() {
      return behind.size > 0;
    },
    get commentUrl() {
      return comment.url();
    },
    get checkUrl() {
      return check.url();
    },
  };
}

interface Writer {
  write(report: Report): Promise<void>;
  url(): string | undefined;
}

function createCommentWriter(
  { github, identity, settings, event, runner }: Deps,
  start: PublisherStart,
): Writer {
  let knownId = start.commentId;
  let { mayExist } = start;
  let url: string | undefined;
  let written: string | undefined;
  const isOurs = async (author: Author): Promise<boolean> =>
    sameName(await identity.login(), author.login);
  return {
    url: () => url,
    write: async (report) => {
      const { thread, repository } = event;
      if (!github || !thread || !settings.report.comment) return;
      const body = await renderComment(report);
      if (body === written) return;
      const marker = runMarker({ runId: report.run.run_id, thread: report.thread });
      const wanted = { marker, body, isOurs, knownId, mayExist };
      // Should the answer get lost, the next write looks for the comment first.
      mayExist = true;
      const stored = await upsertComment(github, { repository, number: thread.number }, wanted);
      if (stored.id !== knownId) runner.state('comment-id', String(stored.id));
      ({ id: knownId, url } = stored);
      written = body;
    },
  };
}

function createCheckWriter(
  { github, settings, event, runner }: Deps,
  start: PublisherStart,
): Writer {
  let knownId = start.checkId;
  let url: string | undefined;
  let written: string | undefined;
  const sha = start.head?.sha ?? event.checks?.sha;
  return {
    url: () => url,
    write: async (report) => {
      if (!github || sha === undefined || !settings.report.check) return;
      const body = await renderCheck(report, settings.checkName);
      const text = JSON.stringify({ ...body, completed_at: undefined });
      if (text === written) return;
      const target = { repository: event.repository, sha };
      const stored = await upsertCheck(github, target, body, { knownId, mayExist: start.mayExist });
      if (stored.id !== knownId) runner.state('check-id', String(stored.id));
      ({ id: knownId, url } = stored);
      written = text;
    },
  };
}

/** GitHub will say the same next time. */
function isDenied(error: unknown): boolean {
  const status = statusOf(error);
  return status === 401 || status === 403 || status === 404 || status === 410;
}

function explain(error: unknown): string {
  const status = statusOf(error);
  const text = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error);
  if (status === 401)
    return `${text} (the token is no longer valid; the outputs still hold the result)`;
  if (status === 403) {
    return `${text} (give the job \`issues: write\`, \`pull-requests: write\` and \`checks: write\`; workflows of forks get a read-only token)`;
  }
  return text;
}
