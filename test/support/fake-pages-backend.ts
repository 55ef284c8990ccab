import { EventEmitter, once } from 'node:events';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { silentLog } from '../../src/base/log.ts';
import type { KeyItem } from '../../src/contract/access.ts';
import { endpoints } from '../../src/contract/endpoints.ts';
import {
  listEntriesQuery,
  type ListEntriesResponse,
  type LogEvent,
  type RunEntry,
} from '../../src/contract/entry.ts';
import type { WorkerItem } from '../../src/contract/connected-worker.ts';
import type { Environment } from '../../src/contract/environment.ts';
import { ProblemError, toProblem } from '../../src/contract/problem.ts';
import { decodeQuery } from '../../src/contract/query-codec.ts';
import {
  isTerminal,
  type CreateRunRequest,
  type RunItem,
  type RunState,
} from '../../src/contract/run.ts';
import type { Span } from '../../src/contract/span.ts';
import type { Statistics, StatisticsFigures } from '../../src/contract/statistics.ts';
import type { LoginItem, PagesBackend, Session } from '../../src/pages/backend.ts';

interface FakeRun {
  run: RunItem;
  teamUid: string;
  spans: Span[];
  log: { position: number; attempt: number; event: LogEvent }[];
}

/** A service in memory, as the pages see it: what it answers is typed by the contract. */
export interface FakeBackend extends PagesBackend {
  runs: Map<string, FakeRun>;
  environments: Environment[];
  workers: WorkerItem[];
  followups: { runId: string; message: string }[];
  /** What else the service would answer, by path. */
  answers: Record<string, unknown>;
  /** Requests for runs. */
  created: CreateRunRequest[];
  /** Keys people may sign in with. */
  personalKeys: Map<string, Omit<Session, 'expiresAt'>>;
  links: Map<string, Omit<Session, 'expiresAt'>>;
  /** Command lines that wait to be approved, by their codes, and what was decided. */
  waiting: Map<string, LoginItem>;
  decided: { code: string; approve: boolean; by: string }[];
  /** While set, every call fails as if the database were gone. */
  down: boolean;
  /** The service is about to end. */
  drain(): void;
  /** How many runs somebody waits for. */
  holding(): number;
  addRun(run: Partial<RunItem>, events?: LogEvent[], teamUid?: string): RunItem;
  append(runId: string, ...events: LogEvent[]): void;
  change(runId: string, change: Partial<RunItem>): void;
}

const TEAM = 'team-1';
export const ADA: Omit<Session, 'expiresAt'> = {
  id: 'session-ada',
  role: 'owner',
  userUid: 'user-ada',
  displayName: 'Ada Byron',
  email: 'ada@example.com',
  teamUid: TEAM,
  ownSpace: null,
  keyEndsAt: null,
  teamName: 'default',
};
export const ADAS_KEY = 'rl_adas-key';

function keyOf(event: LogEvent): string | undefined {
  if (event.type === 'message') return `m:${event.message_id}`;
  if (event.type === 'thought') return `t:${event.message_id}`;
  if (event.type === 'tool_call') return `c:${event.call_id}`;
  return event.type === 'plan' ? 'plan' : undefined;
}

function entriesOf(run: FakeRun): RunEntry[] {
  const entries = new Map<string, RunEntry>();
  for (const { position, attempt, event } of run.log) {
    const key = `${attempt}/${keyOf(event) ?? position}`;
    const known = entries.get(key);
    if (known) {
      known.events.push(event);
      known.last_position = position;
    } else {
      entries.set(key, { position, last_position: position, attempt, events: [event] });
    }
  }
  return [...entries.values()];
}

function page(run: FakeRun, params: URLSearchParams): ListEntriesResponse {
  const query = listEntriesQuery.parse(decodeQuery(listEntriesQuery, params));
  const says = ({ events }: RunEntry) =>
    !query.q || JSON.stringify(events).toLowerCase().includes(query.q.toLowerCase());
  const hasFailed = ({ events }: RunEntry) =>
    !query.failed || events.some((it) => it.type === 'tool_call' && it.exit_code);
  const all = entriesOf(run)
    .filter((entry) => !query.type || query.type.includes(entry.events[0]?.type ?? ''))
    .filter((entry) => says(entry) && hasFailed(entry));
  const last = run.log.at(-1)?.position ?? 0;
  const { after, before } = query;
  if (after !== undefined) {
    const touched = all
      .filter((entry) => entry.last_position > after)
      .toSorted((a, b) => a.last_position - b.last_position);
    const entries = touched.slice(0, query.limit);
    const isAll = entries.length === touched.length;
    const next_after = isAll ? last : (entries.at(-1)?.last_position ?? after);
    return { entries, has_earlier: false, next_after };
  }
  if (query.from !== undefined) {
    const { from, limit } = query;
    const later = all.filter((entry) => entry.position >= from);
    const entries = later.slice(0, limit);
    const has_later = later.length > entries.length;
    return { entries, has_earlier: from > 1, has_later, next_after: last };
  }
  const older = all.filter((entry) => before === undefined || entry.position < before);
  return {
    entries: older.slice(-query.limit),
    has_earlier: older.length > query.limit,
    next_after: last,
  };
}

/** Figures of a time in which nothing ran. */
export const NO_RUNS: StatisticsFigures = {
  runs: 0,
  succeeded: 0,
  failed: 0,
  errors: 0,
  blocked: 0,
  cancelled: 0,
  success_rate: null,
  median_seconds: null,
  p90_seconds: null,
  cost_usd: 0,
  total_tokens: 0,
  pull_requests: 0,
  merged_pull_requests: 0,
};

function statistics({ runs }: FakeBackend): Statistics {
  const count = (...states: RunState[]) =>
    [...runs.values()].filter(({ run }) => states.includes(run.state)).length;
  const now = {
    queued: count('QUEUED', 'PENDING'),
    working: count('INPROGRESS'),
    blocked: count('BLOCKED'),
  };
  const ended = count('SUCCEEDED', 'FAILED', 'ERROR', 'BLOCKED', 'CANCELLED');
  const total = { ...NO_RUNS, runs: ended, blocked: now.blocked };
  return { from: ZERO, to: ZERO, bucket: 'day', total, buckets: [], now };
}

/** What is answered whoever asks, by path. */
const KNOWN: Record<string, (backend: FakeBackend) => unknown> = {
  [endpoints.environments.list.path]: ({ environments }) => ({ environments }),
  [endpoints.identities.list.path]: () => ({ agents: [] }),
  [endpoints.signIns.list.path]: () => ({ sign_ins: [] }),
  [endpoints.models.list.path]: () => ({ models: [], default_model_id: '' }),
  [endpoints.statistics.read.path]: statistics,
  [endpoints.workers.all.path]: ({ workers }) => ({ workers }),
};

const ZERO = '2026-11-21T08:00:00.000Z';

function newRun(run: Partial<RunItem>): RunItem {
  const id = run.run_id ?? randomUUID();
  return {
    run_id: id,
    task_id: id,
    root_run_id: id,
    title: 'Fix the failing test',
    prompt: 'Fix the failing test.',
    state: 'INPROGRESS',
    created_at: ZERO,
    updated_at: ZERO,
    started_at: ZERO,
    finished_at: null,
    source: 'API',
    execution_location: 'REMOTE',
    creator: { type: 'user', uid: 'user-ada', display_name: 'Ada Byron' },
    executor: { type: 'user', uid: 'user-ada', display_name: 'Ada Byron' },
    is_sandbox_running: true,
    is_run_type_cancellable: true,
    executions: [],
    artifacts: [],
    ...run,
  };
}

async function held(changes: EventEmitter, runId: string, request: Request): Promise<void> {
  const seconds = Number(/wait=(\d+)/.exec(request.headers.get('prefer') ?? '')?.[1] ?? 0);
  if (seconds === 0) return;
  await once(changes, runId, {
    signal: AbortSignal.any([request.signal, AbortSignal.timeout(seconds * 1000)]),
  }).catch(() => undefined);
}

export function createFakeBackend(publicUrl = 'http://127.0.0.1:8787'): FakeBackend {
  const changes = new EventEmitter().setMaxListeners(0);
  const closing = new AbortController();
  const sessions = new Map<string, Session>();
  const keys: (KeyItem & { owner: string })[] = [];
  const open = (session: Omit<Session, 'expiresAt'> | undefined) => {
    if (!session) return null;
    const token = randomBytes(24).toString('base64url');
    const expiresAt = new Date(Date.now() + 3_600_000);
    sessions.set(token, { ...session, expiresAt });
    return { token, expiresAt };
  };
  const visible = (session: Session, runId: string): FakeRun => {
    const run = backend.runs.get(runId);
    if (!run || run.teamUid !== session.teamUid) throw new ProblemError('resource_not_found');
    return run;
  };

  async function listRuns(request: Request, session: Session): Promise<Response> {
    const params = new URL(request.url).searchParams;
    const states = params.getAll('state');
    const read = () => {
      const runs = [...backend.runs.values()]
        .filter((it) => it.teamUid === session.teamUid)
        .map((it) => it.run)
        .filter((run) => states.length === 0 || states.includes(run.state))
        .filter((run) => run.title.includes(params.get('q') ?? ''));
      const start = Number(params.get('cursor') ?? 0);
      const limit = Number(params.get('limit'));
      const more = runs.length > start + limit;
      const body = JSON.stringify({
        runs: runs.slice(start, start + limit),
        page_info: {
          has_next_page: more,
          ...(more ? { next_cursor: String(start + limit) } : {}),
        },
      });
      return { body, etag: `"${createHash('sha1').update(body).digest('hex')}"` };
    };
    const known = request.headers.get('if-none-match');
    if (known !== null && read().etag === known) await held(changes, 'any', request);
    const { body, etag } = read();
    if (etag === known) return new Response(null, { status: 304 });
    return new Response(body, { headers: { etag, 'content-type': 'application/json' } });
  }

  async function entries(request: Request, run: FakeRun): Promise<Response> {
    const { searchParams } = new URL(request.url);
    const first = page(run, searchParams);
    if (searchParams.has('after') && first.entries.length === 0) {
      await held(changes, run.run.run_id, request);
    }
    return Response.json(page(run, searchParams));
  }

  async function followup(request: Request, run: FakeRun): Promise<Response> {
    const { message } = endpoints.runs.followup.body.parse(await request.json());
    if (!message)
      throw new ProblemError('invalid_request', { detail: 'message: must not be empty' });
    backend.followups.push({ runId: run.run.run_id, message });
    return Response.json({ followup_id: randomUUID(), outcome: 'queue_pending' });
  }

  async function create(request: Request): Promise<Response> {
    const body = endpoints.runs.create.body.parse(await request.json());
    if (!body.prompt?.trim())
      throw new ProblemError('invalid_request', { detail: 'prompt: is required' });
    backend.created.push(body);
    const { run_id } = backend.addRun({ prompt: body.prompt, title: body.prompt, state: 'QUEUED' });
    return Response.json({ run_id, task_id: run_id, state: 'QUEUED' });
  }

  function cancel(run: FakeRun): Response {
    if (isTerminal(run.run.state))
      throw new ProblemError('invalid_request', { detail: 'It has ended.' });
    if (run.run.state === 'PENDING')
      throw new ProblemError('conflict', { detail: 'It is starting.' });
    backend.change(run.run.run_id, { state: 'CANCELLED', finished_at: new Date().toISOString() });
    return Response.json(run.run.run_id);
  }

  const ofRun: Record<string, (request: Request, run: FakeRun) => Response | Promise<Response>> = {
    '': (_, run) => Response.json(run.run),
    entries,
    spans: (_, run) => Response.json({ spans: run.spans }),
    attachments: () => Response.json({ attachments: [] }),
    scores: (_, run) => Response.json({ run_id: run.run.run_id, scores: [] }),
    followups: followup,
    cancel: (_, run) => cancel(run),
    transcript: () =>
      new Response(null, { status: 302, headers: { location: '/blobs/transcript?signed' } }),
  };

  async function ownKeys(request: Request, { userUid: owner }: Session): Promise<Response> {
    const at = keys.findIndex((key) => key.owner === owner && request.url.endsWith(key.id));
    if (request.method === 'GET')
      return Response.json({ keys: keys.filter((key) => key.owner === owner).toReversed() });
    if (request.method === 'DELETE') {
      if (at < 0) throw new ProblemError('resource_not_found');
      keys.splice(at, 1);
      return new Response(null, { status: 204 });
    }
    const { name = '' } = endpoints.keys.create.body.parse(await request.json());
    const [id, key] = [randomUUID(), `rl_${randomBytes(24).toString('base64url')}`];
    const ends = { prefix: key.slice(0, 7), suffix: key.slice(-4) };
    const never = { agent_uid: null, last_used_at: null, expires_at: null };
    const created_at = new Date().toISOString();
    keys.push({ id, kind: 'personal', name, ...ends, created_at, ...never, owner });
    return Response.json({ id, key }, { status: 201 });
  }

  async function answer(request: Request, session: Session): Promise<Response> {
    if (backend.down) throw new ProblemError('service_unavailable');
    const path = new URL(request.url).pathname.replace('/api/v1', '');
    if (path === endpoints.runs.list.path && request.method === 'GET')
      return listRuns(request, session);
    if (path === endpoints.runs.create.path && request.method === 'POST') return create(request);
    if (path.startsWith(endpoints.keys.list.path)) return ownKeys(request, session);
    const known = backend.answers[path] ?? KNOWN[path]?.(backend);
    return known ? Response.json(known) : answerOfRun(path, request, session);
  }

  function answerOfRun(path: string, request: Request, session: Session) {
    const [, runId = '', rest = ''] = /^\/agent\/runs\/([^/]+)\/?(\w*)$/.exec(path) ?? [];
    const operation = ofRun[rest];
    if (!operation) throw new ProblemError('resource_not_found');
    return operation(request, visible(session, decodeURIComponent(runId)));
  }

  const backend: FakeBackend = {
    publicUrl,
    log: silentLog,
    closing: closing.signal,
    drain: () => closing.abort(),
    holding: () =>
      changes
        .eventNames()
        .filter((name) => name !== 'error')
        .reduce((sum, name) => sum + changes.listenerCount(name), 0),
    runs: new Map(),
    environments: [],
    workers: [],
    answers: {},
    followups: [],
    created: [],
    personalKeys: new Map([[ADAS_KEY, ADA]]),
    links: new Map(),
    down: false,
    sessions: {
      createFromKey: (key) => Promise.resolve(open(backend.personalKeys.get(key))),
      createFromLink: (token) => {
        const session = open(backend.links.get(token));
        backend.links.delete(token);
        return Promise.resolve(session);
      },
      find: (token) =>
        backend.down
          ? Promise.reject(new ProblemError('service_unavailable'))
          : Promise.resolve(sessions.get(token) ?? null),
      end: (token) => {
        sessions.delete(token);
        return Promise.resolve();
      },
      teams: () => Promise.resolve([]),
      switchTeam: () => Promise.resolve(null),
    },
    logins: {
      find: (code) => Promise.resolve(backend.waiting.get(code) ?? null),
      decide: (session, code, approve) => {
        if (!backend.waiting.delete(code)) return Promise.resolve(false);
        backend.decided.push({ code, approve, by: session.userUid });
        return Promise.resolve(true);
      },
    },
    waiting: new Map(),
    decided: [],
    publicLinks: false,
    guest: () => Promise.resolve(null),
    api: async (request, session) => {
      try {
        if ('sharedRun' in session) throw new ProblemError('resource_not_found');
        return await answer(request, session);
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        const problem = toProblem(error, 'trace');
        return Response.json(problem, { status: problem.status });
      }
    },
    addRun: (run, events = [], teamUid = TEAM) => {
      const item = newRun(run);
      backend.runs.set(item.run_id, { run: item, teamUid, spans: [], log: [] });
      backend.append(item.run_id, ...events);
      return item;
    },
    append: (runId, ...events) => {
      const run = backend.runs.get(runId);
      for (const event of events) {
        run?.log.push({ position: run.log.length + 1, attempt: 1, event });
      }
      changes.emit(runId);
    },
    change: (runId, change) => {
      const run = backend.runs.get(runId);
      if (run) Object.assign(run.run, change);
      changes.emit('any');
    },
  };
  return backend;
}
