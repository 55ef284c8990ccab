import { z } from 'zod';
import { repositoryConfig } from './schema.ts';

/** The JSON Schema of `.github/runlink.yml` for editors, as published in docs/. */
export function repositoryConfigSchema(): Record<string, unknown> {
  return {
    title: 'Runlink: how the App behaves in this repository (.github/runlink.yml)',
    ...z.toJSONSchema(repositoryConfig, { io: 'input', target: 'draft-7' }),
  };
}
