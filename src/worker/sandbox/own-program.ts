import { fileURLToPath } from 'node:url';
import { programView } from './program-view.ts';
import type { View } from './confinement.ts';

/** A program of ours that runs inside a sandbox: how it is started and what has to be seen for it. */
export function ownProgram(name: 'bridge' | 'collect'): { command: string[]; view: View } {
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const file = fileURLToPath(new URL(`../inside/${name}.${ending}`, import.meta.url));
  const command = [process.execPath, file];
  return { command, view: programView(command, '') };
}
