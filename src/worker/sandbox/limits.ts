import type { Cgroups } from './cgroup.ts';
import type { Limits } from './sandbox.ts';

/**
 * The part of the limits that every process carries itself. Memory is not among them: a bound on
 * address space kills JavaScript engines that use little of what they map
 * (agents.md, "Sandbox and limits").
 */
export function prlimit(limits: Limits): string[] {
  const options = [
    '--core=0',
    ...(limits.fileBytes === undefined ? [] : [`--fsize=${limits.fileBytes}`]),
  ];
  return ['prlimit', ...options, '--'];
}

/** What nobody bounds on this machine. */
export function limitGaps(groups: Cgroups | undefined): string[] {
  const missing = (['memory', 'pids', 'cpu'] as const).filter((name) => !groups?.controls(name));
  return missing.length === 0 ? [] : [`no limit on ${missing.join(', ')} (no cgroup of our own)`];
}
