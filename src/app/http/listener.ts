import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { App } from '../create-app.ts';
import { answerJson, answerReason } from './answer.ts';

/** The App as a server of its own: its paths, and its health and readiness. */
export function createAppListener(app: Pick<App, 'handle' | 'readiness'>): RequestListener {
  return (request, response) => {
    answer(app, request, response).catch(() => {
      if (response.headersSent) response.destroy();
      else answerReason(response, 500, 'internal_error');
    });
  };
}

async function answer(
  app: Pick<App, 'handle' | 'readiness'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path] = (request.url ?? '').split('?', 1);
  if (path === '/health') return answerJson(response, 200, { status: 'live' });
  if (path === '/ready') {
    const readiness = await app.readiness();
    return answerJson(response, readiness.ready ? 200 : 503, readiness);
  }
  if (!(await app.handle(request, response))) answerReason(response, 404, 'not_found');
}
