import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { access, readFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Plugin } from 'rolldown';

/**
 * Our programs as tests start them: bundled from the source once for each state of it, because to
 * find and load a thousand modules is half of the processor time that a start takes. What `npm
 * install` gives people has its own test (`cli/package.test.ts`).
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
/**
 * What those start in turn, in the places of an installed package: sandboxes and threads keep
 * nothing compiled.
 */
const STARTED = {
  'app/config/config-thread': 'src/app/config/config-thread.ts',
  'database/end-unused-server': 'src/database/end-unused-server.ts',
  'examples/agents/demo': 'examples/agents/demo.ts',
  'github/markdown-thread': 'src/github/markdown-thread.ts',
  'pages/page-thread': 'src/pages/page-thread.ts',
  'service/skills/skill-thread': 'src/service/skills/skill-thread.ts',
  'worker/inside/collect': 'src/worker/inside/collect.ts',
  'worker/inside/enter': 'src/worker/inside/enter.ts',
  'worker/lease/heartbeat-thread': 'src/worker/lease/heartbeat-thread.ts',
};
/** Who starts them, by the module's own place. */
const STARTERS = new Set([
  'app/config/read-config',
  'database/open-embedded',
  'github/markdown-jobs',
  'pages/page-jobs',
  'service/skills/discovery',
  'worker/lease/heartbeats',
  'worker/profile/demo',
  'worker/sandbox/own-program',
]);
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
 * Makes the bundle, unless it is there for this state of the source, for all processes of this run.
 * With an empty `RUNLINK_TEST_PROGRAMS` the source is started.
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

/** What this process loads starts what stands in the bundle, as a process of its own does. */
export function leadToBundle(): void {
  const folder = process.env[FOLDER] ?? '';
  if (isLed || folder === '') return;
  isLed = true;
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      const starter = url.startsWith('file:') ? starterOf(fileURLToPath(url)) : undefined;
      if (starter === undefined) return loaded;
      const place = JSON.stringify(pathToFileURL(join(folder, `${starter}.js`)).href);
      const text = readFileSync(new URL(url), 'utf8');
      return { ...loaded, source: text.replaceAll('import.meta.url', place) };
    },
  });
}

/** The place of a module that starts others by where it lies. */
function starterOf(file: string): string | undefined {
  const place = relative(join(ROOT, 'src'), file).replace(/\.ts$/, '');
  return STARTERS.has(place) ? place : undefined;
}

const nameOf = (source: string): string => basename(source, '.ts');

async function packages(): Promise<string[]> {
  const text = await readFile(join(ROOT, 'package.json'), 'utf8');
  const { dependencies } = JSON.parse(text) as { dependencies: Record<string, string> };
  return Object.keys(dependencies).filter((name) => !BUNDLED.test(name));
}

/**
 * Each module goes on finding its threads, assets and neighbours where its source lies, but for
 * `STARTED`.
 */
const withOwnPlaces = (folder: string): Plugin => ({
  name: 'own-places',
  transform(code, id) {
    if (!id.startsWith(ROOT) || id.includes('/node_modules/') || !code.includes('import.meta.'))
      return null;
    const starter = starterOf(id);
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
