import { globSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = resolve(import.meta.dirname, '../src');
const IMPORT =
  /^\s*(?:import|export)\s[^'"]*?from\s+['"]([^'"]+)['"]|^import\s+['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/gm;

/** Which rooms each room may import besides itself. The one place where this is written down. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  base: [],
  contract: ['base'],
  config: ['contract'],
  client: ['base', 'contract'],
  github: ['base', 'contract'],
  commands: ['base', 'contract', 'client', 'github'],
  database: ['base'],
  action: ['base', 'contract', 'client', 'github', 'commands'],
  app: ['base', 'contract', 'client', 'github', 'commands', 'database'],
  worker: ['base', 'contract', 'config', 'client', 'github'],
  service: ['base', 'contract', 'config', 'database'],
  pages: ['base', 'contract'],
  demo: ['base'],
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

/**
 * The steps of `github/`, in the order in which data passes them: each may import those before it.
 */
const GITHUB_STEPS = ['read', 'decide', 'render', 'write'];
/** The two ends of the thread on which each step has Markdown parsed. */
const GITHUB_THREAD = ['github/markdown-jobs.ts', 'github/markdown-thread.ts'];

const EXPORTED = /^export (?:async )?(?:function|const|class|interface|type) (\w+)/gm;
/** What is exported twice and means the same: on both sides of the wire, or of a port. */
const SAME_THING = ['cancelRun', 'followUp', 'messages', 'OwnTeam'];

/** Where the process may be touched: environment, exit, signals. */
const PROCESS_RIM = /^(cli\/|worker\/inside\/|action\/main\.ts$|app\/main\.ts$|worker\/main\.ts$)/;
const PROCESS_USE = /\bprocess\.(env|exit)\b|\bprocess\.(on|once)\(\s*['"]SIG/;

const files = globSync('**/*.ts', { cwd: SRC }).map((name) => {
  const text = readFileSync(resolve(SRC, name), 'utf8');
  return { name, text, imports: importsOf(name, text) };
});
const arrows = files.flatMap(({ name: from, imports }) => imports.map((to) => ({ from, to })));

/** What a file imports of our own, types included. */
function importsOf(name: string, text: string): string[] {
  return [...text.matchAll(IMPORT)]
    .map((match) => match[1] ?? match[2] ?? match[3] ?? '')
    .filter((target) => target.startsWith('.') && target.endsWith('.ts'))
    .map((target) => relative(SRC, resolve(SRC, dirname(name), target)));
}

const roomOf = (path: string): string => path.split('/')[0] ?? '';
const show = ({ from, to }: { from: string; to: string }): string => `${from} → ${to}`;

/** Groups of files each of which reaches every other of its group (Tarjan's algorithm). */
function cycles(): string[] {
  const importsBy = new Map(files.map(({ name, imports }) => [name, imports]));
  const found: string[] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const visit = (file: string): void => {
    const own = order.size;
    order.set(file, own);
    lowest.set(file, own);
    stack.push(file);
    for (const next of importsBy.get(file) ?? []) {
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) {
        lowest.set(file, Math.min(lowest.get(file) ?? own, lowest.get(next) ?? own));
      }
    }
    if (lowest.get(file) !== own) return;
    const group = stack.splice(stack.indexOf(file));
    if (group.length > 1) found.push(group.toSorted().join(' '));
  };
  for (const { name } of files) if (!order.has(name)) visit(name);
  return found;
}

describe('the house', () => {
  it('has files in every room, and its imports are seen', () => {
    expect(files.length).toBeGreaterThan(500);
    expect(arrows.length).toBeGreaterThan(2000);
    expect(new Set(files.map((file) => roomOf(file.name)))).toEqual(
      new Set(Object.keys(MAY_IMPORT)),
    );
  });

  it('keeps its import rules', () => {
    const broken = arrows.filter(({ from, to }) => {
      const [room, other] = [roomOf(from), roomOf(to)];
      return room !== other && !MAY_IMPORT[room]?.includes(other);
    });
    expect(broken.map(show)).toEqual([]);
    const used = new Set(arrows.map(({ from, to }) => `${roomOf(from)} → ${roomOf(to)}`));
    const allowed = Object.entries(MAY_IMPORT).flatMap(([room, others]) =>
      others.map((other) => `${room} → ${other}`),
    );
    expect(allowed.filter((arrow) => !used.has(arrow))).toEqual([]);
  });

  it('gives a name to one thing only', () => {
    const places = new Map<string, Set<string>>();
    for (const { name, text } of files) {
      for (const [, exported = ''] of text.matchAll(EXPORTED)) {
        places.set(exported, (places.get(exported) ?? new Set()).add(name));
      }
    }
    const doubled = [...places].filter(
      ([name, { size }]) => size > 1 && !SAME_THING.includes(name),
    );
    expect(doubled.map(([name, where]) => `${name}: ${[...where].join(', ')}`)).toEqual([]);
  });

  it('goes one way through github: read, decide, render, write', () => {
    const stepOf = (path: string): number => GITHUB_STEPS.indexOf(path.split('/')[1] ?? '');
    const inside = files.filter(
      ({ name }) => roomOf(name) === 'github' && !GITHUB_THREAD.includes(name),
    );
    expect(inside.length).toBeGreaterThan(25);
    expect(inside.filter(({ name }) => stepOf(name) === -1)).toEqual([]);
    const back = arrows.filter(
      ({ from, to }) =>
        !GITHUB_THREAD.includes(from) &&
        roomOf(from) === 'github' &&
        roomOf(to) === 'github' &&
        stepOf(from) < stepOf(to),
    );
    expect(back.map(show)).toEqual([]);
  });

  it('has no import cycles, type-only ones included', () => {
    expect(cycles()).toEqual([]);
  });

  it('hides what is private by #, not by a word', () => {
    const worded = files.filter(({ text }) => /^ +(?:private|protected) /m.test(text));
    expect(worded.map(({ name }) => name)).toEqual([]);
  });

  it('has no barrel imports', () => {
    expect(arrows.filter(({ to }) => /(^|\/)index\.ts$/.test(to)).map(show)).toEqual([]);
  });

  it('adds to a run’s log where run-lifecycle.md, "The log", says', () => {
    const adding = files.filter((file) => /insert(?: into |Into\(')run_events/.test(file.text));
    expect(adding.map((file) => file.name).toSorted()).toEqual([
      'service/leases/hold-runs.ts',
      'service/leases/write-words.ts',
      'service/runs/log/append.ts',
    ]);
  });

  it('touches the process only at its rim', () => {
    const inner = files.filter(
      (file) => !PROCESS_RIM.test(file.name) && PROCESS_USE.test(file.text),
    );
    expect(inner.map((file) => file.name)).toEqual([]);
  });
});
