import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const SRC = resolve(import.meta.dirname, '../src');
const IMPORT =
  /^\s*(?:import|export)\s[^'"]*?from\s+['"]([^'"]+)['"]|^import\s+['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/gm;

/** Which rooms each room may import besides itself. The one place where this is written down. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  base: [],
  contract: ['base'],
  config: ['base', 'contract'],
  client: ['base', 'contract'],
  github: ['base', 'contract'],
  database: ['base'],
  action: ['base', 'contract', 'client', 'github'],
  app: ['base', 'contract', 'client', 'github', 'database'],
  worker: ['base', 'contract', 'config', 'client', 'github'],
  service: ['base', 'contract', 'config', 'database'],
  pages: ['base', 'contract'],
  demo: ['base', 'contract', 'client', 'github'],
  cli: [
    'base',
    'contract',
    'config',
    'client',
    'github',
    'database',
    'service',
    'worker',
    'app',
    'pages',
    'demo',
  ],
};

/** Where the process may be touched: environment, exit, signals. */
const PROCESS_RIM = /^(cli\/|action\/main\.ts$|action\/post\.ts$|app\/main\.ts$|worker\/main\.ts$)/;
const PROCESS_USE = /\bprocess\.(env|exit)\b|\bprocess\.(on|once)\(\s*['"]SIG/;

const files = globSync('**/*.ts', { cwd: SRC }).map((name) => ({
  name,
  text: readFileSync(resolve(SRC, name), 'utf8'),
}));

function importsOf(file: { name: string; text: string }): string[] {
  return [...file.text.matchAll(IMPORT)]
    .map((match) => match[1] ?? match[2] ?? match[3] ?? '')
    .filter((target) => target.startsWith('.') && target.endsWith('.ts'))
    .map((target) => relative(SRC, resolve(SRC, dirname(file.name), target)));
}

const roomOf = (path: string): string => path.split('/')[0] ?? '';

describe('the house', () => {
  it('has files in every room', () => {
    expect(files.length).toBeGreaterThan(20);
    expect(new Set(files.map((file) => roomOf(file.name)))).toEqual(
      new Set(Object.keys(MAY_IMPORT)),
    );
  });

  it('keeps its import rules', () => {
    const broken = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => {
          const [from, to] = [roomOf(file.name), roomOf(target)];
          return from !== to && !MAY_IMPORT[from]?.includes(to);
        })
        .map((target) => `${file.name} → ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it('has no barrel imports', () => {
    const barrels = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => /(^|\/)index\.ts$/.test(target))
        .map((target) => `${file.name} → ${target}`),
    );
    expect(barrels).toEqual([]);
  });

  it('touches the process only at its rim', () => {
    const inner = files.filter(
      (file) => !PROCESS_RIM.test(file.name) && PROCESS_USE.test(file.text),
    );
    expect(inner.map((file) => file.name)).toEqual([]);
  });
});
