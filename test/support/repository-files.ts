import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

export interface RepositoryFile {
  /** From the root of the repository. */
  name: string;
  text: string;
}

/** The files that match, in the order of their names; what is installed or built is left out. */
export function readFiles(patterns: readonly string[]): RepositoryFile[] {
  return globSync([...patterns], { cwd: ROOT, exclude: ['**/node_modules/**', 'build/**'] })
    .toSorted()
    .map((name) => ({ name, text: readFileSync(resolve(ROOT, name), 'utf8') }));
}
