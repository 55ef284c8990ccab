import { createHash, randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import type { RunEntry } from '../../src/contract/entry.ts';
import { startFake, type Answer, type FakeServer, type Seen } from './fake-http.ts';

export interface FakeRun {
  run_id: string;
  task_id: string;
  state: string;
  prompt: string;
  title: string;
  created_at: string;
  updated_at: string;
  started_at: string | null;
  finished_at: string | null;
  session_link?: string;
  status_message?: { message: string; error_code?: string; retryable?: boolean };
  metadata: Record<string, string>;
  agent_config: Record<string, unknown>;
  artifacts: { artifact_type: string; created_at: string; data: Record<string, unknown> }[];
  followups: string[];
  /** Contents of the images that came with follow-ups. */
  shown?: string[];
  words: string;
  /** The run's log; without one the service has no such endpoint. */
  log?: RunEntry[];
  [other: string]: unknown;
}

export interface FakeService extends FakeServer {
  apiUrl: string;
  runs: FakeRun[];
  references: { url: string; run_id: string }[];
  /** Changes a run and wakes whoever waits for it. */
  change(run: FakeRun, change: Partial<FakeRun>): void;
  /** What becomes of each new run, follow-up included; none: it stays as it is. */
  play: ((run: FakeRun, service: FakeService) => void | Promise<void>) | undefined;
  /** Resolves when the run is asked for the next time, or all runs are waited for. */
  whenAsked(run: FakeRun): Promise<void>;
  /** Honours `Prefer: wait`. */
  holds: boolean;
  environments: unknown[];
  /** Content of files that runs left, by the artifact's id. */
  files: Record<string, string>;
  /** Answers metadata filters with feature_not_available. */
  withoutMetadataFilter: boolean;
}

export const TERMINAL = ['SUCCEEDED', 'FAILED', 'ERROR', 'BLOCKED', 'CANCELLED'];

/** A run service of a few lines, for tests that need its faults more than its depth. */
export async function startFakeService(): Promise<FakeService> {
  const waiters = new Set<() => void>();
  const asked = new EventEmitter();
  const server = await startFake(async (seen) => {
    for (const { run_id } of areAsked(service, seen)) asked.emit(run_id);
    return answer(service, waiters, seen);
  });
  const service: FakeService = Object.assign(server, {
    apiUrl: `${server.url}/api/v1`,
    runs: [],
    references: [],
    play: finishAtOnce,
    holds: true,
    environments: [],
    files: {},
    withoutMetadataFilter: false,
    change: (run: FakeRun, change: Partial<FakeRun>): void => {
      Object.assign(run, change, { updated_at: new Date().toISOString() });
      for (const wake of waiters) wake();
    },
    whenAsked: async ({ run_id }: FakeRun): Promise<void> => {
      await once(asked, run_id);
    },
  });
  return service;
}

/** The usual story: who watches sees the run wait, then work, then succeed. */
export async function finishAtOnce(run: FakeRun, service: FakeService): Promise<void> {
  await service.whenAsked(run);
  if (run.state === 'QUEUED') service.change(run, { state: 'INPROGRESS', started_at: now() });
  await service.whenAsked(run);
  if (run.state === 'INPROGRESS') end(service, run, 'SUCCEEDED');
}

export function end(
  service: FakeService,
  run: FakeRun,
  state: string,
  more: Partial<FakeRun> = {},
): void {
  service.change(run, {
    state,
    finished_at: now(),
    session_link: `${service.url}/runs/${run.run_id}`,
    ...more,
  });
}

/** A file among the artifacts of a run. */
export function leftFile(service: FakeService, filename: string, content: string) {
  const artifact_uid = randomUUID();
  service.files[artifact_uid] = content;
  const data = { artifact_uid, filename, mime_type: 'application/json' };
  return { artifact_type: 'FILE', created_at: now(), data };
}

export function now(): string {
  return new Date().toISOString();
}

export function problem(status: number, code: string, title: string): Answer {
  return {
    status,
    json: { type: `https://errors.example/${code}`, title, status, error: title, error_code: code },
    headers: { 'content-type': 'application/problem+json' },
  };
}

/** Who waits on the list waits for every run. */
function areAsked({ runs }: FakeService, { method, path, headers }: Seen): FakeRun[] {
  if (method !== 'GET') return [];
  const isWatch = headers['prefer'] !== undefined && path.endsWith('/agent/runs');
  return runs.filter(({ run_id }) => isWatch || path.endsWith(`/agent/runs/${run_id}`));
}

async function answer(service: FakeService, waiters: Set<() => void>, seen: Seen): Promise<Answer> {
  const file = atSignedLink(service, seen);
  if (file) return file;
  if (seen.headers.authorization !== 'Bearer test-key') {
    return problem(401, 'authentication_required', 'A valid API key is required.');
  }
  const route = `${seen.method} ${seen.path.replace('/api/v1', '')}`;
  if (route === 'POST /agent/runs') return create(service, seen);
  if (route === 'GET /agent/runs') return held(service, waiters, seen, () => list(service, seen));
  if (route === 'GET /agent/environments') {
    return { status: 200, json: { environments: service.environments } };
  }
  if (route === 'GET /agent/run-by-external-reference') return byReference(service, seen);
  if (route === 'POST /harness-support/report-artifact') return report(service, seen);
  const [, method, id, rest] = /^(\w+) \/agent\/runs\/([^/]+)(?:\/([\w/]+))?$/.exec(route) ?? [];
  const run = service.runs.find((one) => one.run_id === id);
  if (!run) return problem(404, 'resource_not_found', 'There is nothing here.');
  const look = method === 'GET' && lookAt(run, rest, seen);
  if (look) return held(service, waiters, seen, look);
  return actOn(service, run, `${method} ${rest}`, seen);
}

function atSignedLink(service: FakeService, seen: Seen): Answer | undefined {
  return download(service, seen) ?? upload(service, seen);
}

/** A file that a run left: a redirect to a link that needs no key, and must not be sent one. */
function download({ files }: FakeService, { path, headers }: Seen): Answer | undefined {
  const [, asked] = /\/agent\/artifacts\/(.+)\/download$/.exec(path) ?? [];
  if (asked !== undefined) return { status: 302, headers: { location: `/downloads/${asked}` } };
  const [, uid] = /^\/downloads\/(.+)$/.exec(path) ?? [];
  if (uid === undefined) return undefined;
  return headers.authorization === undefined
    ? { status: 200, text: files[uid] ?? '' }
    : problem(400, 'invalid_request', 'A signed link takes no key.');
}

function upload({ files }: FakeService, { method, path, headers, body }: Seen): Answer | undefined {
  const [, id] = (method === 'PUT' && /^\/uploads\/(.+)$/.exec(path)) || [];
  if (id === undefined) return undefined;
  if (headers.authorization !== undefined) return problem(400, 'invalid_request', 'No key here.');
  files[id] = String(body);
  return { status: 204 };
}

function create(service: FakeService, seen: Seen): Answer {
  const body = seen.body as Partial<FakeRun> & { config?: Record<string, unknown> };
  const key = seen.headers['idempotency-key'];
  const known = service.runs.find((run) => key !== undefined && run['key'] === key);
  const run = known ?? newRun(body, String(key ?? ''));
  if (!known) {
    service.runs.push(run);
    service.change(run, {});
    void service.play?.(run, service);
  }
  return { status: 200, json: { run_id: run.run_id, task_id: run.run_id, state: run.state } };
}

function newRun(
  body: Partial<FakeRun> & { config?: Record<string, unknown> },
  key: string,
): FakeRun {
  const id = randomUUID();
  return {
    run_id: id,
    task_id: id,
    state: 'QUEUED',
    prompt: body.prompt ?? '',
    title: body.title ?? 'a run',
    created_at: now(),
    updated_at: now(),
    started_at: null,
    finished_at: null,
    metadata: body.metadata ?? {},
    agent_config: body.config ?? {},
    artifacts: [],
    followups: [],
    words: 'All is well.',
    key,
    request: body,
  };
}

function list(service: FakeService, seen: Seen): Answer {
  const wanted = [...seen.query].flatMap(([key, value]) => {
    const name = /^metadata\[(.+)\]$/.exec(key)?.[1];
    return name === undefined ? [] : [[name, value] as const];
  });
  if (wanted.length > 0 && service.withoutMetadataFilter) {
    return problem(403, 'feature_not_available', 'Metadata filtering is off.');
  }
  const states = seen.query.getAll('state');
  const after = Date.parse(seen.query.get('updated_after') ?? '1970-01-01');
  const runs = service.runs.filter(
    (run) =>
      wanted.every(([name, value]) => run.metadata[name] === value) &&
      (states.length === 0 || states.includes(run.state)) &&
      Date.parse(run.updated_at) >= after,
  );
  if (seen.query.get('sort_order') !== 'asc') runs.reverse();
  return { status: 200, json: { runs, page_info: { has_next_page: false } } };
}

function byReference(service: FakeService, seen: Seen): Answer {
  const url = seen.query.get('url');
  const found = service.references.findLast((reference) => reference.url === url);
  return found
    ? { status: 200, json: { run_id: found.run_id } }
    : problem(404, 'resource_not_found', 'None.');
}

function report(service: FakeService, seen: Seen): Answer {
  const { data } = seen.body as { data: { url: string } };
  const runId = String(seen.headers['x-warp-cloud-agent-id']);
  service.references.push({ url: data.url, run_id: runId });
  return { status: 200, json: { artifact_uid: randomUUID() } };
}

function lookAt(run: FakeRun, what: string | undefined, seen: Seen): (() => Answer) | undefined {
  if (what === undefined) return () => ({ status: 200, json: run });
  return what === 'entries' && run.log ? () => entriesOf(run.log ?? [], seen) : undefined;
}

/**
 * Answers with an ETag and, where asked to, only once the answer is another
 * (run-lifecycle.md, "Waiting").
 */
async function held(
  service: FakeService,
  waiters: Set<() => void>,
  seen: Seen,
  read: () => Answer,
): Promise<Answer> {
  const etag = (answer: Answer): string =>
    `"${createHash('sha1').update(JSON.stringify(answer.json)).digest('hex').slice(0, 16)}"`;
  const wait = Number(/wait=(\d+)/.exec(String(seen.headers['prefer']))?.[1] ?? 0);
  const isHeld = service.holds && wait > 0;
  const applied = isHeld ? { 'preference-applied': `wait=${wait}` } : {};
  const known = seen.headers['if-none-match'];
  const deadline = performance.now() + wait * 1000;
  const isSame = (): boolean => isHeld && known === etag(read());
  while (isSame() && performance.now() < deadline) {
    await change(waiters, deadline - performance.now());
  }
  const answer = read();
  if (answer.status !== 200) return answer;
  const headers = { etag: etag(answer), ...applied };
  return known === headers.etag ? { status: 304, headers } : { ...answer, headers };
}

function entriesOf(log: readonly RunEntry[], { query }: Seen): Answer {
  const types = query.getAll('type');
  const after = Number(query.get('after') ?? 0);
  const limit = Number(query.get('limit') ?? 100);
  const found = log.filter(
    ({ last_position: at, events }) =>
      at > after && (types.length === 0 || types.includes(events[0]?.type ?? '')),
  );
  const next_after = Math.max(after, ...log.map(({ last_position: at }) => at));
  const entries = query.has('after') ? found.slice(0, limit) : found.slice(-limit);
  return { status: 200, json: { entries, has_earlier: false, next_after } };
}

/**
 * An entry of a run's log, at the next place or, of the same thing, at the place of its first
 * event.
 */
export function logged(run: FakeRun, ...events: Record<string, unknown>[]): void {
  const log = (run.log ??= []);
  for (const event of events) {
    const position = Math.max(0, ...log.map(({ last_position: at }) => at)) + 1;
    const whole = { seq: position, at: now(), ...event } as unknown as RunEntry['events'][number];
    const same = event['type'] === 'plan' && log.find((one) => one.events[0]?.type === 'plan');
    if (same) Object.assign(same, { last_position: position, events: [...same.events, whole] });
    else log.push({ position, last_position: position, attempt: 1, events: [whole] });
  }
}

function change(waiters: Set<() => void>, withinMs: number): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      waiters.delete(wake);
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(wake, withinMs);
    waiters.add(wake);
  });
}

function actOn(service: FakeService, run: FakeRun, action: string, seen: Seen): Answer {
  if (action === 'POST cancel') return cancel(service, run);
  if (action === 'POST followups') {
    const { message, attachments = [] } = seen.body as Told;
    run.followups.push(message);
    (run.shown ??= []).push(...attachments.map(({ attachment_id: id }) => service.files[id] ?? ''));
    if (TERMINAL.includes(run.state)) {
      service.change(run, { state: 'QUEUED', finished_at: null });
      void service.play?.(run, service);
    }
    return { status: 200, json: { followup_id: randomUUID(), outcome: 'handoff_execution' } };
  }
  if (action === 'POST attachments/prepare') return prepare(service, seen);
  if (action === 'GET attachments') return { status: 200, json: imagesOf(run) };
  if (action === 'GET conversation') {
    const message = { role: 'assistant', content: [{ type: 'text', text: run.words }] };
    const steps = [{ id: 's1', messages: [message], steps: [] }];
    return { status: 200, json: { conversation_id: run.run_id, steps } };
  }
  return problem(404, 'resource_not_found', 'There is nothing here.');
}

interface Told {
  message: string;
  attachments?: { attachment_id: string }[];
}

/** Ids for images, and links that need no key, and must not be sent one. */
function prepare({ url }: FakeService, { body }: Seen): Answer {
  const attachments = (body as { files: unknown[] }).files.map(() => {
    const attachment_id = randomUUID();
    return { attachment_id, upload_url: `${url}/uploads/${attachment_id}` };
  });
  return { status: 200, json: { attachments } };
}

function imagesOf({ request }: FakeRun): { attachments: unknown } {
  return { attachments: (request as { attachments?: unknown } | undefined)?.attachments ?? [] };
}

function cancel(service: FakeService, run: FakeRun): Answer {
  if (run['uncancellable'] === true) {
    return problem(422, 'operation_not_supported', 'This kind of run cannot be cancelled.');
  }
  if (run.state === 'PENDING') {
    return { ...problem(409, 'conflict', 'It is starting.'), headers: { 'retry-after': '1' } };
  }
  if (TERMINAL.includes(run.state)) return problem(400, 'invalid_request', 'It has ended.');
  end(service, run, 'CANCELLED');
  return { status: 200, json: run.run_id };
}
