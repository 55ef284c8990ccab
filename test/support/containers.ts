import { execFile, execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** An image with glibc, a shell and git, and one of static programs without a C library. */
export const IMAGE = 'localhost/runlink-test:glibc';
export const BARE_IMAGE = 'localhost/runlink-test:static';

const PROGRAMS = ['sh', 'bash', 'cat', 'ls', 'id', 'env', 'head', 'sleep', 'rm', 'mkdir', 'touch'];
const OTHERS = ['git', 'grep', 'wc', 'readlink', 'seq', 'setsid', 'tr'];

/** Two settings that a machine within a machine cannot carry out are taken out of what is asked of runc. */
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
  writeFileSync(runtime, RUNTIME);
  chmodSync(runtime, 0o755);
  writeFileSync(
    join(dir, 'containers.conf'),
    `[engine]\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\nruntime = "plain"\n[engine.runtimes]\nplain = ["${runtime}"]\n`,
  );
  writeFileSync(
    join(dir, 'storage.conf'),
    `[storage]\ndriver = "vfs"\ngraphroot = "${dir}/graph"\nrunroot = "${dir}/run"\n`,
  );
  process.env['CONTAINERS_CONF'] = join(dir, 'containers.conf');
  process.env['CONTAINERS_STORAGE_CONF'] = join(dir, 'storage.conf');
  const busybox = execFileSync('sh', ['-c', 'command -v busybox || true'], { encoding: 'utf8' });
  await importImage(dir, IMAGE, [...PROGRAMS, ...OTHERS].map(whereIs));
  if (busybox.trim()) await importImage(dir, BARE_IMAGE, [busybox.trim()]);
  await podman('run', '--rm', '--network=none', '--pull=never', IMAGE, '/bin/sh', '-c', 'true');
}

function whereIs(program: string): string {
  return execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim();
}

/** An image of these programs of this machine and the libraries that they and Node need. */
async function importImage(dir: string, name: string, programs: string[]): Promise<void> {
  const root = mkdtempSync(join(dir, 'image-'));
  const libraries = programs.includes(whereIs('git'))
    ? librariesOf([...programs, process.execPath])
    : [];
  chmodSync(root, 0o755);
  mkdirSync(join(root, 'tmp'));
  for (const file of [...programs, ...libraries]) {
    const at = join(root, file.startsWith('/usr') ? file : `/usr${file}`);
    mkdirSync(dirname(at), { recursive: true });
    if (!existsSync(at)) copyFileSync(realpathSync(file), at);
  }
  for (const link of ['bin', 'lib', 'lib64'])
    execFileSync('ln', ['-s', `usr/${link}`, join(root, link)]);
  if (programs.length === 1)
    execFileSync('ln', ['-s', 'busybox', join(root, dirname(programs[0] ?? ''), 'sh')]);
  const archive = `${root}.tar`;
  execFileSync('tar', ['-cf', archive, '-C', root, '.']);
  await podman('import', archive, name);
}

function librariesOf(programs: string[]): string[] {
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
