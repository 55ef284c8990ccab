import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { z } from 'zod';
import { reportArtifactRequest } from '../../src/contract/artifact.ts';
import type { WorkerEvent } from '../../src/contract/event.ts';
import {
  appendEventsRequest,
  claimRequest,
  completeRequest,
  heartbeatRequest,
  lease as leaseSchema,
  type Lease,
  type Signal,
} from '../../src/contract/lease.ts';

type Complete = z.infer<typeof completeRequest>;

/** What the scripted service knows of one run. */
export interface ServedRun {
  lease: Lease;
  state: string;
  events: WorkerEvent[];
  signals: Signal[];
  completed: Complete[];
  artifacts: z.infer<typeof reportArtifactRequest>[];
  files: { path: string; type: string; content: Buffer }[];
  heartbeats: number;
  lost: boolean;
}

interface Reply {
  status: number;
  body?: unknown;
}

interface RunCall {
  json: unknown;
  body: Buffer;
  url: URL;
  wait: number;
  request: IncomingMessage;
}

/**
 * The worker protocol as its contract has it, played by a script: every request is read with the
 * contract's schemas, and what was said is kept for the test to look at.
 */
export class WorkerProtocol extends EventEmitter {
  readonly runs = new Map<string, ServedRun>();
  readonly pulls: { head: string; title: string; body: string; draft: boolean }[] = [];
  readonly claims: z.infer<typeof claimRequest>[] = [];
  /** While true every connection is cut. */
  cut = false;
  /** How many requests it cut off. */
  cutOff = 0;
  private readonly waiting: Lease[] = [];
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  constructor() {
    super();
    this.setMaxListeners(0);
    this.server = createServer((request, response) => void this.serve(request, response));
    this.server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
  }

  async listen(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  async close(): Promise<void> {
    this.disconnect();
    this.server.close();
    await once(this.server, 'close');
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get baseUrl(): string {
    return `${this.origin}/api/v1`;
  }

  /** Cuts what is open now and what comes, until `cut` is false again. */
  disconnect(): void {
    this.cut = true;
    for (const socket of this.sockets) socket.destroy();
    this.emit('changed');
  }

  offer(lease: Lease): ServedRun {
    const earlier = this.runs.get(lease.run_id);
    const run: ServedRun = {
      lease: leaseSchema.parse(lease),
      state: 'QUEUED',
      events: [],
      signals: [],
      completed: [],
      artifacts: earlier?.artifacts ?? [],
      files: earlier?.files ?? [],
      heartbeats: 0,
      lost: false,
    };
    this.runs.set(lease.run_id, run);
    this.waiting.push(lease);
    this.emit('changed');
    return run;
  }

  signal(run: ServedRun, signal: Signal): void {
    run.signals.push(signal);
    this.emit('changed');
  }

  /** The lease is somebody else's from now on. */
  lose(run: ServedRun): void {
    run.lost = true;
    this.emit('changed');
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.cut) {
      this.cutOff += 1;
      request.socket.destroy();
      return;
    }
    const url = new URL(request.url ?? '/', this.origin);
    const reply = await buffer(request)
      .then((body) => this.answer(request, url, body))
      .catch((error: unknown) => ({ status: 400, body: problem('invalid_request', 400, error) }));
    if (this.cut || response.destroyed) return void request.socket.destroy();
    response.writeHead(reply.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(reply.body ?? {}));
  }

  private async answer(request: IncomingMessage, url: URL, body: Buffer): Promise<Reply> {
    const path = url.pathname.replace('/api/v1', '');
    const isJson = body.length > 0 && !path.endsWith('/artifacts');
    const json: unknown = isJson ? JSON.parse(body.toString()) : {};
    const wait = preferredWait(request);
    if (path.startsWith('/github/')) return this.github(request.method ?? 'GET', path, json);
    if (path === '/worker/skills/claim') return this.discovery(wait, request);
    if (path === '/worker/claim') return this.claim(claimRequest.parse(json), wait, request);
    if (path === '/harness-support/report-artifact') return this.report(request, json);
    return this.leased(request, path, { json, body, url, wait, request });
  }

  private leased(request: IncomingMessage, path: string, call: RunCall): Reply | Promise<Reply> {
    const [, , , runId = '', verb = ''] = path.split('/');
    const run = this.runs.get(runId);
    if (!run) return { status: 404, body: problem('resource_not_found', 404) };
    if (run.lost || request.headers['x-runlink-lease'] !== run.lease.token || isOver(run))
      return { status: 409, body: problem('conflict', 409) };
    return this.forRun(run, verb, call);
  }

  private async discovery(wait: number, request: IncomingMessage): Promise<Reply> {
    await this.until(() => false, wait, request);
    return { status: 200, body: { discovery: null } };
  }

  private report(request: IncomingMessage, json: unknown): Reply {
    const run = this.runs.get(String(request.headers['x-warp-cloud-agent-id']));
    run?.artifacts.push(reportArtifactRequest.parse(json));
    return { status: 200, body: { artifact_uid: '00000000-0000-4000-8000-000000000000' } };
  }

  private async forRun(run: ServedRun, verb: string, call: RunCall): Promise<Reply> {
    switch (verb) {
      case 'acknowledge':
        run.state = 'INPROGRESS';
        return { status: 200, body: { state: 'INPROGRESS' } };
      case 'lease':
        return { status: 200, body: { lease: run.lease, next_seq: run.events.length + 1 } };
      case 'heartbeat':
        return this.heartbeat(run, heartbeatRequest.parse(call.json).after_signal, call);
      case 'events':
        return this.append(run, appendEventsRequest.parse(call.json).events);
      case 'complete':
        return this.complete(run, completeRequest.parse(call.json));
      case 'release':
        run.state = 'RELEASED';
        return { status: 200, body: { state: 'QUEUED' } };
      case 'artifacts':
        return this.upload(run, call);
      default:
        return { status: 404, body: problem('resource_not_found', 404) };
    }
  }

  private upload(run: ServedRun, { url, body }: RunCall): Reply {
    const path = url.searchParams.get('filepath') ?? '';
    const type = url.searchParams.get('mime_type') ?? '';
    run.files.push({ path, type, content: body });
    return { status: 200, body: { artifact_uid: '00000000-0000-4000-8000-000000000001' } };
  }

  private async claim(
    wanted: z.infer<typeof claimRequest>,
    wait: number,
    request: IncomingMessage,
  ): Promise<Reply> {
    this.claims.push(wanted);
    this.emit('changed');
    await this.until(() => this.waiting.length > 0, wait, request);
    if (request.socket.destroyed || wanted.capacity === 0)
      return { status: 200, body: { lease: null } };
    const lease = this.waiting.shift() ?? null;
    const run = lease && this.runs.get(lease.run_id);
    if (run) run.state = 'PENDING';
    return { status: 200, body: { lease } };
  }

  private async heartbeat(
    run: ServedRun,
    after: number,
    { wait, request }: RunCall,
  ): Promise<Reply> {
    run.heartbeats += 1;
    this.emit('changed');
    const fresh = (): Signal[] => run.signals.filter(({ id }) => id > after);
    await this.until(() => fresh().length > 0 || run.lost || isOver(run), wait, request);
    if (run.lost) return { status: 409, body: problem('conflict', 409) };
    const expires_at = new Date(Date.now() + 30_000).toISOString();
    return { status: 200, body: { expires_at, signals: fresh() } };
  }

  private append(run: ServedRun, events: WorkerEvent[]): Reply {
    for (const event of events) {
      const next = run.events.length + 1;
      if (event.seq > next)
        return { status: 400, body: problem('invalid_request', 400, new Error('gap')) };
      if (event.seq === next) run.events.push(event);
    }
    this.emit('changed');
    return { status: 200, body: { next_seq: run.events.length + 1 } };
  }

  private complete(run: ServedRun, said: Complete): Reply {
    run.completed.push(said);
    const open = run.signals.filter(({ id, type }) => type === 'followup' && id > said.last_signal);
    const ended = open.length === 0 || !['SUCCEEDED', 'BLOCKED'].includes(said.state);
    if (ended) run.state = said.state;
    this.emit('changed');
    return { status: 200, body: { ended, state: run.state, signals: ended ? [] : open } };
  }

  private github(method: string, path: string, json: unknown): Reply {
    if (!path.endsWith('/pulls') || method !== 'POST')
      return { status: 200, body: this.pulls.map((pull) => this.pull(pull)) };
    const pull = json as (typeof this.pulls)[number];
    this.pulls.push(pull);
    return { status: 201, body: this.pull(pull) };
  }

  private pull(pull: { head: string }): object {
    const number = this.pulls.findIndex(({ head }) => head === pull.head) + 1;
    return { html_url: `${this.origin}/o/demo/pull/${number}`, number, head: { ref: pull.head } };
  }

  private async until(
    done: () => boolean,
    seconds: number,
    request: IncomingMessage,
  ): Promise<void> {
    const gone = new AbortController();
    request.socket.setMaxListeners(0).once('close', () => gone.abort());
    const end = AbortSignal.any([AbortSignal.timeout(seconds * 1000), gone.signal]);
    while (!done() && !end.aborted)
      await once(this, 'changed', { signal: end }).catch(() => undefined);
  }
}

const isOver = (run: ServedRun): boolean =>
  ['SUCCEEDED', 'FAILED', 'ERROR', 'BLOCKED', 'CANCELLED'].includes(run.state);

function preferredWait(request: IncomingMessage): number {
  return Number(/wait=(\d+)/.exec(String(request.headers['prefer']))?.[1] ?? 0);
}

function problem(code: string, status: number, thrown?: unknown): object {
  const detail = thrown instanceof Error ? { detail: thrown.message } : {};
  return { type: code, title: code, status, error: code, error_code: code, ...detail };
}
