import { PUBLIC_API } from '../contract/github-origin.ts';
import { errorMessage } from '../base/error.ts';
import { repeat, type Repeated } from '../base/repeat.ts';
import { WAIT_MAX_SECONDS } from '../contract/endpoint.ts';
import {
  SKILL_FOLDERS,
  SKILL_TEXT_MAX,
  SKILLS_MAX,
  type SkillDiscovery,
} from '../contract/skill.ts';
import { credentialsFor } from './git/credentials.ts';
import { git } from './git/git.ts';
import { refreshMirror, startBranch } from './git/mirror.ts';
import { readRemote } from './git/remote.ts';
import { storable } from './log/bounded-text.ts';
import { createMasker } from './log/mask.ts';
import type { WorkerContext } from './run/run-context.ts';

const RETRY_MS = 5000;
/** How many directories are searched for a skill. */
const PLACES_MAX = 2 * SKILLS_MAX;

/** Reads skills from repositories for the service, which never fetches repositories itself. */
export function discoverSkills(worker: WorkerContext): Repeated {
  return repeat({
    step: async (stopping) => {
      const started = performance.now();
      const { discovery } = await worker.client.skills.claimDiscovery({
        waitSeconds: WAIT_MAX_SECONDS,
        retry: false,
        signal: stopping,
      });
      if (discovery) await discover(worker, discovery, stopping);
      // A service that does not hold requests is not asked again at once.
      return discovery !== null || performance.now() - started >= 1000;
    },
    everyMs: RETRY_MS,
    onError: (error) =>
      worker.log.debug({ err: errorMessage(error) }, 'no skill discovery could be claimed'),
  });
}

async function discover(
  worker: WorkerContext,
  discovery: SkillDiscovery,
  stop: AbortSignal,
): Promise<void> {
  const { discovery_id, token } = discovery;
  const masker = createMasker([
    worker.options.apiKey,
    discovery.git_token ?? worker.options.gitToken ?? '',
  ]);
  const report = await findSkills(worker, discovery, stop).then(
    (skills) => ({ token, skills }),
    (error: unknown) => ({
      token,
      skills: [],
      error: masker.mask(errorMessage(error)).slice(0, 4096),
    }),
  );
  await worker.client.skills.reportDiscovery(discovery_id, report, { signal: stop });
}

async function findSkills(
  worker: WorkerContext,
  discovery: SkillDiscovery,
  stop: AbortSignal,
): Promise<{ path: string; content: string }[]> {
  const remote = readRemote(discovery, worker.options.allowInsecureRemotes ?? false);
  const mirror = await refreshMirror(worker.mirrors, {
    remote,
    credentials: credentialsFor(discovery.clone_url, {
      token: discovery.git_token ?? worker.options.gitToken,
      apiUrl: discovery.git_api_url ?? PUBLIC_API,
    }),
    signal: stop,
    env: worker.proxyEnv,
    limitBytes: worker.limits.workspaceBytes,
  });
  const ref = startBranch(mirror, discovery.ref);
  return await readSkills(mirror.dir, `refs/heads/${ref}`);
}

/**
 * Reads every `<folder>/<name>/SKILL.md` in the usual folders. They come straight from git's
 * objects, so nothing is checked out, no link is followed, and the size of the repository does not
 * matter.
 */
export async function readSkills(
  gitDir: string,
  ref: string,
): Promise<{ path: string; content: string }[]> {
  const list = async (paths: string[]): Promise<string[]> =>
    (await git(['ls-tree', '-z', '--long', '--full-tree', ref, ...paths], { gitDir })).split('\0');
  const inside = await list(SKILL_FOLDERS.map((folder) => `${folder}/`));
  const places = inside.flatMap(
    (line) => /^040000 tree \S+ +-\t(.{1,255})$/s.exec(line)?.[1] ?? [],
  );
  if (places.length === 0) return [];
  const files = await list(places.slice(0, PLACES_MAX).map((place) => `${place}/SKILL.md`));
  const found = files.flatMap((line) => {
    const [, sha = '', size = '', path = ''] =
      /^100(?:644|755) blob ([0-9a-f]+) +(\d+)\t(.+)$/s.exec(line) ?? [];
    return path !== '' && Number(size) <= SKILL_TEXT_MAX ? [{ path, sha }] : [];
  });
  const skills: { path: string; content: string }[] = [];
  for (const { path, sha } of found.slice(0, SKILLS_MAX))
    skills.push({ path, content: storable(await git(['cat-file', 'blob', sha], { gitDir })) });
  return skills;
}
