import { endpoints } from '../../contract/endpoints.ts';
import type { Environment } from '../../contract/environment.ts';
import type { Identity } from '../../contract/identity.ts';
import type { Model } from '../../contract/model.ts';
import { identityOf, ownMode } from '../../contract/repeat-run.ts';
import type { RunItem } from '../../contract/run.ts';
import type { Api } from '../api.ts';
import type { Session } from '../backend.ts';
import { byName, inOrder } from '../lists/in-order.ts';

export const NO_TASK = { prompt: '', environment: '', agent: '', model: '', mode: '' };

/** The fields of the composer. */
export type Draft = typeof NO_TASK & {
  /** `yes` for a run that only its creator can see. */
  personal?: string;
  /** Id of a run; this run works on the same pull request. */
  on?: string;
  /** Id of the run that is done again. */
  from?: string;
};

/** What a run can be started with. */
export interface Choices {
  environments: Environment[];
  agents: Identity[];
  models: Model[];
  defaultModel: string;
}

export const environmentName = ({ uid, config }: Environment): string => config.name ?? uid;

export async function loadChoices(api: Api): Promise<Choices> {
  const [{ environments }, { agents }, { models, default_model_id }] = await Promise.all([
    api.json(endpoints.environments.list, { query: { sort_by: 'name' } }),
    api.json(endpoints.identities.list),
    api.json(endpoints.models.list),
  ]);
  return {
    environments: inOrder(environments, environmentName),
    agents: byName(agents.filter((agent) => agent.available)),
    models: models.filter((model) => !model.disabled),
    defaultModel: default_model_id,
  };
}

/** An empty composer with the environment that this person used last, or with the only one. */
export async function newDraft(
  api: Api,
  session: Session,
  { environments }: Choices,
): Promise<Draft> {
  const { runs } = await api.json(endpoints.runs.list, {
    query: { creator: session.userUid, sort_by: 'created_at', limit: 1 },
  });
  const last = runs[0]?.agent_config?.environment_id;
  const only = environments.length === 1 ? environments[0]?.uid : undefined;
  return { ...NO_TASK, environment: last ?? only ?? '' };
}

/** The fields of an existing run, to edit and start again. */
export function draftOf(run: RunItem): Draft {
  const { prompt, agent_config: config, scope, run_id: on } = run;
  return {
    prompt,
    environment: config?.environment_id ?? '',
    agent: identityOf(run) ?? '',
    model: config?.model_id ?? '',
    mode: ownMode(run) ?? '',
    personal: scope?.type === 'User' ? 'yes' : '',
    on,
    from: on,
  };
}
