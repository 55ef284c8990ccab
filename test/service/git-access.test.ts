import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { DEFAULT_OPERATOR_CONFIG } from '../../src/config/operator-config.ts';
import { silentLog } from '../../src/base/log.ts';
import { createGitAccess, type GitAccess } from '../../src/service/git/git-access.ts';
import { serveHttp, type Listening } from '../../src/service/http/serve-http.ts';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const REPOSITORIES = [
  { owner: 'acme', name: 'web' },
  { owner: 'acme', name: 'api' },
  { owner: 'other', name: 'lib' },
];
const TOKEN_PATH = '/app/installations/7/access_tokens';

interface Asked {
  path: string;
  authorization: string;
  body: unknown;
}

/** GitHub's few routes that the service asks, and what is wrong with them for now. */
let github: Listening;
let asked: Asked[] = [];
let wrong: Record<string, (() => Response | Promise<Response>)[]> = {};

const json = (body: unknown, status = 200): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });

const ROUTES: Record<string, () => Response> = {
  '/repos/acme/web/installation': () => json({ id: 7 }),
  [TOKEN_PATH]: () => json({ token: 'ghs_fresh', expires_at: '2099-01-01T00:00:00Z' }, 201),
  '/app': () => json({ slug: 'runlink' }),
  '/users/runlink%5Bbot%5D': () => json({ id: 41 }),
};

beforeAll(async () => {
  github = await serveHttp(
    async (request) => {
      const path = new URL(request.url).pathname;
      const text = await request.text();
      asked.push({
        path,
        authorization: request.headers.get('authorization') ?? '',
        body: text === '' ? undefined : JSON.parse(text),
      });
      const answer = wrong[path]?.shift() ?? ROUTES[path];
      return answer ? answer() : json({ message: 'Not Found' }, 404);
    },
    { host: '127.0.0.1', port: 0 },
  );
});
beforeEach(() => {
  asked = [];
  wrong = {};
});
afterAll(() => github.close(0));

/** The worker that came with the service, and any other. */
const BUILT_IN = { builtIn: true };
const OTHERS = { builtIn: false };

function access(variables: Record<string, string>): GitAccess {
  const config = { ...DEFAULT_OPERATOR_CONFIG.github, api_url: github.url };
  return createGitAccess(config, variables, silentLog);
}

const byApp = (): GitAccess => access({ APP_ID: '12', PRIVATE_KEY: pem.replaceAll('\n', '\\n') });
/** A GitHub that takes a request and never answers it. */
const never = (): Promise<Response> => new Promise(() => undefined);

describe('how a worker may push (run-lifecycle.md, "Where a run works")', () => {
  it('is a token of the App, for these repositories alone and no more than it needs', async () => {
    expect(await byApp().grant(REPOSITORIES, OTHERS)).toEqual({
      api_url: github.url,
      token: 'ghs_fresh',
      author: { name: 'runlink[bot]', email: '41+runlink[bot]@users.noreply.github.com' },
    });
    const minted = asked.find(({ path }) => path === TOKEN_PATH);
    expect(minted?.body).toEqual({
      repositories: ['web', 'api'],
      permissions: { contents: 'write', pull_requests: 'write' },
    });
    expect(minted?.authorization).toMatch(/^bearer ey/);
  });

  it('may change workflows where an installation grants it (peter-evans/create-pull-request#1713)', async () => {
    const granted = { id: 7, permissions: { contents: 'write', workflows: 'write' } };
    wrong['/repos/acme/web/installation'] = [() => json(granted)];
    await byApp().grant(REPOSITORIES, OTHERS);
    expect(asked.find(({ path }) => path === TOKEN_PATH)?.body).toMatchObject({
      permissions: { contents: 'write', pull_requests: 'write', workflows: 'write' },
    });
  });

  it('to read with, where that is all that is asked', async () => {
    await byApp().grant(REPOSITORIES, { builtIn: false, readsOnly: true });
    expect(asked.find(({ path }) => path === TOKEN_PATH)?.body).toMatchObject({
      permissions: { contents: 'read' },
    });
  });

  it('is minted anew each time, as such tokens live an hour; who the bot is, is asked once', async () => {
    const git = byApp();
    await git.grant(REPOSITORIES, OTHERS);
    await git.grant(REPOSITORIES, OTHERS);
    const count = (wanted: string) => asked.filter(({ path }) => path === wanted).length;
    expect([count(TOKEN_PATH), count('/app')]).toEqual([2, 1]);
  });

  it.each([
    ['fails', () => json({ message: 'Server Error' }, 502)],
    ['does not answer', never],
  ])('is asked for again when GitHub %s', async (_, failing) => {
    wrong[TOKEN_PATH] = [failing];
    expect(await byApp().grant(REPOSITORIES, OTHERS)).toMatchObject({ token: 'ghs_fresh' });
  });

  it('is nothing when GitHub stays away, without waiting for it', async () => {
    wrong['/repos/acme/web/installation'] = [never, never, never];
    const grant = await byApp().grant(REPOSITORIES, OTHERS);
    expect(grant.token).toBeUndefined();
  });

  it('is nothing at once where the App is not installed', async () => {
    const printed = vi.spyOn(console, 'error');
    const grant = await byApp().grant([{ owner: 'acme', name: 'elsewhere' }], OTHERS);
    expect(grant.token).toBeUndefined();
    expect(asked.filter(({ path }) => path.endsWith('/installation'))).toHaveLength(1);
    expect(printed).not.toHaveBeenCalled();
  });

  it('is the token all the same when GitHub does not say who the bot is', async () => {
    wrong['/app'] = [() => json({}, 500)];
    expect(await byApp().grant(REPOSITORIES, OTHERS)).toMatchObject({
      token: 'ghs_fresh',
      author: { name: 'runlink' },
    });
  });

  it('is the configured token without an App, for the built-in worker alone (threats.md S18)', async () => {
    const configured = access({ GITHUB_TOKEN: 'ghp_own' });
    expect((await configured.grant(REPOSITORIES, BUILT_IN)).token).toBe('ghp_own');
    expect(await configured.grant(REPOSITORIES, OTHERS)).not.toHaveProperty('token');
    expect(await access({}).grant(REPOSITORIES, BUILT_IN)).not.toHaveProperty('token');
    expect(asked).toEqual([]);
  });
});
