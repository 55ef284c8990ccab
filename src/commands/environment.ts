import { errorMessage, RunlinkError } from '../base/error.ts';
import { environmentId } from '../contract/primitives.ts';
import { repositoryName, type Repository } from '../github/read/event.ts';
import type { Face } from './face.ts';

const LOOK_UP_WITHIN_MS = 20_000;

/** The fields of an environment that every service sends and that matter here. */
export interface EnvironmentRead {
  uid: string;
  config?:
    | {
        name?: string | null | undefined;
        github_repos?: { owner: string; repo: string }[] | null | undefined;
      }
    | null
    | undefined;
}

/**
 * Chooses the environment: the one with the given id or name, else the only one that lists the
 * repository (run-lifecycle.md, "Where a run works"). A failure to find the latter is never fatal;
 * an unknown name throws `unknown_environment`.
 */
export async function chooseEnvironment(
  face: Pick<Face, 'service' | 'event' | 'within' | 'warn'>,
  named: string | undefined,
): Promise<string | undefined> {
  const { service, event, within } = face;
  if (named !== undefined && environmentId.safeParse(named).success) return named;
  const list = async (): Promise<EnvironmentRead[]> =>
    (await service.environments.list({ sort_by: 'name' }, within(LOOK_UP_WITHIN_MS))).environments;
  if (named !== undefined) {
    const found = environmentNamed(await list(), named);
    if (found !== undefined) return found;
    throw new RunlinkError('unknown_environment', `There is no environment "${named}".`, {
      hint: `Name one that we may use here, or none for the one of ${repositoryName(event.repository)}.`,
    });
  }
  try {
    return environmentOf(await list(), event.repository);
  } catch (error) {
    face.warn('The environments could not be read', errorMessage(error));
    return undefined;
  }
}

/** The only environment that lists this repository; undefined if there is none or several. */
export function environmentOf(
  environments: readonly EnvironmentRead[],
  repository: Pick<Repository, 'owner' | 'name'>,
): string | undefined {
  const [only, ...more] = environments.filter((environment) =>
    environment.config?.github_repos?.some(
      (listed) =>
        listed.owner.toLowerCase() === repository.owner.toLowerCase() &&
        listed.repo.toLowerCase() === repository.name.toLowerCase(),
    ),
  );
  return more.length === 0 ? only?.uid : undefined;
}

/** Finds an environment by its id or name. */
export function environmentNamed(
  environments: readonly EnvironmentRead[],
  wanted: string,
): string | undefined {
  const byId = environments.find((environment) => environment.uid === wanted);
  const byName = environments.find(
    (environment) => environment.config?.name?.toLowerCase() === wanted.toLowerCase(),
  );
  return (byId ?? byName)?.uid;
}
