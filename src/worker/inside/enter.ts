/**
 * Runs first inside a sandbox: offers unix sockets of the worker as ports on loopback, and starts the
 * program with its own stdio. Its one argument is the order, as JSON.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readSync } from 'node:fs';
import { connect, createServer } from 'node:net';

interface Order {
  command: string[];
  doors: { socket: string; port: number }[];
  /** The program's environment is the first line on stdin: it stands in nobody's list of containers. */
  environment: 'inherited' | 'on stdin';
}

/** As a shell says that there is no such program. */
const NOT_FOUND = 127;
const KILLED = 128;

const { command, doors, environment } = JSON.parse(process.argv[2] ?? '') as Order;
const env = environment === 'inherited' ? process.env : { ...imageVariables(), ...readLine() };
const servers = await Promise.all(doors.map(open));
const [program = '', ...args] = command;
const child = spawn(program, args, { stdio: 'inherit', env });
child.once('error', ({ message }) => {
  process.stderr.write(`"${program}" could not be started: ${message}\n`);
  process.exit(NOT_FOUND);
});
const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
if (signal === 'SIGKILL' && ranOutOfMemory())
  process.stderr.write('Its processes ran out of memory.\n');
process.exitCode = code ?? KILLED;
for (const server of servers) server.close().unref();

/** Those of an image that are to be none were made empty. */
function imageVariables(): Record<string, string> {
  const filled = Object.entries(process.env).filter(
    (entry): entry is [string, string] => !!entry[1],
  );
  return Object.fromEntries(filled);
}

/** To the end of the line and no further: the rest is the program's. */
function readLine(): Record<string, string> {
  const bytes: number[] = [];
  const byte = Buffer.alloc(1);
  while (readSync(0, byte) === 1 && byte[0] !== 10) bytes.push(byte[0] ?? 0);
  return JSON.parse(Buffer.from(bytes).toString()) as Record<string, string>;
}

async function open({ socket, port }: Order['doors'][number]) {
  const server = createServer({ allowHalfOpen: true }, (inside) => {
    const outside = connect({ path: socket, allowHalfOpen: true });
    inside.pipe(outside).pipe(inside);
    inside.on('error', () => outside.destroy());
    outside.on('error', () => inside.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** As both versions of control groups count it; the engine's own word for it is often missing. */
function ranOutOfMemory(): boolean {
  return ['memory.events', 'memory/memory.oom_control'].some((file) => {
    try {
      return /^oom_kill [1-9]/m.test(readFileSync(`/sys/fs/cgroup/${file}`, 'utf8'));
    } catch {
      return false;
    }
  });
}
