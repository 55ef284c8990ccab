import { harnessNames, type HarnessProfile } from './harness.ts';

/** The settings that depend on each other. */
interface Draft {
  environments: readonly Identified<{
    repositories: readonly { clone_url?: string | undefined }[];
  }>[];
  models: readonly Identified<{ default: boolean; disabled?: string | undefined }>[];
  harnesses: Record<string, HarnessProfile>;
  default_harness?: string | undefined;
  scorers: readonly Identified<{ harness?: string | undefined }>[];
  allow_insecure_remotes: boolean;
}
type Identified<T> = T & { id: string | number };
type Fault = { path: (string | number)[]; message: string };

const SECURE_REMOTE = /^(https:\/\/|ssh:\/\/|[\w.-]+@[\w.-]+:)/;

/** Errors that show only when several settings are read together, each at the setting to change. */
export function configFaults(config: Draft): Fault[] {
  return [
    ...repeated(config.environments, 'environments', 'environment'),
    ...repeated(config.models, 'models', 'model'),
    ...repeated(config.scorers, 'scorers', 'scorer'),
    ...defaultFaults(config),
    ...(config.allow_insecure_remotes ? [] : remoteFaults(config)),
    ...harnessFaults(config),
  ];
}

function repeated(list: readonly Identified<object>[], name: string, one: string): Fault[] {
  const first = new Map(list.map(({ id }, index) => [id, index] as const).toReversed());
  return list.flatMap(({ id }, index) =>
    first.get(id) === index
      ? []
      : [{ path: [name, index, 'id'], message: `is used by another ${one}` }],
  );
}

function defaultFaults({ models }: Draft): Fault[] {
  const first = models.findIndex((model) => model.default);
  return models.flatMap((model, index) => {
    const path = ['models', index, 'default'];
    if (!model.default) return [];
    if (index > first) return [{ path, message: 'is already true for another model' }];
    return model.disabled ? [{ path, message: 'a disabled model cannot be the default' }] : [];
  });
}

function remoteFaults({ environments }: Draft): Fault[] {
  const message = 'must be https or ssh, unless allow_insecure_remotes is true';
  return environments.flatMap(({ repositories }, index) =>
    repositories.flatMap(({ clone_url: url }, at) =>
      url === undefined || SECURE_REMOTE.test(url)
        ? []
        : [{ path: ['environments', index, 'repositories', at, 'clone_url'], message }],
    ),
  );
}

function harnessFaults(config: Draft): Fault[] {
  const names = harnessNames(config);
  const unknown = (path: Fault['path'], name: string | undefined): Fault[] =>
    name === undefined || names.includes(name)
      ? []
      : [{ path, message: `is not a known harness; use one of ${names.join(', ')}` }];
  const without = Object.entries(config.harnesses).filter(
    ([, { agent, command }]) => ['exec', 'acp'].includes(agent) && command === undefined,
  );
  return [
    ...unknown(['default_harness'], config.default_harness),
    ...config.scorers.flatMap(({ harness }, at) => unknown(['scorers', at, 'harness'], harness)),
    ...without.map(([name, { agent }]) => ({
      path: ['harnesses', name],
      message: `needs a command, because its agent is ${agent}`,
    })),
  ];
}
