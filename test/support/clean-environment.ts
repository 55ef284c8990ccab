/**
 * What a process of ours needs of the environment whatever it is for: programs, a home, the run's
 * folder for temporary files, and compiled code, without which each start costs twice as much.
 */
export function cleanEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '', TMPDIR, NODE_COMPILE_CACHE } = process.env;
  const { CONTAINERS_CONF, CONTAINERS_STORAGE_CONF } = process.env;
  return {
    PATH,
    HOME,
    ...(TMPDIR && { TMPDIR }),
    ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
    ...(CONTAINERS_CONF && { CONTAINERS_CONF }),
    ...(CONTAINERS_STORAGE_CONF && { CONTAINERS_STORAGE_CONF }),
  };
}
