import { z } from 'zod';
import type { RequestUsage } from '../../contract/run.ts';

const count = z.int().min(0).nullish().catch(undefined);

/**
 * The token counts that the five agents report at the end of a turn (agents.md, "How a turn ends").
 */
const shape = z.looseObject({
  usage: z.looseObject({ totalTokens: count }).nullish().catch(undefined),
  _meta: z
    .looseObject({
      quota: z
        .looseObject({
          token_count: tokenCount().nullish().catch(undefined),
          model_usage: z
            .array(z.looseObject({ model: z.string(), token_count: tokenCount() }))
            .nullish()
            .catch(undefined),
        })
        .nullish()
        .catch(undefined),
    })
    .nullish()
    .catch(undefined),
});

/**
 * What the turn used according to the agent; undefined if it does not say. `costUsd` is the agent's
 * own figure, too.
 */
export function turnUsage(result: unknown, costUsd: number | undefined): RequestUsage | undefined {
  const data = shape.safeParse(result).data;
  const quota = data?.['_meta']?.quota;
  const tokens = data?.usage?.totalTokens ?? total(quota?.token_count);
  if (tokens === 0 && costUsd === undefined) return undefined;
  return {
    total_tokens: tokens,
    ...perModel(quota?.model_usage ?? []),
    ...(costUsd === undefined ? {} : { inference_cost_usd: costUsd }),
  };
}

type ModelUsage = { model: string; token_count: z.infer<ReturnType<typeof tokenCount>> };

function perModel(models: readonly ModelUsage[]): Pick<RequestUsage, 'model_token_usage'> {
  if (models.length === 0) return {};
  return {
    model_token_usage: models.map((each) => ({
      model_id: each.model,
      total_tokens: total(each.token_count),
    })),
  };
}

function tokenCount() {
  return z.looseObject({ totalTokens: count, input_tokens: count, output_tokens: count });
}

function total(tokens: z.infer<ReturnType<typeof tokenCount>> | null | undefined): number {
  return tokens?.totalTokens ?? (tokens?.input_tokens ?? 0) + (tokens?.output_tokens ?? 0);
}
