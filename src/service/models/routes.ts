import type { ServiceContext } from '../context.ts';
import type { ResourceHandlers } from '../http/call.ts';
import { listModels } from './models.ts';

export function createModelHandlers({ config }: ServiceContext): ResourceHandlers<'models'> {
  return { list: async () => listModels(config) };
}
