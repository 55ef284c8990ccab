import { execFile, execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanEnvironment } from '../support/clean-environment.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const NODE_BIN = join(ROOT, 'node_modules/.bin');
const run = promisify(execFile);
const isLong = process.env['RUNLINK_TEST_LONG'] === '1';

interface Lock {
  packages: Record<string, { dev?: boolean; devOptional?: boolean; optional?: boolean }>;
}

/** A folder with nothing but the package and what it says it needs. */
let folder: string;
/** What is in the package. */
let packed: string[];
const env = { ...cleanEnvironment(), PATH: `${NODE_BIN}:${process.env['PATH'] ?? ''}` };

/** How this machine reaches a registry. */
const network = Object.fromEntries(
  ['NODE_EXTRA_CA_CERTS', 'HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'no_proxy'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);

/** Packs what `npm pack` would, built beside the tree so that nobody else's build is disturbed. */
function pack(): string {
  const from = join(folder, 'from');
  mkdirSync(join(from, 'docs'), { recursive: true });
  for (const file of ['package.json', 'README.md', 'LICENSE', 'app.yml', 'docs/openapi.json'])
    cpSync(join(ROOT, file), join(from, file));
  const tsc = (project: string, to: string): void =>
    void execFileSync(join(NODE_BIN, 'tsc'), ['-p', project, '--noCheck', '--outDir', to], {
      cwd: ROOT,
      env,
    });
  tsc('src', join(from, 'build'));
  tsc('examples', join(from, 'build/examples'));
  cpSync(join(ROOT, 'src/pages/assets'), join(from, 'build/pages/assets'), { recursive: true });
  const words = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const said: unknown = JSON.parse(
    execFileSync('npm', words, { cwd: from, env, encoding: 'utf8' }),
  );
  const [made] = said as { filename: string; files: { path: string }[] }[];
  packed = made?.files.map(({ path }) => path) ?? [];
  return join(folder, made?.filename ?? '');
}

/** What the demo agent is made of: what a sandbox is to show of a package cannot lie elsewhere. */
const COPIED = ['@agentclientprotocol/sdk', 'zod'];

/** What `npm install --omit=dev` would put there, offline: links to the packages of this tree. */
function install(archive: string): void {
  const modules = join(folder, 'empty/node_modules');
  mkdirSync(join(modules, 'runlink'), { recursive: true });
  execFileSync('tar', ['-xzf', archive, '-C', join(modules, 'runlink'), '--strip-components=1']);
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock;
  for (const [path, { dev, devOptional }] of Object.entries(lock.packages)) {
    const [, name, deeper] = /^node_modules\/((?:@[^/]+\/)?[^/]+)(\/.*)?$/.exec(path) ?? [];
    if (!name || deeper || dev || devOptional) continue;
    const at = join(modules, name);
    mkdirSync(dirname(at), { recursive: true });
    try {
      const from = realpathSync(join(ROOT, path));
      if (COPIED.includes(name)) cpSync(from, at, { recursive: true });
      else symlinkSync(from, at);
    } catch {
      // A package for other machines is not here.
    }
  }
  mkdirSync(join(modules, '.bin'));
  symlinkSync('../runlink/build/cli/main.js', join(modules, '.bin/runlink'));
  chmodSync(join(modules, 'runlink/build/cli/main.js'), 0o755);
  writeFileSync(join(folder, 'empty/package.json'), '{"private":true}\n');
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'runlink-package-'));
  install(pack());
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const inFolder = (program: string, ...words: string[]) =>
  run(program, words, { cwd: join(folder, 'empty'), env });
const npx = (...words: string[]) => inFolder('npx', '--no-install', 'runlink', ...words);
/** The program that npx starts, without npm's own second. */
const runlink = (...words: string[]) => inFolder('node_modules/.bin/runlink', ...words);

describe('the npm package', () => {
  it('holds the program, what it reads and no test, source or secret', () => {
    expect(packed).toContain('build/cli/main.js');
    expect(packed).toContain('docs/openapi.json');
    expect(packed).toContain('app.yml');
    expect(packed.filter((path) => /(^|\/)(test|src|bench)\/|\.ts$|\.env/.test(path))).toEqual([]);
    const { private: isPrivate, bin } = JSON.parse(
      readFileSync(join(ROOT, 'package.json'), 'utf8'),
    ) as { private?: boolean; bin: Record<string, string> };
    expect([isPrivate, packed.includes(bin['runlink'] ?? '')]).toEqual([undefined, true]);
  });

  it('works by npx in an empty folder: version, help, init and doctor', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      version: string;
    };
    expect((await npx('--version')).stdout.trim()).toBe(version);
    expect((await runlink('--help')).stdout).toMatch(/^ +init /m);
    expect((await runlink('config', 'check', '--help')).stdout).toContain('runlink.yaml');
    const words = ['acme/web', '--harness', 'demo', '--no-run'];
    expect((await runlink('init', ...words)).stdout).toContain('✓ agent demo');
    expect((await runlink('config', 'check')).stdout).toContain('Valid: 1 environments');
  }, 120_000);

  it('says on an older Node which one it needs, in words', async () => {
    const main = join(folder, 'empty/node_modules/runlink/build/cli/main.js');
    const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.1' } }); await import(${JSON.stringify(main)})`;
    const words = ['--input-type=module', '-e', older];
    await expect(run(join(NODE_BIN, 'node'), words, { env })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^error: Runlink needs Node\.js 24 or newer; this is 18\.20\.1/,
      ),
    });
    const text = readFileSync(main, 'utf8');
    expect(text.match(/^import |\bawait\b/gm)).toBeNull();
  });

  it.runIf(isLong)(
    'is what npm pack makes, and npm installs it for everybody',
    async () => {
      const to = join(folder, 'global');
      await run('npm', ['pack', '--pack-destination', folder], { cwd: ROOT, env });
      const [archive] = execFileSync('sh', ['-c', `ls ${folder}/runlink-*.tgz`], {
        encoding: 'utf8',
      })
        .trim()
        .split('\n');
      const words = ['install', '-g', '--prefix', to, archive ?? ''];
      await run('npm', words, { cwd: folder, env: { ...env, ...network } });
      const { stdout } = await run(join(to, 'bin/runlink'), ['--version'], { env });
      expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
      // npm runs no package's install scripts unless it is told to: PostgreSQL starts without them.
      await run(join(to, 'bin/runlink'), ['migrate', '--data', join(folder, 'data')], { env });
    },
    900_000,
  );
});
