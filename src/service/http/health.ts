import type { Hono } from 'hono';
import { ProblemError } from '../../contract/problem.ts';
import type { ServiceContext } from '../context.ts';
import { jsonAnswer, problemAnswer } from './answer.ts';
import type { Env } from './mount.ts';

/** `/health`: the process runs. `/ready`: it can serve requests, which needs the database. */
export function mountHealth(app: Hono<Env>, { database, log }: ServiceContext): void {
  app.get('/health', () => jsonAnswer({ status: 'ok' }, 200));
  app.get('/ready', async (context) => {
    try {
      await database.ping();
      return jsonAnswer({ status: 'ready' }, 200);
    } catch (cause) {
      const away = new ProblemError('service_unavailable', {
        detail: 'The database cannot be reached.',
        retryAfterSeconds: 2,
        cause,
      });
      return problemAnswer(away, context.req.path, log);
    }
  });
}
