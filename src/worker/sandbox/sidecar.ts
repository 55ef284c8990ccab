import { rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { once } from 'node:events';
import { z } from 'zod';
import { RunlinkError } from '../../base/error.ts';
import { sleep } from '../../base/time.ts';
import { StderrTail } from '../agent/stderr-tail.ts';
import { KIND, packet, packets, type Packet } from '../inside/packets.ts';
import type { Confinement } from './confinement.ts';
import { MARKER_VARIABLE, killRun } from './process-marker.ts';
import { carriedProgram } from './program-view.ts';
import type { ConfinedProcess, Exit, Sandbox } from './sandbox.ts';

/** Where the containers of a pod share files. */
export interface Pod {
  /**
   * The worker's sockets. Each lies in its own directory, which only its container sees, read-only.
   */
  sockets: string;
  /** The run's directories, at the same path in every container. */
  run: string;
}

export const POD: Pod = { sockets: '/run/runlink', run: '/agent' };

const CHUNK_BYTES = 64 * 1024;
const ROUND_MS = 20;
/**
 * How long a container may be missing. The time is short, because the images are pulled before the
 * worker starts.
 */
const ABSENT_MS = 60_000;
const END_MS = 5000;

const helloShape = z.object({
  uid: z.number(),
  gid: z.number(),
  is_alone: z.boolean(),
  variables: z.array(z.string()),
  /** The image that the pod's template names. */
  image: z.string().optional(),
});
type Hello = z.infer<typeof helloShape>;
const exitShape = z.object({ code: z.number().int().nullable() });

interface Offer {
  socket: Socket;
  said: AsyncGenerator<Packet, void>;
  hello: Hello;
}

/** Another container of the pod; it takes one program at a time. */
class Neighbour {
  readonly name: string;
  readonly #server = createServer((socket) => void this.#meet(socket));
  #offer: Offer | undefined;
  /** The only connection. An agent can open more, but they are closed at once. */
  #current: Socket | undefined;
  #absentSince = Date.now();

  constructor(name: string) {
    this.name = name;
  }

  async listen(socket: string): Promise<void> {
    await rm(socket, { force: true });
    this.#server.listen({ path: socket, writableAll: true });
    this.#server.unref();
    await once(this.#server, 'listening');
  }

  async #meet(socket: Socket): Promise<void> {
    if (this.#current) return void socket.destroy();
    this.#current = socket;
    // An idle connection must not keep the worker's process alive.
    socket.unref();
    socket.on('error', () => undefined);
    socket.once('close', () => {
      this.#current = undefined;
      this.#offer = undefined;
      this.#absentSince = Date.now();
    });
    try {
      const said = packets(socket);
      const first = await said.next();
      if (first.done || first.value.kind !== KIND.hello) throw new Error('no greeting');
      const hello = helloShape.parse(JSON.parse(first.value.bytes.toString()));
      this.#offer = { socket, said, hello };
    } catch {
      socket.destroy();
    }
  }

  /**
   * Reserves the container for a program as soon as it is free. Throws `agent_start_failed` if the
   * container is not there.
   */
  async take(stop?: AbortSignal): Promise<Offer> {
    while (!this.#offer) {
      if (!this.#current && Date.now() - this.#absentSince > ABSENT_MS)
        throw new RunlinkError(
          'agent_start_failed',
          `The container "${this.name}" of this pod does not answer.`,
          {
            hint: `\`kubectl logs --container ${this.name}\` says why. An image needs glibc 2.28 or newer and libstdc++ for the worker\u2019s Node.`,
          },
        );
      await sleep(ROUND_MS, stop);
    }
    const offer = this.#offer;
    this.#offer = undefined;
    return offer;
  }

  /**
   * Whether the container has closed this connection and connected again; then all its processes
   * are gone.
   */
  async isBackAfter(socket: Socket): Promise<boolean> {
    const until = Date.now() + END_MS;
    while (this.#current === undefined || this.#current === socket) {
      if (Date.now() > until) return false;
      await sleep(ROUND_MS);
    }
    return true;
  }
}

/**
 * Sandbox by other containers of the worker's pod. `agent` has the environment's image and runs the
 * run's programs; `errands` has the worker's image and runs our commands in directories that an
 * agent may have written (decisions.md D29). Throws if they isolate less than they should; `unseen`
 * is the worker's own directory.
 */
export async function sidecarSandbox(
  pod: Pod,
  unseen: string,
  stop?: AbortSignal,
): Promise<Sandbox> {
  const agent = new Neighbour('agent');
  const errands = new Neighbour('errands');
  for (const each of [agent, errands]) await each.listen(join(pod.sockets, each.name, 'socket'));
  const [found] = await Promise.all(
    [agent, errands].map(async (each) => await assertApart(each, unseen, stop)),
  );
  const { uid = 0, gid = 0, image } = found ?? {};
  const open = new Set<Begun>();
  return {
    name: 'sidecar',
    canCutNetwork: false,
    gaps: [
      'an agent has the network of its pod: what it may reach is what the NetworkPolicy lets through',
      'limits on memory and processors are those of its container',
    ],
    user: { uid, gid },
    runDirectory: pod.run,
    defaultImage: image ?? 'one that its template does not name (RUNLINK_POD_IMAGE)',
    images: undefined,
    tool: carriedProgram,
    async spawn(confinement, held) {
      await held;
      const neighbour = confinement.image === undefined ? errands : agent;
      const child = begin(neighbour, await neighbour.take(), confinement);
      open.add(child);
      void child.exited.then(() => open.delete(child));
      return child;
    },
    async endRun(marker) {
      const ended = await Promise.all([...open].map((each) => each.end()));
      return ended.filter((isGone) => !isGone).length + (await killRun(marker));
    },
    endAll: async () => undefined,
  };
}

interface Begun extends ConfinedProcess {
  /** Like `destroy`, and returns whether everything is gone. */
  end(): Promise<boolean>;
}

function begin(
  neighbour: Neighbour,
  { socket, said }: Offer,
  {
    command,
    cwd,
    env,
    processMarker,
  }: Pick<Confinement, 'command' | 'cwd' | 'env' | 'processMarker'>,
): Begun {
  const order = { command, cwd, env: { ...env, [MARKER_VARIABLE]: processMarker } };
  socket.ref();
  socket.write(packet(KIND.order, JSON.stringify(order)));
  const outputs = { stdout: new PassThrough(), stderr: new PassThrough() };
  const over = new AbortController();
  const exited = follow(said, outputs, over.signal)
    .catch(() => undefined)
    .then((exit) => {
      socket.destroy();
      for (const output of Object.values(outputs)) output.end();
      return exit ?? (over.signal.aborted ? ENDED : GONE);
    });
  const end = async (): Promise<boolean> => {
    over.abort();
    socket.destroy();
    await exited;
    return await neighbour.isBackAfter(socket);
  };
  return {
    stdin: inputOf(socket),
    ...outputs,
    exited,
    end,
    destroy: async () => void (await end()),
  };
}

const ENDED: Exit = {
  code: null,
  signal: 'SIGKILL',
  summary: 'its process was ended by SIGKILL',
};
const GONE: Exit = {
  ...ENDED,
  summary: 'its container ended; most likely its processes ran out of memory',
};

function inputOf(socket: Socket): Writable {
  const stdin = new Writable({
    write(bytes: Buffer, _, done) {
      for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
        socket.write(packet(KIND.stdin, bytes.subarray(at, at + CHUNK_BYTES)));
      // If the container is gone, that shows as the process's end.
      socket.write('', () => done());
    },
    final(done) {
      socket.write(packet(KIND.stdinEnd), () => done());
    },
  });
  return stdin.on('error', () => undefined);
}

/**
 * Passes on a program's output as fast as it is read, until the program ends. The agent may have
 * written any of it.
 */
async function follow(
  said: AsyncIterable<Packet>,
  { stdout, stderr }: Record<'stdout' | 'stderr', PassThrough>,
  signal: AbortSignal,
): Promise<Exit | undefined> {
  for await (const { kind, bytes } of said) {
    if (kind === KIND.exit) {
      const { code } = exitShape.parse(JSON.parse(bytes.toString()));
      return code === null
        ? ENDED
        : { code, signal: null, summary: `its process ended with code ${code}` };
    }
    const output = kind === KIND.stdout ? stdout : stderr;
    if (!output.write(bytes)) await once(output, 'drain', { signal });
  }
  return undefined;
}

/** Returns the container's greeting. Throws if it sees the worker's processes, key or files. */
async function assertApart(
  neighbour: Neighbour,
  unseen: string,
  stop: AbortSignal | undefined,
): Promise<Hello> {
  const offer = await neighbour.take(stop);
  const { is_alone, variables } = offer.hello;
  const problem = (what: string): Error => new Error(`the container "${neighbour.name}" ${what}`);
  if (!is_alone) throw problem('shares its processes with others (shareProcessNamespace)');
  if (variables.includes('RUNLINK_API_KEY')) throw problem('has the worker\u2019s key');
  const look = `fs.existsSync(${JSON.stringify(unseen)})`;
  const { command } = carriedProgram([process.execPath, '-p', look], '');
  const child = begin(neighbour, offer, { command, cwd: '/', env: {}, processMarker: 'look' });
  const stderr = new StderrTail(child.stderr);
  const [seen, { code, summary }] = await Promise.all([text(child.stdout), child.exited]);
  if (code !== 0) throw problem(`starts nothing: ${stderr.explain(summary)}`);
  if (seen.trim() !== 'false') throw problem(`sees the worker\u2019s files (${unseen})`);
  return offer.hello;
}
