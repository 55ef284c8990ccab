import type { Cgroups } from './cgroup.ts';
import type { Limits } from './confinement.ts';

/**
 * The prlimit command for the limits that each process carries itself. Memory is not among them:
 * limiting the address space kills JavaScript engines, which map much more than they use
 * (agents.md, "Sandbox and limits").
 */
export function prlimit(program: string | undefined, limits: Limits): string[] {
  if (program === undefined) return [];
  const options = [
    '--core=0',
    ...(limits.fileBytes === undefined ? [] : [`--fsize=${limits.fileBytes}`]),
  ];
  return [program, ...options, '--'];
}

/** Names the limits that nothing enforces on this machine. */
export function limitGaps(program: string | undefined, groups: Cgroups | undefined): string[] {
  const missing = (['memory', 'pids', 'cpu'] as const).filter((name) => !groups?.controls(name));
  return [
    ...(program === undefined ? ['no limit on file sizes (no prlimit)'] : []),
    ...(missing.length > 0 ? [`no limit on ${missing.join(', ')} (no cgroup of our own)`] : []),
  ];
}
