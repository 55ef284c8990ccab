import type { RequestUsage } from '../../../contract/run.ts';

/**
 * Adds the usage of two turns. The agent's own cost is a running total already, so the later one
 * counts.
 */
export function addUsage(
  before: RequestUsage | undefined,
  turn: RequestUsage | undefined,
): RequestUsage | undefined {
  if (!before || !turn) return turn ?? before;
  const models = addModels(before.model_token_usage, turn.model_token_usage);
  return {
    ...before,
    ...turn,
    total_tokens: (before.total_tokens ?? 0) + (turn.total_tokens ?? 0),
    ...(models.length > 0 ? { model_token_usage: models } : {}),
  };
}

type Models = NonNullable<RequestUsage['model_token_usage']>;

function addModels(before: Models = [], turn: Models = []): Models {
  const tokens = new Map<string, number>();
  for (const { model_id, total_tokens } of [...before, ...turn])
    tokens.set(model_id, (tokens.get(model_id) ?? 0) + total_tokens);
  return [...tokens].map(([model_id, total_tokens]) => ({ model_id, total_tokens }));
}
