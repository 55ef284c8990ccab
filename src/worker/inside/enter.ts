/**
 * The first program inside a sandbox: offers the worker's unix sockets as ports on loopback, and
 * starts the actual program with its own stdio. Its one argument is the order, as JSON.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readSync } from 'node:fs';
import { connect, createServer } from 'node:net';

interface Order {
  command: string[];
  doors: { socket: string; port: number }[];
  /**
   * `on stdin`: the environment comes as the first line on stdin, so that it does not show in the
   * engine's list of containers.
   */
  environment: 'inherited' | 'on stdin';
}

/** The exit code by which shells report a missing program. */
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

/** The image's variables without the empty ones: emptying is how the worker removes a variable. */
function imageVariables(): Record<string, string> {
  const filled = Object.entries(process.env).filter(
    (entry): entry is [string, string] => !!entry[1],
  );
  return Object.fromEntries(filled);
}

/** Reads to the end of the line and not a byte more: the rest is the program's. */
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

/** Reads the counters of both cgroup versions, because the engine often does not report it. */
function ranOutOfMemory(): boolean {
  return ['memory.events', 'memory/memory.oom_control'].some((file) => {
    try {
      return /^oom_kill [1-9]/m.test(readFileSync(`/sys/fs/cgroup/${file}`, 'utf8'));
    } catch {
      return false;
    }
  });
}
