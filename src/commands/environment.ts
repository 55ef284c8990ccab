import { environmentId } from '../contract/primitives.ts';
import type { Repository } from '../github/read/event.ts';

/** What any service says of an environment that matters here. */
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
 * The one environment that lists this repository; undefined when none or several do
 * (run-lifecycle.md, "Where a run works").
 */
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

export function isEnvironmentId(value: string): boolean {
  return environmentId.safeParse(value).success;
}

/** An environment by the id or the name a person wrote. */
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
