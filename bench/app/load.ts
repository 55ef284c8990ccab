import { connect, type Socket } from 'node:net';
import type { Webhook } from './payload.ts';

export interface LoadResult {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** CPU this process spent on sending and reading, per delivery. */
  cpuMsPerDelivery: number;
  /** By status, how many answers. */
  statuses: Record<number, number>;
}

/**
 * Sends all webhooks over so many connections, each as soon as its connection is free. The requests
 * are laid out beforehand and of the answers only status and end are read: the sender shares the
 * machine with what it measures, so it must cost little.
 */
export async function load(
  origin: string,
  webhooks: readonly Webhook[],
  connections: number,
): Promise<LoadResult> {
  const { hostname, port, host } = new URL(origin);
  const requests = webhooks.map((webhook) => layOut(host, webhook));
  const sockets = await Promise.all(
    Array.from({ length: connections }, () => open(hostname, Number(port))),
  );
  const times = new Float64Array(requests.length);
  const statuses: Record<number, number> = {};
  let next = 0;
  let answered = 0;
  const cpu = process.cpuUsage();
  const begun = performance.now();
  const take = (): Buffer | undefined => requests[next++];
  const note = (ms: number, status: number): void => {
    times[answered++] = ms;
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  await Promise.all(sockets.map((socket) => sendEach(socket, take, note)));
  const seconds = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  for (const socket of sockets) socket.destroy();
  times.sort();
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? 0;
  return {
    perSecond: requests.length / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    cpuMsPerDelivery: (user + system) / 1000 / requests.length,
    statuses,
  };
}

function layOut(host: string, { headers, body }: Webhook): Buffer {
  const lines = Object.entries({
    host,
    ...headers,
    'content-length': Buffer.byteLength(body),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST /api/github/webhooks HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}

async function open(host: string, port: number): Promise<Socket> {
  const socket = connect({ host, port, noDelay: true });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  return socket;
}

/** One request after the other on one connection until there is none left. */
function sendEach(
  socket: Socket,
  next: () => Buffer | undefined,
  answered: (ms: number, status: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let sent = 0;
    let text = '';
    const send = (): void => {
      const request = next();
      if (!request) return resolve();
      sent = performance.now();
      socket.write(request);
    };
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (!isWhole(text)) return;
      answered(performance.now() - sent, Number(text.slice(9, 12)));
      text = '';
      send();
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed')));
    send();
  });
}

function isWhole(answer: string): boolean {
  const head = answer.indexOf('\r\n\r\n');
  if (head === -1) return false;
  const length = /content-length: (\d+)/i.exec(answer)?.[1];
  return length !== undefined && answer.length === head + 4 + Number(length);
}
