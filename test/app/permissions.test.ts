import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { HANDLED } from '../../src/app/http/filter.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/**
 * Longest path first: what each part of GitHub's API needs (docs.github.com, permissions of GitHub
 * Apps).
 */
const NEEDED: readonly [path: RegExp, permission: string][] = [
  [/^\/app(\/|-manifests\/|$)/, 'none'],
  [/^\/users\//, 'none'],
  [/^\/graphql$/, 'pull_requests'],
  [/^\/orgs\/\{org\}\/teams\//, 'members'],
  [/^\/repos\/\{owner\}\/\{repo\}\/collaborators\//, 'metadata'],
  [/^\/repos\/\{owner\}\/\{repo\}\/contents\//, 'contents'],
  [/^\/repos\/\{owner\}\/\{repo\}\/branches\//, 'contents'],
  [/^\/repos\/\{owner\}\/\{repo\}\/compare\//, 'contents'],
  [/^\/repos\/\{owner\}\/\{repo\}\/actions\//, 'actions'],
  [/^\/repos\/\{owner\}\/\{repo\}\/check-runs/, 'checks'],
  [/^\/repos\/\{owner\}\/\{repo\}\/commits\/\{ref\}\/check-runs$/, 'checks'],
  [/^\/repos\/\{owner\}\/\{repo\}\/commits\/\{ref\}$/, 'contents'],
  [/^\/repos\/\{owner\}\/\{repo\}\/issues\//, 'issues'],
  [/^\/repos\/\{owner\}\/\{repo\}\/pulls/, 'pull_requests'],
  [/^\/repos\/\{owner\}\/\{repo\}\/installation$/, 'none'],
  [/^\/repos\/\{owner\}\/\{repo\}$/, 'metadata'],
];

const manifest: { default_events: string[]; default_permissions: Record<string, string> } = parse(
  readFileSync(resolve(ROOT, 'app.yml'), 'utf8'),
);

/** Every route that the App, what it shares with others, or the worker in its name may call. */
const routes = globSync('src/{app,commands,github,service,worker}/**/*.ts', { cwd: ROOT }).flatMap(
  (file) =>
    [
      ...readFileSync(resolve(ROOT, file), 'utf8').matchAll(
        /'(GET|POST|PUT|PATCH|DELETE) (\/(?:app|users|graphql|orgs|repos)[^']*)'/g,
      ),
    ].map(([, method = '', path = '']) => ({ file, method, path })),
);

function needOf(path: string): string | undefined {
  return NEEDED.find(([pattern]) => pattern.test(path))?.[1];
}

describe('the manifest', () => {
  it('grants what every call needs', () => {
    expect(routes.length).toBeGreaterThan(25);
    const missing = routes.filter(({ method, path }) => {
      const need = needOf(path);
      if (need === undefined) return true;
      if (need === 'none') return false;
      const granted = manifest.default_permissions[need];
      const isRead = method === 'GET' || path === '/graphql';
      return isRead ? granted === undefined : granted !== 'write';
    });
    expect(missing).toEqual([]);
  });

  it('grants nothing that no call needs', () => {
    const needed = new Set(routes.map(({ path }) => needOf(path)));
    const spare = Object.keys(manifest.default_permissions).filter((name) => !needed.has(name));
    expect(spare).toEqual([]);
  });

  it('grants write only where something is written, and to the worker that pushes', () => {
    const written = new Set(
      routes
        .filter(({ method, path }) => method !== 'GET' && path !== '/graphql')
        .map(({ path }) => needOf(path)),
    );
    const write = Object.entries(manifest.default_permissions)
      .filter(([, level]) => level === 'write')
      .map(([name]) => name);
    expect(new Set(write)).toEqual(
      new Set([...written, 'contents'].filter((name) => name !== 'none')),
    );
  });

  it('subscribes to exactly the events that are acted on', () => {
    expect(manifest.default_events.toSorted()).toEqual(Object.keys(HANDLED).toSorted());
  });
});
