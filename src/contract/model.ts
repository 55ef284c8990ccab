import { z } from 'zod';

/** interface.md 2.8. */
export const modelProvider = z.enum(['OPENAI', 'ANTHROPIC', 'GOOGLE', 'UNKNOWN']);
/** Why a model may not be used (interface.md 2.8). */
export const disableReason = z.enum([
  'PROVIDER_OUTAGE',
  'OUT_OF_REQUESTS',
  'ADMIN_DISABLED',
  'REQUIRES_UPGRADE',
]);
export const modelCost = z.strictObject({
  input_usd: z.number().min(0).meta({ description: 'US dollars per million input tokens.' }),
  output_usd: z.number().min(0).meta({ description: 'US dollars per million output tokens.' }),
});

/** A model that runs may name (interface.md 2.8); `cost` and `disabled` are ours. */
export const model = z.object({
  id: z.string(),
  display_name: z.string(),
  provider: modelProvider,
  vision_supported: z.boolean(),
  description: z.string().optional(),
  reasoning_level: z.string().optional(),
  disabled: z.boolean(),
  disable_reason: disableReason.optional(),
  /** US dollars per million tokens. */
  cost: z.object(modelCost.shape).optional(),
});
export type Model = z.infer<typeof model>;

export const listModelsResponse = z.object({
  default_model_id: z.string(),
  models: z.array(model),
});
export type ListModelsResponse = z.infer<typeof listModelsResponse>;
