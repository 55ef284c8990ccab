/**
 * Runs in a container beside the worker's own. It connects to the worker's socket, which its one
 * argument names, and runs the one program that it is given there. When that program ends, it ends
 * every process of the container.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { KIND, packet, packets, type Packet } from './packets.ts';

interface Order {
  command: string[];
  cwd: string;
  env: Record<string, string>;
}

/** The exit code by which shells report a missing program. */
const NOT_FOUND = 127;
const RETRY_MS = 100;
/**
 * After this many failed tries to reach a worker that was there before, it is taken to be gone for
 * good.
 */
const TRIES_MAX = 50;
const ROUND_MS = 20;
const EVERY_PROCESS = -1;

process.on('SIGTERM', () => process.exit(0));
const path = process.argv[2] ?? '';
// If the container shares processes with others, it must not kill everything it sees.
const isAlone = others().length === 0;
let missed = 0;
let wasThere = false;
for (;;) {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    wasThere = true;
    missed = 0;
    await serve(socket);
  } catch {
    missed += 1;
    if (wasThere && missed > TRIES_MAX) process.exit(0);
  }
  socket.destroy();
  await endAll();
  await sleep(RETRY_MS);
}

async function serve(socket: Socket): Promise<void> {
  socket.on('error', () => undefined);
  const variables = Object.keys(process.env);
  const user = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const image = process.env['RUNLINK_POD_IMAGE'];
  socket.write(
    packet(KIND.hello, JSON.stringify({ ...user, is_alone: isAlone, variables, image })),
  );
  const said = packets(socket);
  const first = await said.next();
  if (first.done || first.value.kind !== KIND.order || !isAlone) return;
  await carryOut(JSON.parse(first.value.bytes.toString()) as Order, socket, said);
}

/** Runs the program until the worker closes the socket, which also ends the program. */
async function carryOut(
  { command: [program = '', ...args], cwd, env }: Order,
  socket: Socket,
  said: AsyncIterable<Packet>,
): Promise<void> {
  const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, detached: true });
  child.stdin.on('error', () => undefined);
  child.once('error', ({ message }) => {
    socket.write(packet(KIND.stderr, `"${program}" could not be started: ${message}\n`));
    socket.write(packet(KIND.exit, JSON.stringify({ code: NOT_FOUND })));
  });
  child.once('exit', () => void endAll());
  child.once('close', (code) => socket.write(packet(KIND.exit, JSON.stringify({ code }))));
  send(child.stdout, KIND.stdout, socket);
  send(child.stderr, KIND.stderr, socket);
  for await (const { kind, bytes } of said)
    if (kind === KIND.stdin) child.stdin.write(bytes);
    else if (kind === KIND.stdinEnd) child.stdin.end();
}

/** Pauses reading while the worker takes nothing. */
function send(from: Readable, kind: number, socket: Socket): void {
  from.on('data', (bytes: Buffer) => {
    if (socket.write(packet(kind, bytes))) return;
    from.pause();
    socket.once('drain', () => from.resume());
  });
}

/** Ends every process of this container but its first and this one. */
async function endAll(): Promise<void> {
  if (!isAlone) return;
  while (others().length > 0) {
    try {
      process.kill(EVERY_PROCESS, 'SIGKILL');
    } catch {
      // They have all ended meanwhile.
    }
    await sleep(ROUND_MS);
  }
}

function others(): string[] {
  const ours = ['1', String(process.pid)];
  return readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && !ours.includes(name) && isAlive(name),
  );
}

function isAlive(pid: string): boolean {
  try {
    return !/\) [ZX] [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
