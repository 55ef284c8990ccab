import type { OperatorEnvironment, OperatorModel, Scorer } from './operator-config.ts';
import { harnessNames, type HarnessProfile } from './harness.ts';

type Draft = {
  environments: OperatorEnvironment[];
  models: OperatorModel[];
  harnesses: Record<string, HarnessProfile>;
  default_harness?: string | undefined;
  scorers: Scorer[];
  allow_insecure_remotes: boolean;
};
type Fault = { path: (string | number)[]; message: string };

function repeated<T>(list: readonly T[], key: (item: T) => unknown, at: (index: number) => Fault) {
  const seen = new Set<unknown>();
  return list.flatMap((item, index) => {
    const value = key(item);
    const again = seen.has(value);
    seen.add(value);
    return again ? [at(index)] : [];
  });
}

const SECURE_REMOTE = /^(https:\/\/|ssh:\/\/|[\w.-]+@[\w.-]+:)/;

function remoteFaults(config: Draft): Fault[] {
  if (config.allow_insecure_remotes) return [];
  return config.environments.flatMap((item, index) =>
    item.repositories.flatMap((repo, at) =>
      repo.clone_url === undefined || SECURE_REMOTE.test(repo.clone_url)
        ? []
        : [
            {
              path: ['environments', index, 'repositories', at, 'clone_url'],
              message: 'must be https or ssh, unless allow_insecure_remotes is true',
            },
          ],
    ),
  );
}

function harnessFaults(config: Draft): Fault[] {
  const names = harnessNames(config);
  const unknown = (path: Fault['path'], name: string | undefined): Fault[] =>
    name === undefined || names.includes(name)
      ? []
      : [{ path, message: `is not a known harness; use one of ${names.join(', ')}` }];
  return [
    ...unknown(['default_harness'], config.default_harness),
    ...config.scorers.flatMap((item, index) =>
      unknown(['scorers', index, 'harness'], item.harness),
    ),
    ...Object.entries(config.harnesses).flatMap(([name, profile]) =>
      (profile.agent === 'exec' || profile.agent === 'acp') && profile.command === undefined
        ? [
            {
              path: ['harnesses', name],
              message: `needs a command, because its agent is ${profile.agent}`,
            },
          ]
        : [],
    ),
  ];
}

/** Faults that only show when several settings are read together, each at the setting to change. */
export function configFaults(config: Draft): Fault[] {
  return [
    ...repeated(
      config.environments,
      (item) => item.id,
      (index) => ({
        path: ['environments', index, 'id'],
        message: 'is used by another environment',
      }),
    ),
    ...repeated(
      config.models,
      (item) => item.id,
      (index) => ({
        path: ['models', index, 'id'],
        message: 'is used by another model',
      }),
    ),
    ...repeated(
      config.scorers,
      (item) => item.id,
      (index) => ({
        path: ['scorers', index, 'id'],
        message: 'is used by another scorer',
      }),
    ),
    ...config.models
      .map((item, index) => ({ item, index }))
      .filter(({ item }) => item.default)
      .flatMap(({ item, index }, position) => {
        const path = ['models', index, 'default'];
        if (position > 0) return [{ path, message: 'is already true for another model' }];
        return item.disabled ? [{ path, message: 'a disabled model cannot be the default' }] : [];
      }),
    ...remoteFaults(config),
    ...harnessFaults(config),
  ];
}
