import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFiles, ROOT } from '../support/repository-files.ts';
import { changed } from './apply.ts';
import { MUTANTS, WITHOUT_LOCK } from './locks.ts';
import { nameOf, testFiles } from './mutant.ts';

const read = (name: string): string => readFileSync(resolve(ROOT, name), 'utf8');

describe('the locks that can be taken out', () => {
  it('are many, each with a name of its own', () => {
    expect(MUTANTS.length).toBeGreaterThan(80);
    expect(new Set(MUTANTS.map(nameOf)).size).toBe(MUTANTS.length);
  });

  it('are where the list says, once', () => {
    const faults = MUTANTS.flatMap((mutant) => {
      try {
        changed(read(mutant.file), mutant);
        return [];
      } catch (error) {
        return [`${nameOf(mutant)}: ${error instanceof Error ? error.message : String(error)}`];
      }
    });
    expect(faults).toEqual([]);
  });

  it('have tests that are there', () => {
    const files = new Set(MUTANTS.flatMap(testFiles));
    expect([...files].filter((file) => !existsSync(resolve(ROOT, file)))).toEqual([]);
  });

  it('cover every threat, or it is said why not', () => {
    const [page] = readFiles(['docs/design/threats.md']);
    const rows = [...(page?.text ?? '').matchAll(/^\| ([GS]\d+) \|/gm)].map(([, row]) => row ?? '');
    const covered = new Set([...MUTANTS.map(({ row }) => row), ...Object.keys(WITHOUT_LOCK)]);
    expect(rows.filter((row) => !covered.has(row))).toEqual([]);
    expect([...covered].filter((row) => !rows.includes(row))).toEqual([]);
  });
});
