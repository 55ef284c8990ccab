import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { RunlinkError } from '../../base/error.ts';
import { formatDuration } from '../../base/time.ts';
import type { Engine } from './engine.ts';

/** An image that is being made available. */
export interface Coming {
  /** Its id, for starting containers. Rejects with `image_failed` or `image_unusable`. */
  ready: Promise<string>;
  /** Whether it is being pulled right now. */
  pulls(): boolean;
  /** The newest line of the engine's output. */
  progress(): string;
}

const SAID_LINES = 12;

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

/** The images of an engine. Each is pulled once, however many runs wait for it. */
export class ContainerImages {
  readonly #engine: Engine;
  readonly #limitMs: number;
  readonly #assertUsable: (id: string, name: string) => Promise<void>;
  readonly #known = new Map<string, Coming>();
  /** Ids of images in which the worker's programs start. */
  readonly #usable = new Set<string>();

  constructor(
    engine: Engine,
    limitMs: number,
    /** Throws if the worker's programs do not start in the image. */
    assertUsable: (id: string, name: string) => Promise<void>,
  ) {
    this.#engine = engine;
    this.#limitMs = limitMs;
    this.#assertUsable = assertUsable;
  }

  take(image: string): Coming {
    const known = this.#known.get(image);
    if (known) return known;
    const said: string[] = [];
    let pulling = false;
    const bring = async (): Promise<string> => {
      let id = await this.#idOf(image).catch(() => '');
      if (id === '') {
        pulling = true;
        await this.#pull(image, said);
        pulling = false;
        id = await this.#idOf(image);
      }
      if (!this.#usable.has(id)) await this.#assertUsable(id, image);
      this.#usable.add(id);
      return id;
    };
    const coming = {
      ready: bring(),
      pulls: () => pulling,
      progress: () => said.at(-1) ?? '',
    };
    this.#known.set(image, coming);
    // Share only what is under way: later the image may have been removed or replaced.
    const forget = (): void => void this.#known.delete(image);
    coming.ready.then(forget, forget);
    return coming;
  }

  #idOf(image: string): Promise<string> {
    return this.#engine.call(['image', 'inspect', '--format={{.Id}}', image]);
  }

  async #pull(image: string, said: string[]): Promise<void> {
    const child = spawn(this.#engine.program, ['pull', image], {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: this.#limitMs,
      killSignal: 'SIGKILL',
    });
    for (const input of [child.stdout, child.stderr])
      createInterface({ input }).on('line', (line) => {
        said.push(line);
        if (said.length > SAID_LINES) said.shift();
      });
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    if (code === 0) return;
    // Take podman's last error; before it podman says the same at each try.
    const last = said.findLast((line) => /^error/i.test(line)) ?? said.join('\n');
    const why =
      signal === null
        ? last
        : `the registry did not send all of it within ${formatDuration(this.#limitMs)}`;
    throw new RunlinkError('image_failed', `The image ${image} could not be pulled: ${why}`, {
      hint: this.#advise(image, why, signal !== null),
    });
  }

  #advise(image: string, why: string, isLate: boolean): string {
    const { name } = this.#engine;
    if (isLate)
      return `Try \`${name} pull ${image}\` as the worker\u2019s user: once it is there, no run asks the registry. One that never answers may be reached only by a proxy, which ${name} takes from HTTPS_PROXY.`;
    const known = ADVICE.find(([said]) => said.test(why));
    if (known) return known[1].replaceAll('ENGINE', name);
    return `Check \`image\` of the environment in runlink.yaml and try \`${name} pull ${image}\` as the worker\u2019s user; a private image needs \`${name} login\` first.`;
  }
}
