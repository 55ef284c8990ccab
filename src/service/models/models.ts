import type { ListModelsResponse, Model } from '../../contract/model.ts';
import type { OperatorConfig, OperatorModel } from '../../config/operator-config.ts';
import { ProblemError } from '../../contract/problem.ts';

export function listModels(config: OperatorConfig): ListModelsResponse {
  return {
    default_model_id: defaultModel(config)?.id ?? '',
    models: config.models.map(present),
  };
}

/**
 * Refuses a disabled model, with its reason, and one that is not on the operator's list. Without a
 * list any model id is passed to the harness.
 */
export function checkModel(
  config: OperatorConfig,
  modelId: string | undefined,
  field: string,
): void {
  if (modelId === undefined || config.models.length === 0) return;
  const model = config.models.find(({ id }) => id === modelId);
  if (model && !model.disabled) return;
  const detail = model
    ? `${field}: the model "${modelId}" is disabled (${model.disabled})`
    : `${field}: there is no model "${modelId}"`;
  throw new ProblemError('invalid_request', { field, detail });
}

/**
 * The model of a run that names neither model nor harness: the operator's default, unless the
 * default harness brings its own.
 */
export function defaultModelId(config: OperatorConfig): string | undefined {
  const profile = config.harnesses[config.default_harness ?? ''];
  return profile?.model_id ?? config.models.find((model) => model.default)?.id;
}

function present(model: OperatorModel): Model {
  return {
    id: model.id,
    display_name: model.display_name ?? model.id,
    provider: model.provider,
    vision_supported: model.vision,
    disabled: model.disabled !== undefined,
    ...(model.description === undefined ? {} : { description: model.description }),
    ...(model.reasoning_level === undefined ? {} : { reasoning_level: model.reasoning_level }),
    ...(model.disabled === undefined ? {} : { disable_reason: model.disabled }),
    ...(model.cost === undefined ? {} : { cost: model.cost }),
  };
}

/** The model marked as default, otherwise the first that is not disabled. */
function defaultModel({ models }: OperatorConfig): OperatorModel | undefined {
  return models.find((model) => model.default) ?? models.find((model) => !model.disabled);
}
