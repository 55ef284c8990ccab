import { fileURLToPath } from 'node:url';
import type { PlacedProgram } from './program-view.ts';
import type { Sandbox } from './sandbox.ts';

/** One of our own programs that run inside a sandbox. */
export function ownProgram(
  { tool }: Pick<Sandbox, 'tool'>,
  name: 'enter' | 'collect',
): PlacedProgram {
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const file = fileURLToPath(new URL(`../inside/${name}.${ending}`, import.meta.url));
  return tool([process.execPath, file], '');
}
