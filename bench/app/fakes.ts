import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the stand-ins of a measurement have seen. */
export interface Seen {
  comments: number;
  /** By request id, how many runs were made. */
  runs: Map<string, number>;
  lists: number;
}

interface Run {
  run_id: string;
  state: string;
  updated_at: string;
  created_at: string;
  metadata: Record<string, string>;
}

export async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}

/** GitHub as far as the App asks it, with any number of installations; everybody may write. */
export async function startGithub(seen: Seen): Promise<string> {
  let id = 0;
  const answer = (method: string, path: string): [status: number, json: unknown] => {
    if (path.endsWith('/access_tokens')) {
      const expires = new Date(Date.now() + 3_600_000).toISOString();
      return [201, { token: `t${path}`, expires_at: expires, permissions: {} }];
    }
    if (path === '/app') return [200, { id: 1, slug: 'bench' }];
    if (path.startsWith('/app/hook')) return [200, []];
    if (path.includes('/contents/')) return [404, { message: 'Not Found' }];
    if (path.endsWith('/permission')) return [200, { permission: 'write', role_name: 'write' }];
    if (method === 'GET') return [200, []];
    if (method === 'POST' && path.endsWith('/comments')) seen.comments += 1;
    id += 1;
    return [201, { id, body: '', user: { login: 'bench[bot]' } }];
  };
  return listen(
    createServer((request, response) => {
      request.resume();
      const [path = ''] = (request.url ?? '').split('?', 1);
      const [status, json] = answer(request.method ?? 'GET', path);
      response
        .writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
        .end(JSON.stringify(json));
    }),
  );
}

/** A run service whose runs stay as they are; lists are held as long as asked. */
export async function startService(seen: Seen): Promise<{ url: string; change(): void }> {
  const runs = new Map<string, Run>();
  const waiting = new Set<() => void>();
  const changed = (run: Run): void => {
    run.updated_at = new Date().toISOString();
    for (const wake of waiting) wake();
  };
  const create = async (request: IncomingMessage, send: (json: unknown) => void): Promise<void> => {
    const metadata = (await readJson(request))['metadata'] as Record<string, string>;
    const key = metadata['runlink.request'] ?? '';
    seen.runs.set(key, (seen.runs.get(key) ?? 0) + 1);
    const now = new Date().toISOString();
    const run = {
      run_id: randomUUID(),
      state: 'QUEUED',
      updated_at: now,
      created_at: now,
      metadata,
    };
    runs.set(run.run_id, run);
    send({ run_id: run.run_id, task_id: run.run_id, state: run.state });
    changed(run);
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://service');
    const send = (json: unknown, headers: Record<string, string> = {}): void => {
      response
        .writeHead(200, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(json));
    };
    const list = (): void => {
      const after = url.searchParams.get('updated_after') ?? '';
      const found = after === '' ? [] : [...runs.values()].filter((run) => run.updated_at >= after);
      const body = { runs: found, page_info: { has_next_page: false } };
      send(body, { etag: `"${Date.now()}"`, 'preference-applied': 'wait=25' });
    };
    if (request.method === 'POST' && url.pathname.endsWith('/agent/runs')) {
      void create(request, send);
      return;
    }
    request.resume();
    if (url.pathname.endsWith('/agent/environments')) return send({ environments: [] });
    if (url.pathname.endsWith('/agent/runs')) {
      seen.lists += 1;
      const isHeld = request.headers['if-none-match'] !== undefined;
      if (!isHeld) return list();
      const wake = (): void => {
        clearTimeout(timer);
        waiting.delete(wake);
        list();
      };
      const timer = setTimeout(() => {
        waiting.delete(wake);
        response.writeHead(304, { 'preference-applied': 'wait=25' }).end();
      }, 25_000);
      waiting.add(wake);
      return;
    }
    const run = runs.get(url.pathname.split('/').at(-1) ?? '');
    if (run) return send(run);
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"title":"none"}');
  });
  const first = (): Run | undefined => runs.values().next().value;
  return {
    url: `${await listen(server)}/api/v1`,
    change: () => {
      const run = first();
      if (run) changed(run);
    },
  };
}
