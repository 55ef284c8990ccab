import type { Hono } from 'hono';
import type { StandInApi, ApiContext, ApiEnv } from './api-context.ts';
import { GITHUB_CHECK_TEXT_MAX, invalid, bodyFields, errorAnswer } from './api-context.ts';
import { read } from './context.ts';
import { isFields, asText } from './corrections.ts';
import { senderOf } from './refs.ts';

const ACTION_LIMITS = { label: 20, description: 40, identifier: 20 } as const;
const ACTIONS_MAX = 3;

/** Check runs: only Apps write them, within GitHub's limits, and their buttons can be pressed. */
export function checkRoutes(app: Hono<ApiEnv>, api: StandInApi): void {
  const checks = '/repos/:owner/:repo/check-runs';
  app.post(checks, (c) => writeCheck(api, c));
  app.patch(`${checks}/:id`, (c) => writeCheck(api, c));
  // Not a route of GitHub, where people press the button on the page.
  app.post(`${checks}/:id/buttons/:identifier`, (c) => pressButton(api, c));
}

function faultOfActions(actions: unknown): string | undefined {
  if (actions === undefined) return undefined;
  if (!Array.isArray(actions)) return 'actions must be a list';
  if (actions.length > ACTIONS_MAX) return `only ${ACTIONS_MAX} actions are allowed`;
  for (const action of actions.filter(isFields)) {
    for (const [field, most] of Object.entries(ACTION_LIMITS)) {
      const value = action[field];
      if (typeof value !== 'string' || value.length > most)
        return `${field} must be text of at most ${most} characters`;
    }
  }
  return undefined;
}

function faultOfOutput(output: unknown): string | undefined {
  if (!isFields(output)) return undefined;
  const long = ['summary', 'text'].find(
    (field) => asText(output[field]).length > GITHUB_CHECK_TEXT_MAX,
  );
  return long && `Only ${GITHUB_CHECK_TEXT_MAX} characters are allowed; ${long} is longer`;
}

async function writeCheck(api: StandInApi, c: ApiContext): Promise<Response> {
  if (c.env.actor.kind !== 'installation')
    return errorAnswer(403, 'You must authenticate via a GitHub App.');
  const body = await bodyFields(c);
  const message = faultOfActions(body['actions']) ?? faultOfOutput(body['output']);
  if (message) return invalid({ resource: 'CheckRun', code: 'custom', message });
  return api.forward(c);
}

/** A person presses one of a check run's buttons. */
async function pressButton(api: StandInApi, c: ApiContext): Promise<Response> {
  const { context } = api;
  if (c.env.actor.kind !== 'user') return errorAnswer(403, 'Only people press buttons.');
  const { owner, repo, id, identifier } = c.req.param() as Record<string, string>;
  const check = await read(context, `/repos/${owner}/${repo}/check-runs/${id}`);
  if (!check) return errorAnswer(404, 'Not Found');
  if (c.env.replay) return new Response(null, { status: 201 });
  await context.deliveries.emit('check_run', {
    action: 'requested_action',
    requested_action: { identifier },
    check_run: check,
    repository: await read(context, `/repos/${owner}/${repo}`),
    sender: await senderOf(context, c.env.actor),
  });
  return new Response(null, { status: 201 });
}
