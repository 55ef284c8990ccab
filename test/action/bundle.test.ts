import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  alice,
  commentEvent,
  repository,
  startWorld,
  type Event,
} from '../support/action-world.ts';

const DIST = resolve(import.meta.dirname, '../../dist');
const files = readdirSync(DIST);
const scripts = files.filter((name) => name.endsWith('.js'));
const textOf = (name: string): string => readFileSync(resolve(DIST, name), 'utf8');
const packages = [...textOf('licenses.txt').matchAll(/^(\S+) (\d+\.\d+\.\d\S*) \(/gm)].map(
  ([, name]) => name ?? '',
);

/** Median of the entry files of seventeen published actions, in bytes (bench/action/README.md). */
const MEDIAN_OF_PEERS = 1_236_072;

describe('the bundle', () => {
  it('is an ES module with its licences', () => {
    expect(files).toContain('index.js');
    expect(files).toEqual(expect.arrayContaining(['markdown-thread.js', 'schema-thread.js']));
    expect(JSON.parse(textOf('package.json'))).toEqual({ type: 'module' });
    expect(packages).toContain('zod');
  });

  it('holds one copy of each package, and none that a face without a server needs not', () => {
    expect(packages.length).toBeGreaterThan(30);
    expect(packages.toSorted()).toEqual([...new Set(packages)].toSorted());
    const foreign =
      /^(?:pg|pg-boss|probot|hono|pino|kysely|undici|@actions\/(?!core$).*|@octokit\/rest)$/;
    expect(packages.filter((name) => foreign.test(name))).toEqual([]);
    const inside = scripts.flatMap((name) => [
      ...textOf(name).matchAll(/^\/\/ (?:.*\/)?node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\//gm),
    ]);
    expect(inside.length).toBeGreaterThan(100);
    expect(inside.filter(([, name = '']) => !packages.includes(name))).toEqual([]);
  });

  it('names no place of the machine it was made on', () => {
    for (const script of scripts) expect(textOf(script)).not.toMatch(/\/work\/|\/home\/|\.cache\//);
  });

  it('is smaller, with all its files, than the median of the peers’ first file', () => {
    const bytes = scripts.reduce((sum, name) => sum + statSync(resolve(DIST, name)).size, 0);
    expect(bytes).toBeLessThan(MEDIAN_OF_PEERS);
  });
});

/** Names of the files that a step loaded, in order. */
async function loadedBy(event: Event, inputs: Record<string, string>): Promise<string[]> {
  const world = await startWorld();
  const directory = mkdtempSync(join(tmpdir(), 'runlink-loaded-'));
  onTestFinished(async () => {
    rmSync(directory, { recursive: true, force: true });
    await world.close();
  });
  const list = join(directory, 'list');
  const hook = join(directory, 'hook.mjs');
  writeFileSync(
    hook,
    `import { appendFileSync } from 'node:fs';
    import { registerHooks } from 'node:module';
    registerHooks({ load(url, context, next) {
      appendFileSync(${JSON.stringify(list)}, url + '\\n');
      return next(url, context);
    } });`,
  );
  const env = { NODE_OPTIONS: `--import=${hook}` };
  const step = await (await world.start(event, { inputs, env })).done;
  expect(step.outputs['state']).toBe('SUCCEEDED');
  const urls = readFileSync(list, 'utf8').trim().split('\n');
  return urls.filter((url) => url.startsWith('file:')).map((url) => basename(url));
}

const push: Event = {
  eventName: 'push',
  payload: { ref: 'refs/heads/main', after: 'd'.repeat(40), repository, sender: alice },
};

describe('nothing is loaded before it is needed', () => {
  it('without config no YAML', async () => {
    const files = await loadedBy(push, { prompt: 'Do it.', 'github-token': '' });
    expect(files).toContain('vendor-zod.js');
    expect(files).not.toContain('vendor-yaml.js');
  });

  it('no Markdown parser for a plain command, YAML for a configuration', async () => {
    const files = await loadedBy(commentEvent('/agent fix it'), {
      config: 'harness: {type: demo}',
    });
    expect(files).toContain('vendor-yaml.js');
    expect(files).not.toContain('vendor-markdown.js');
  });
});
