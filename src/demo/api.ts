import { Hono } from 'hono';
import {
  BODY_MAX,
  forwardToEmulator,
  invalid,
  bodyFields,
  type StandInApi,
  type ApiEnv,
} from './api-context.ts';
import type { StandInContext } from './context.ts';
import type { EventIntake } from './intake.ts';
import { appRoutes } from './routes-app.ts';
import { checkRoutes } from './routes-checks.ts';
import { gitRoutes } from './routes-git.ts';
import { issueRoutes } from './routes-issues.ts';
import { pullRoutes } from './routes-pulls.ts';
import { reviewRoutes } from './routes-reviews.ts';
import { transferRoutes } from './transfer.ts';

/** GitHub's REST API: the routes that emulate lacks or answers differently, then emulate itself. */
export function createApi(context: StandInContext, intake: EventIntake): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  const api: StandInApi = {
    context,
    intake,
    forward: (c, change = {}) => forwardToEmulator(context, c, change),
  };
  app.use(async (c, next) => {
    const body = c.req.method === 'GET' ? {} : await bodyFields(c);
    if (typeof body['body'] === 'string' && body['body'].length > BODY_MAX) {
      const message = `body is too long (maximum is ${BODY_MAX} characters)`;
      return invalid({ resource: 'IssueComment', code: 'custom', field: 'body', message });
    }
    return next();
  });
  transferRoutes(app, context);
  appRoutes(app, api);
  issueRoutes(app, api);
  pullRoutes(app, api);
  reviewRoutes(app, api);
  checkRoutes(app, api);
  gitRoutes(app, api);
  app.all('*', (c) => api.forward(c));
  return app;
}
