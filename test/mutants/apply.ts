import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mutant } from './mutant.ts';

/** The file's text with the lock taken out. Throws where the change does not fit exactly once. */
export function changed(text: string, mutant: Mutant): string {
  const count = text.split(mutant.find).length - 1;
  if (count !== 1) throw new Error(`its place is found ${count} times in ${mutant.file}, not once`);
  if (mutant.find === mutant.replace) throw new Error('it changes nothing');
  return text.replace(mutant.find, () => mutant.replace);
}

/** Takes the lock out of the tree below `root`; answers how to put it back. */
export async function apply(root: string, mutant: Mutant): Promise<() => Promise<void>> {
  const path = join(root, mutant.file);
  const text = await readFile(path, 'utf8');
  await writeFile(path, changed(text, mutant));
  return () => writeFile(path, text);
}
