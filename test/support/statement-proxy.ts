import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Interruption, Steps } from './step-proxy.ts';

/**
 * Address of a proxy in front of a PostgreSQL; each statement is a step, but those that `skips`.
 */
export async function proxyStatements(
  databaseUrl: string,
  steps: Steps,
  skips: (statement: string) => boolean,
): Promise<string> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const server = createServer((app) => {
    const database = connect(Number(target.port), target.hostname);
    for (const socket of [app, database]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        app.destroy();
        database.destroy();
      });
    }
    join(app, database, (statement) => (skips(statement) ? undefined : steps.begin()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = new URL(databaseUrl);
  address.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return address.href;
}

function join(
  app: Socket,
  database: Socket,
  begin: (statement: string) => Interruption | undefined,
): void {
  const read = messageReader();
  let statement = '';
  let due: Interruption | undefined;
  const cut = (): void => {
    app.destroy();
    due?.interrupt();
  };
  app.on('data', (chunk: Buffer) => {
    for (const message of read(chunk)) {
      const type = String.fromCharCode(message[0] ?? 0);
      if (type === 'P' || type === 'Q') statement = message.toString('utf8', 5);
      if (type === 'Q' || type === 'S') {
        due ??= begin(statement);
        statement = '';
        if (due?.moment === 'before') return cut();
      }
      database.write(message);
    }
  });
  database.on('data', (chunk: Buffer) => {
    if (!due) app.write(chunk);
    else if (isReady(chunk)) cut();
  });
}

/** Cuts what a client sends into messages: one without a type at first, then type and length. */
function messageReader(): (chunk: Buffer) => Buffer[] {
  let rest: Buffer = Buffer.alloc(0);
  let typeBytes = 0;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const messages: Buffer[] = [];
    while (rest.length >= typeBytes + 4) {
      const size = typeBytes + rest.readInt32BE(typeBytes);
      if (rest.length < size) break;
      messages.push(rest.subarray(0, size));
      rest = rest.subarray(size);
      typeBytes = 1;
    }
    return messages;
  };
}

/**
 * Whether an answer ends with ReadyForQuery, or asks for the rows of a copy: the statement has
 * taken effect.
 */
function isReady(chunk: Buffer): boolean {
  if (chunk[0] === 'G'.charCodeAt(0)) return true;
  return chunk.at(-6) === 'Z'.charCodeAt(0) && chunk.readInt32BE(chunk.length - 5) === 5;
}
