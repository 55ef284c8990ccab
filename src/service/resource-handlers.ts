import type { Handlers } from './http/call.ts';
import { createArtifactHandlers } from './artifacts/routes.ts';
import type { ServiceContext } from './context.ts';
import { createEnvironmentHandlers } from './environments/routes.ts';
import { createIdentityHandlers } from './identities/routes.ts';
import { createModelHandlers } from './models/routes.ts';
import { createSkillHandlers } from './skills/routes.ts';
import { createWorkerListHandlers } from './workers/routes.ts';

type ResourceName = Exclude<keyof Handlers, 'runs' | 'conversations' | 'harness' | 'worker'>;

/** The handlers of every resource but runs and their workers. */
export function createResourceHandlers(context: ServiceContext): Pick<Handlers, ResourceName> {
  return {
    artifacts: createArtifactHandlers(context),
    environments: createEnvironmentHandlers(context),
    identities: createIdentityHandlers(context),
    models: createModelHandlers(context),
    skills: createSkillHandlers(context),
    workers: createWorkerListHandlers(context),
  } as Pick<Handlers, ResourceName>;
}
