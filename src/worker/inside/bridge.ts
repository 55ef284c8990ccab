/**
 * Runs inside a sandbox without network, before the agent: offers the worker's unix socket as a port
 * on loopback, and starts the agent with its own stdio. Arguments: socket, port, command…
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

const [, , socket = '', port = '', program = '', ...args] = process.argv;

const server = createServer((inside) => {
  const outside = connect(socket);
  inside.pipe(outside).pipe(inside);
  inside.on('error', () => outside.destroy());
  outside.on('error', () => inside.destroy());
});
server.listen(Number(port), '127.0.0.1');
await once(server, 'listening');

const child = spawn(program, args, { stdio: 'inherit' });
const [code] = (await once(child, 'exit')) as [number | null];
process.exitCode = code ?? 1;
server.close();
server.unref();
