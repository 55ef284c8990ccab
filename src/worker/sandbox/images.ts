import { randomUUID } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { RunlinkError } from '../../base/error.ts';
import { formatDuration } from '../../base/time.ts';
import { diskUse } from '../disk-use.ts';
import type { Engine } from './engine.ts';
import { MARKER_VARIABLE, killMarked, killRun } from './process-marker.ts';

/** An image that is being made available. */
export interface Coming {
  /** Its id, for starting containers. Rejects with `image_failed` or `image_unusable`. */
  ready: Promise<string>;
  /** Settles once it is known whether it must be pulled. */
  begun: Promise<void>;
  /** Whether it is being pulled right now. */
  pulls(): boolean;
  /** How much of it came, and the newest line of the engine's output. */
  progress(): Promise<string>;
}

const SAID_LINES = 12;
const TIMER_MAX_MS = 2 ** 31 - 1;
/** Below this an empty directory may be meant. */
const SEEN_BYTES = 20_000;

/** What to do about a failed pull, by the engine's message. */
const ADVICE: readonly [said: RegExp, advice: string][] = [
  [
    /no space left/i,
    'Make room on the worker\u2019s disk: `ENGINE system prune --all` removes images that nothing uses.',
  ],
  [
    /short-name/i,
    'Write its whole name as `image` of the environment in runlink.yaml, such as docker.io/library/node:24.',
  ],
  [
    /x509|HTTP response to HTTPS/i,
    'Have the worker\u2019s machine trust the certificate of that registry, or name the registry as an insecure one to ENGINE (registries.conf of podman, daemon.json of docker).',
  ],
  [
    /no (image found in|matching) manifest/i,
    `Take an image that there is for this machine\u2019s processor (${process.arch}).`,
  ],
  [
    /timeout|timed out|no such host|connection re(fused|set)|unreachable|\bEOF\b/i,
    'The registry was not reached: check its name in `image` of the environment, and its address from the worker\u2019s machine. A proxy is taken from HTTPS_PROXY, by docker from the settings of its daemon.',
  ],
  [
    /too ?many ?requests/i,
    'Try it again later; whoever has used `ENGINE login` as the worker\u2019s user may fetch more.',
  ],
];

export interface Pulls {
  /** Time for one pull. */
  limitMs: number;
  /** Where podman keeps what it has received until the image is whole. */
  dir: string;
  /** Carried by the processes of pulls, so that a restarted worker finds them. */
  marker: string;
}

/** The images of an engine. Each is pulled once, however many runs wait for it. */
export class ContainerImages {
  readonly #engine: Engine;
  readonly #pulls: Pulls;
  readonly #assertUsable: (id: string, name: string) => Promise<void>;
  readonly #known = new Map<string, Coming>();
  /** Ids of images in which the worker's programs start. */
  readonly #usable = new Set<string>();

  constructor(
    engine: Engine,
    pulls: Pulls,
    /** Throws if the worker's programs do not start in the image. */
    assertUsable: (id: string, name: string) => Promise<void>,
  ) {
    this.#engine = engine;
    this.#pulls = pulls;
    this.#assertUsable = assertUsable;
  }

  take(image: string): Coming {
    const known = this.#known.get(image);
    if (known) return known;
    const dir = join(this.#pulls.dir, randomUUID());
    const said: string[] = [];
    const progress = async (): Promise<string> => {
      const bytes = await diskUse([dir]);
      const came = bytes < SEEN_BYTES ? [] : [`${(bytes / 1e6).toFixed(1)} MB came so far`];
      return [...came, ...said.slice(-1)].join('. ').replace(/(sha256:\w{12})\w+/, '$1');
    };
    let pulling = false;
    const begun = Promise.withResolvers<void>();
    const bring = async (): Promise<string> => {
      let id = await this.#idOf(image).catch(() => '');
      pulling = id === '';
      begun.resolve();
      if (pulling) {
        await this.#pull(image, { dir, said, progress });
        pulling = false;
        id = await this.#idOf(image);
      }
      if (!this.#usable.has(id)) await this.#assertUsable(id, image);
      this.#usable.add(id);
      return id;
    };
    const coming = {
      ready: bring(),
      begun: begun.promise,
      pulls: () => pulling,
      progress,
    };
    this.#known.set(image, coming);
    // Share only what is under way: later the image may have been removed or replaced.
    const forget = (): void => void this.#known.delete(image);
    coming.ready.then(forget, forget);
    return coming;
  }

  /** Ends the pulls of this worker, and those that an earlier one left behind. */
  async endAll(): Promise<void> {
    await killRun(this.#pulls.marker);
    await rm(this.#pulls.dir, { recursive: true, force: true });
  }

  #idOf(image: string): Promise<string> {
    return this.#engine.call(['image', 'inspect', '--format={{.Id}}', image]);
  }

  async #pull(
    image: string,
    { dir, said, progress }: Pick<Coming, 'progress'> & { dir: string; said: string[] },
  ): Promise<void> {
    const { limitMs, marker } = this.#pulls;
    const part = `${marker}.${randomUUID()}`;
    await mkdir(dir, { recursive: true, mode: 0o700 });
    // All other variables are those of the operator.
    const variables = [`TMPDIR=${dir}`, `${MARKER_VARIABLE}=${part}`];
    const child = spawn('env', [...variables, this.#engine.program, 'pull', image], {
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let late: string | undefined;
    const end = async (): Promise<void> => {
      late = await progress();
      await killMarked(part);
    };
    const limit = setTimeout(() => void end(), Math.min(limitMs, TIMER_MAX_MS));
    for (const input of [child.stdout, child.stderr])
      createInterface({ input }).on('line', (line) => {
        said.push(line);
        if (said.length > SAID_LINES) said.shift();
      });
    const ended = once(child, 'close') as Promise<[code: number | null]>;
    const [code] = await ended.finally(() => clearTimeout(limit));
    await rm(dir, { recursive: true, force: true });
    if (code === 0) return;
    // Take podman's last error; before it podman says the same at each try.
    const last = said.findLast((line) => /^error/i.test(line)) ?? said.join('\n');
    const why =
      late === undefined
        ? last || `${this.#engine.name} pull was ended`
        : `the registry did not send all of it within ${formatDuration(limitMs)}. ${late}`;
    throw new RunlinkError('image_failed', `The image ${image} could not be pulled: ${why}`, {
      hint: this.#advise(image, why, late !== undefined),
    });
  }

  #advise(image: string, why: string, isLate: boolean): string {
    const { name } = this.#engine;
    if (isLate)
      return `Try \`${name} pull ${image}\` as the worker\u2019s user: once it is there, no run asks the registry. A slow one needs a longer \`limits: {pull_time}\` in runlink.yaml. One that never answers may be reached only by a proxy, which ${name} takes from HTTPS_PROXY.`;
    const known = ADVICE.find(([said]) => said.test(why));
    if (known) return known[1].replaceAll('ENGINE', name);
    return `Check \`image\` of the environment in runlink.yaml and try \`${name} pull ${image}\` as the worker\u2019s user; a private image needs \`${name} login\` first.`;
  }
}
