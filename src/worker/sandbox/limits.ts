import type { Cgroups } from './cgroup.ts';
import type { Limits } from './confinement.ts';

/**
 * The part of the limits that every process carries itself. Memory is not among them: a bound on
 * address space kills JavaScript engines that use little of what they map
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

/** What nobody bounds on this machine. */
export function limitGaps(program: string | undefined, groups: Cgroups | undefined): string[] {
  const missing = (['memory', 'pids', 'cpu'] as const).filter((name) => !groups?.controls(name));
  return [
    ...(program === undefined ? ['no limit on file sizes (no prlimit)'] : []),
    ...(missing.length > 0 ? [`no limit on ${missing.join(', ')} (no cgroup of our own)`] : []),
  ];
}
