import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { access, readFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Plugin } from 'rolldown';

/**
 * Our programs as tests start them: bundled from the source once for each state of it, because to find
 * and load a thousand modules is half of the processor time that a start takes. What `npm install` gives
 * people has its own test (`cli/package.test.ts`).
 */
const ROOT = resolve(import.meta.dirname, '../..');
const CACHE = join(ROOT, 'node_modules/.cache/runlink');
const PROGRAMS = [
  'src/cli/main.ts',
  'test/support/app-process.ts',
  'test/support/claimer-process.ts',
  'test/support/worker-process.ts',
  'test/faults/serve-process.ts',
  'test/database/database-process.ts',
];
/** What those start in turn, in the places of an installed package: a sandbox keeps nothing compiled. */
const STARTED = {
  'worker/inside/collect': 'src/worker/inside/collect.ts',
  'worker/inside/enter': 'src/worker/inside/enter.ts',
  'examples/agents/demo': 'examples/agents/demo.ts',
};
const STARTER_FILES = ['src/worker/sandbox/own-program.ts', 'src/worker/profile/demo.ts'];
const STARTERS = /^src\/(worker\/(?:sandbox\/own-program|profile\/demo))\.ts$/;
/** Of many modules each; whatever else is installed is loaded from where it lies. */
const BUNDLED =
  /^(?:@agentclientprotocol\/sdk|@cfworker\/json-schema|@clack\/prompts|@hono\/node-server|commander|croner|cronstrue|diff|hono|jose|kysely|mdast-util-\w+|micromark\S*|pg|pg-boss|prom-client|yaml|zod)(?:\/|$)/;
const DAY_MS = 86_400_000;
const FOLDER = 'RUNLINK_TEST_PROGRAMS';

/** Where a process loads this program of ours from: the bundle in a test run, else the source. */
export function programFile(source: string): string {
  const folder = process.env[FOLDER] ?? '';
  return folder === '' ? join(ROOT, source) : join(folder, `${nameOf(source)}.js`);
}

/**
 * Makes the bundle, unless it is there for this state of the source, for all processes of this run. With
 * an empty `RUNLINK_TEST_PROGRAMS` the source is started.
 */
export async function bundlePrograms(): Promise<void> {
  if (process.env[FOLDER] !== undefined) return;
  const folder = join(CACHE, `programs-${await stateOfSource()}`);
  process.env[FOLDER] = folder;
  if (
    await access(folder).then(
      () => true,
      () => false,
    )
  )
    return;
  await removeOld();
  const making = `${folder}.${process.pid}`;
  const { rolldown } = await import('rolldown');
  const dependencies = await packages();
  const bundle = await rolldown({
    input: { ...STARTED, ...Object.fromEntries(PROGRAMS.map((file) => [nameOf(file), file])) },
    cwd: ROOT,
    platform: 'node',
    external: (id) => dependencies.some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: [withOwnPlaces(folder)],
    treeshake: false,
    onLog: () => undefined,
  });
  await bundle.write({ dir: making, format: 'es', entryFileNames: '[name].js' });
  await bundle.close();
  // Another run of this tree may have been quicker.
  await rename(making, folder).catch(() => rm(making, { recursive: true, force: true }));
}

let isLed = false;

/** A worker in this process too starts what stands in the bundle, as one in a process of its own does. */
export async function leadToBundle(): Promise<void> {
  const folder = process.env[FOLDER] ?? '';
  if (isLed || folder === '') return;
  isLed = true;
  const hooks = registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      const file = url.startsWith('file:') ? fileURLToPath(url) : '';
      const [, starter] = STARTERS.exec(relative(ROOT, file)) ?? [];
      if (starter === undefined) return loaded;
      const place = JSON.stringify(pathToFileURL(join(folder, `${starter}.js`)).href);
      const text = readFileSync(file, 'utf8');
      return { ...loaded, source: text.replaceAll('import.meta.url', place) };
    },
  });
  await Promise.all(STARTER_FILES.map((file) => import(pathToFileURL(join(ROOT, file)).href)));
  hooks.deregister();
}

const nameOf = (source: string): string => basename(source, '.ts');

async function packages(): Promise<string[]> {
  const text = await readFile(join(ROOT, 'package.json'), 'utf8');
  const { dependencies } = JSON.parse(text) as { dependencies: Record<string, string> };
  return Object.keys(dependencies).filter((name) => !BUNDLED.test(name));
}

/** Each module goes on finding its threads, assets and neighbours where its source lies, but for `STARTED`. */
const withOwnPlaces = (folder: string): Plugin => ({
  name: 'own-places',
  transform(code, id) {
    if (!id.startsWith(ROOT) || id.includes('/node_modules/') || !code.includes('import.meta.'))
      return null;
    const [, starter] = STARTERS.exec(relative(ROOT, id)) ?? [];
    const place = starter === undefined ? id : join(folder, `${starter}.js`);
    return code
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(place).href))
      .replaceAll('import.meta.dirname', JSON.stringify(dirname(place)));
  },
});

async function stateOfSource(): Promise<string> {
  const hash = createHash('sha256').update(ROOT);
  const files = [
    ...globSync('{src,examples}/**/*.ts', { cwd: ROOT }),
    ...globSync('test/**/*-process.ts', { cwd: ROOT }),
    ...globSync('test/support/*.ts', { cwd: ROOT }),
  ];
  for (const file of ['package-lock.json', ...files.toSorted()])
    hash.update(`${file}\n`).update(await readFile(join(ROOT, file)));
  return hash.digest('hex').slice(0, 16);
}

/** Those of earlier states of the source that no run of today can still use. */
async function removeOld(): Promise<void> {
  for (const name of await readdir(CACHE).catch(() => [])) {
    const path = join(CACHE, name);
    if (!name.startsWith('programs-') || Date.now() - (await stat(path)).mtimeMs < DAY_MS) continue;
    await rm(path, { recursive: true, force: true });
  }
}
