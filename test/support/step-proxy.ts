import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export type Moment = 'before' | 'after';

/** Counts requests through any number of proxies and interrupts one of them. */
export interface Steps {
  /** From now on, the n-th request is interrupted before or after it takes effect. */
  interruptAt(step: number, moment: Moment, interrupt: () => void): void;
  /** Requests since `interruptAt`. */
  readonly count: number;
  /** Base URL of a proxy in front of a server. */
  proxy(target: string): Promise<string>;
}

/** Proxies that see each step of the App towards GitHub and the service. */
export function createSteps(): Steps {
  let count = 0;
  let plan: { step: number; moment: Moment; interrupt: () => void } | undefined;
  const steps: Steps = {
    interruptAt(step, moment, interrupt) {
      count = 0;
      plan = { step, moment, interrupt };
    },
    get count() {
      return count;
    },
    async proxy(target) {
      const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
        const isHeld = request.headers['prefer'] !== undefined;
        if (!isHeld) count += 1;
        const due = plan && !isHeld && count === plan.step ? plan : undefined;
        if (due) plan = undefined;
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
    },
  };
  return steps;
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
