import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createProgram } from '../../src/cli/program.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(resolve(ROOT, path), 'utf8');

interface ComposeService {
  command?: string[];
  environment?: Record<string, string>;
  image?: string;
}
const compose: { services: Record<string, ComposeService> } = parse(read('deploy/compose.yaml'), {
  merge: true,
});
const dockerfile = read('deploy/Dockerfile').split('\n');

/** The options a command of ours has, as `--name`. */
function optionsOf(name: string | undefined): string[] {
  const command = createProgram().commands.find((one) => one.name() === name);
  return command?.options.map((option) => option.long ?? '') ?? [];
}

describe('the image', () => {
  it('copies only files that exist and are let into its context', () => {
    const sources = dockerfile
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from'))
      .flatMap((line) => line.split(/\s+/).slice(1, -1));
    const allowed = read('.dockerignore')
      .split('\n')
      .map((line) => line.replace(/^!/, ''));
    expect(sources.length).toBeGreaterThan(5);
    expect(sources.filter((source) => !existsSync(resolve(ROOT, source)))).toEqual([]);
    expect(sources.filter((source) => !allowed.includes(source))).toEqual([]);
  });

  it('runs as an ordinary user, on the Node the project is pinned to', () => {
    expect(dockerfile).toContain('USER node');
    const { devDependencies } = JSON.parse(read('package.json')) as {
      devDependencies: Record<string, string>;
    };
    const bases = dockerfile.filter((line) => line.startsWith('FROM '));
    expect(bases).toHaveLength(2);
    expect(bases.every((line) => line.includes(`node:${devDependencies['node']}-`))).toBe(true);
  });
});

describe('the compose file', () => {
  it.each(['service', 'app'])('starts %s with options that the command has', (name) => {
    const [command, ...words] = compose.services[name]?.command ?? [];
    const options = words.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0]);
    expect(options.length).toBeGreaterThan(2);
    expect(optionsOf(command)).toEqual(expect.arrayContaining(options));
  });

  it('gives the App what it needs, and holds no secret itself', () => {
    const { environment = {} } = compose.services['app'] ?? {};
    expect(Object.keys(environment)).toEqual(
      expect.arrayContaining(['APP_ID', 'PRIVATE_KEY', 'WEBHOOK_SECRET', 'RUNLINK_API_KEY']),
    );
    const values = Object.values(compose.services).flatMap((one) =>
      Object.entries(one.environment ?? {}),
    );
    const secrets = values.filter(([key]) => /KEY|SECRET|PASSWORD|DATABASE_URL/.test(key));
    expect(secrets.filter(([, value]) => !value.includes('${'))).toEqual([]);
  });
});
