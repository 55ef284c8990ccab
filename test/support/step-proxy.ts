import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export type Moment = 'before' | 'after';

export interface Interruption {
  moment: Moment;
  interrupt: () => void;
}

/**
 * Counts the steps that a process takes through any number of proxies and interrupts one of them.
 */
export class Steps {
  #count = 0;
  #plan: (Interruption & { isDue: (name: string, count: number) => boolean }) | undefined;

  /** From now on, the n-th step is interrupted before or after it takes effect. */
  interruptAt(step: number, moment: Moment, interrupt: () => void): void {
    this.#count = 0;
    this.#plan = { isDue: (_, count) => count === step, moment, interrupt };
  }

  /** The next step of such a name, which only requests have, is interrupted. */
  interruptOn(pattern: RegExp, moment: Moment, interrupt: () => void): void {
    this.#plan = { isDue: (name) => pattern.test(name), moment, interrupt };
  }

  /** What was not interrupted by now is not going to be; answers how many steps there were. */
  letBe(): number {
    this.#plan = undefined;
    return this.#count;
  }

  /** To be told of each step as it begins; answers how it is to be interrupted. */
  begin(name = ''): Interruption | undefined {
    this.#count += 1;
    const due = this.#plan;
    if (!due?.isDue(name, this.#count)) return undefined;
    this.#plan = undefined;
    return due;
  }
}

/**
 * Base URL of a proxy in front of an HTTP server; each request is a step, but those that are held.
 */
export async function proxyRequests(target: string, steps: Steps): Promise<string> {
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const name = `${request.method} ${request.url}`;
    const due = request.headers['prefer'] === undefined ? steps.begin(name) : undefined;
    try {
      if (due?.moment === 'before') throw new Error('interrupted');
      const answer = await forward(target, request);
      if (due) throw new Error('interrupted');
      response.writeHead(answer.status, answer.headers).end(answer.body);
    } catch {
      response.destroy();
    } finally {
      due?.interrupt();
    }
  };
  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'content-encoding',
  'host',
];

async function forward(
  target: string,
  request: IncomingMessage,
): Promise<{ status: number; headers: Record<string, string>; body: Buffer }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const headers = Object.entries(request.headers).filter(([name]) => !HOP_BY_HOP.includes(name));
  const answer = await fetch(new URL(request.url ?? '/', target), {
    method: request.method ?? 'GET',
    headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
    redirect: 'manual',
    ...(body.length > 0 ? { body } : {}),
  });
  return {
    status: answer.status,
    headers: Object.fromEntries([...answer.headers].filter(([name]) => !HOP_BY_HOP.includes(name))),
    body: Buffer.from(await answer.arrayBuffer()),
  };
}
