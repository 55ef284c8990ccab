import { execFile, execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * An image with glibc, a shell and git; one without a C library; one that says of itself all that
 * could harm.
 */
export const IMAGE = 'localhost/runlink-test:glibc';
export const BARE_IMAGE = 'localhost/runlink-test:bare';
export const HOSTILE_IMAGE = 'localhost/runlink-test:hostile';

const HOSTILE = [
  'ENTRYPOINT ["/bin/sh", "-c", "echo entrypoint of the image; sleep 1000"]',
  'CMD ["echo", "command of the image"]',
  'USER 0',
  'WORKDIR /nowhere',
  'VOLUME /volume',
  'STOPSIGNAL SIGCONT',
  'ENV LD_PRELOAD=/etc/none.so',
  'ENV NODE_OPTIONS=--require=/etc/none.js',
  'ENV HTTP_PROXY=http://192.0.2.1:1',
  'ENV https_proxy=http://192.0.2.1:1',
  'ENV RUN_MARKER=of-the-image',
  'ENV HOME=/volume',
  'LABEL dev.runlink.run=of-the-image',
  'LABEL dev.runlink.worker=of-the-image',
];

const PROGRAMS = ['sh', 'bash', 'cat', 'ls', 'id', 'env', 'head', 'sleep', 'rm', 'mkdir', 'touch'];
const OTHERS = [
  'git',
  'tail',
  'base64',
  'cmp',
  'cp',
  'chmod',
  'grep',
  'wc',
  'readlink',
  'seq',
  'setsid',
  'tr',
];

/**
 * Two settings that a machine within a machine cannot carry out are taken out of what is asked of
 * runc.
 */
const RUNTIME = `#!/bin/sh
previous=
for word; do
  if [ "$previous" = --bundle ] || [ "$previous" = -b ]; then
    jq -c '.process.rlimits |= [.[]? | select(.type | IN("RLIMIT_NOFILE", "RLIMIT_NPROC") | not)] | del(.process.oomScoreAdj)' "$word/config.json" >"$word/config.new" && mv "$word/config.new" "$word/config.json"
  fi
  previous=$word
done
exec runc "$@"
`;

let made: Promise<string | undefined> | undefined;

/**
 * Makes podman usable in this process, with a store of its own and the two images. Answers why this
 * machine has no containers, undefined where it has.
 */
export function prepareContainers(): Promise<string | undefined> {
  made ??= prepare().then(
    () => undefined,
    (error: Error) => error.message,
  );
  return made;
}

export async function podman(...args: string[]): Promise<string> {
  const { stdout } = await run('podman', args, { timeout: 60_000, killSignal: 'SIGKILL' });
  return stdout.trim();
}

async function prepare(): Promise<void> {
  for (const program of ['podman', 'runc', 'jq'])
    execFileSync('sh', ['-c', `command -v ${program} || { echo no ${program} >&2; exit 1; }`]);
  const dir = mkdtempSync(join(tmpdir(), 'rl-podman-'));
  const runtime = join(dir, 'runtime');
  // Podman shares the locks of its containers among all stores of a machine unless told otherwise,
  // and one test that is killed while it holds one would stop all others.
  writeFileSync(runtime, RUNTIME);
  chmodSync(runtime, 0o755);
  writeFileSync(
    join(dir, 'containers.conf'),
    `[engine]\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\nlock_type = "file"\ntmp_dir = "${dir}/tmp"\nruntime = "plain"\n[engine.runtimes]\nplain = ["${runtime}"]\n`,
  );
  writeFileSync(
    join(dir, 'storage.conf'),
    `[storage]\ndriver = "vfs"\ngraphroot = "${dir}/graph"\nrunroot = "${dir}/run"\n`,
  );
  process.env['CONTAINERS_CONF'] = join(dir, 'containers.conf');
  process.env['CONTAINERS_STORAGE_CONF'] = join(dir, 'storage.conf');
  const root = makeRoot(dir, [...PROGRAMS, ...OTHERS].map(whereIs));
  await importRoot(root, IMAGE);
  // Where our own programs and files are shown, it has links to elsewhere.
  execFileSync('ln', ['-s', 'volume', join(root, 'runlink')]);
  for (const made of ['volume', 'etc']) mkdirSync(join(root, made));
  execFileSync('ln', ['-s', '../../../etc/shadow', join(root, 'etc/passwd')]);
  chmodSync(join(root, 'volume'), 0o777);
  await importRoot(root, HOSTILE_IMAGE, HOSTILE);
  await importRoot(mkdtempSync(join(dir, 'bare-')), BARE_IMAGE);
  await podman('run', '--rm', '--network=none', '--pull=never', IMAGE, '/bin/sh', '-c', 'true');
}

/** An image of these programs and of what `add` puts into its root, with `changes`, for one test. */
export async function makeImage(
  name: string,
  programs: string[],
  add: (root: string) => void = () => undefined,
  changes: string[] = [],
): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'rl-image-'));
  const root = makeRoot(dir, programs.map(whereIs));
  add(root);
  await importRoot(root, name, changes);
  rmSync(dir, { recursive: true });
}

function whereIs(program: string): string {
  return execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim();
}

/** A tree of these programs of this machine and the libraries that they and Node need. */
function makeRoot(dir: string, programs: string[]): string {
  const root = mkdtempSync(join(dir, 'image-'));
  chmodSync(root, 0o755);
  mkdirSync(join(root, 'tmp'));
  for (const file of [...programs, ...librariesOf([...programs, process.execPath])]) {
    const at = join(root, file.startsWith('/usr') ? file : `/usr${file}`);
    mkdirSync(dirname(at), { recursive: true });
    if (!existsSync(at)) copyFileSync(realpathSync(file), at);
  }
  for (const link of ['bin', 'lib', 'lib64'])
    execFileSync('ln', ['-s', `usr/${link}`, join(root, link)]);
  return root;
}

async function importRoot(root: string, name: string, changes: string[] = []): Promise<void> {
  const archive = `${root}.tar`;
  execFileSync('tar', ['-cf', archive, '-C', root, '.']);
  await podman('import', ...changes.map((change) => `--change=${change}`), archive, name);
}

export function librariesOf(programs: string[]): string[] {
  const said = programs.map((program) => {
    try {
      return execFileSync('ldd', [program], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    } catch {
      return '';
    }
  });
  return [...new Set([...said.join('\n').matchAll(/(\/\S+) \(0x/g)].map(([, file = '']) => file))];
}
