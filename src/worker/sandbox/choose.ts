import { directSandbox } from './direct.ts';
import { hasTool } from './tools.ts';
import type { Sandbox } from './sandbox.ts';

/** The strongest isolation that this machine really has, found by trying. */
export async function chooseSandbox(): Promise<Sandbox> {
  return directSandbox({ prlimit: await hasTool(['prlimit', '--core=0', '--', 'true']) });
}
