import { openapiDocument } from '../contract/openapi.ts';
import { createArtifactHandlers } from './artifacts/routes.ts';
import type { ServiceContext } from './context.ts';
import { createEnvironmentHandlers } from './environments/routes.ts';
import type { Handlers } from './http/call.ts';
import { createIdentityHandlers } from './identities/routes.ts';
import { createAccessHandlers, createKeyHandlers } from './keys/routes.ts';
import { createModelHandlers } from './models/routes.ts';
import {
  createAuditHandlers,
  createMemberHandlers,
  createSignInHandlers,
} from './people/routes.ts';
import { createScheduleHandlers } from './schedules/routes.ts';
import { createScoreHandlers } from './scores/routes.ts';
import { createSkillHandlers } from './skills/routes.ts';
import { createStatisticsHandlers } from './statistics/routes.ts';
import { createWorkerListHandlers } from './workers/routes.ts';

type ResourceHandlers = Omit<
  Handlers,
  'runs' | 'messages' | 'conversations' | 'harness' | 'worker'
>;

/** The handlers of everything but runs and the worker protocol. */
export function createResourceHandlers(context: ServiceContext): ResourceHandlers {
  const openapi = openapiDocument();
  return {
    access: createAccessHandlers(context),
    keys: createKeyHandlers(context),
    artifacts: createArtifactHandlers(context),
    description: { openapi: async () => openapi },
    environments: createEnvironmentHandlers(context),
    identities: createIdentityHandlers(context),
    members: createMemberHandlers(context),
    signIns: createSignInHandlers(context),
    audit: createAuditHandlers(context),
    models: createModelHandlers(context),
    schedules: createScheduleHandlers(context),
    scores: createScoreHandlers(context),
    skills: createSkillHandlers(context),
    statistics: createStatisticsHandlers(context),
    workers: createWorkerListHandlers(context),
  };
}
