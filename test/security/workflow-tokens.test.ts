import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { operatorConfig } from '../../src/config/operator-config.ts';
import { formatYamlIssue, parseYaml } from '../../src/base/yaml.ts';
import { commentEvent } from '../support/action-world.ts';
import { startFakeGithub } from '../support/fake-github.ts';
import type { FakeGithub } from '../support/fake-github-shape.ts';
import { runStep } from '../support/run-dist.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { startTokenIssuer, type TokenIssuer } from '../support/token-issuer.ts';

let issuer: TokenIssuer;
let server: TokenIssuer;
let stranger: TokenIssuer;
let github: FakeGithub;
let service: TestService;

beforeAll(async () => {
  [issuer, server, stranger, github] = await Promise.all([
    startTokenIssuer(),
    startTokenIssuer({ path: '/_services/token' }),
    startTokenIssuer(),
    startFakeGithub(),
  ]);
  const trust = [
    { issuer: issuer.url, repository_id: 4242, workflow: '.github/workflows/agent.yml' },
    { issuer: issuer.url, repository_id: '77', ref: 'refs/heads/main', environment: 'prod' },
    { issuer: issuer.url, repository_id: 88, role: 'reader', events: ['pull_request_target'] },
    { issuer: server.url, repository_id: 4242, team: 'partners' },
  ];
  service = await startTestService({ config: { trust } });
});
afterAll(async () => {
  await Promise.all([service, issuer, server, stranger, github].map((each) => each.close()));
});
afterEach(() => void vi.useRealTimers());

interface Answer {
  status: number;
  api_key?: string;
  expires_at?: string;
  detail?: string;
}

async function exchange(token: string): Promise<Answer> {
  const answer = await service.request('POST', '/login/tokens', { body: { token } });
  return { status: answer.status, ...((await answer.json()) as object) };
}

type Options = Parameters<TokenIssuer['sign']>[1];
const signIn = async (
  options: Options = {},
  from = issuer,
  audience: string | string[] = service.url,
) => exchange(await from.sign(audience, options));

const as = async (key: string | undefined, method: string, path: string, body?: unknown) => {
  const answer = await service.request(method, path, { key: key ?? '', body });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};

describe('a workflow without a stored key (threats.md S21)', () => {
  it('gets one for a quarter of an hour, in its team, known by its repository', async () => {
    const made = await signIn();
    expect(made.status).toBe(201);
    const left = Date.parse(made.expires_at ?? '') - Date.now();
    expect(left).toBeGreaterThan(14 * 60_000);
    expect(left).toBeLessThan(16 * 60_000);
    const { body } = await as(made.api_key, 'GET', '/agent/whoami');
    const profile = { type: 'service_account', display_name: 'acme/widgets' };
    expect(body).toMatchObject({ kind: 'workflow', profile, team: { name: 'default' } });
    const run = await as(made.api_key, 'POST', '/agent/runs', { prompt: 'do it' });
    expect(run.status).toBe(200);
    const schedule = { name: 'n', cron_schedule: '0 0 * * *', prompt: 'p' };
    expect((await as(made.api_key, 'POST', '/agent/schedules', schedule)).status).toBe(403);
    expect((await as(made.api_key, 'POST', '/agent/keys', {})).status).toBe(403);
  });

  it('is the same asker after its repository was renamed, and another who took the name is nobody', async () => {
    const path = '.github/workflows/agent.yml@refs/heads/main';
    const renamed = { repository: 'acme/gadgets', workflow_ref: `acme/gadgets/${path}` };
    const [before, after] = [await signIn(), await signIn({ claims: renamed })];
    const whois = async ({ api_key }: Answer) =>
      (await as(api_key, 'GET', '/agent/whoami')).body['profile'] as Record<string, string>;
    expect((await whois(after))['display_name']).toBe('acme/gadgets');
    expect((await whois(after))['uid']).toBe((await whois(before))['uid']);
    const taker = await signIn({ claims: { repository_id: '4243' } });
    expect(taker.status).toBe(403);
    expect(taker.detail).toContain('repository acme/widgets (4243)');
  });

  it('a reader reads, and changes nothing', async () => {
    const of = { repository_id: '88', event_name: 'pull_request_target' };
    const { api_key } = await signIn({ claims: of });
    expect((await as(api_key, 'GET', '/agent/runs')).status).toBe(200);
    const refused = await as(api_key, 'POST', '/agent/runs', { prompt: 'do it' });
    expect(refused).toMatchObject({ status: 403, body: { error_code: 'not_authorized' } });
  });

  it.each(['repo:acme@1/widgets@4242:ref:refs/heads/main', 'whatever acme says'])(
    'is known by its ids, though its sub is %j (blog:2026-04-23-immutable-subject-claims)',
    async (sub) => {
      expect((await signIn({ claims: { sub } })).status).toBe(201);
    },
  );

  it('of an Enterprise Server signs in by its own issuer, in the team named for it', async () => {
    const { api_key } = await signIn({}, server);
    const { body } = await as(api_key, 'GET', '/agent/whoami');
    expect(body).toMatchObject({ team: { name: 'partners' } });
  });

  it('is let in where the clocks differ by some seconds', async () => {
    const now = Math.floor(Date.now() / 1000);
    expect((await signIn({ expiresAt: now - 10 })).status).toBe(201);
    expect((await signIn({ issuedAt: now + 10 })).status).toBe(201);
  });

  it('goes on when the issuer has new keys', async () => {
    await signIn();
    await issuer.rotate();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    expect((await signIn()).status).toBe(201);
  });
});

describe('a token is refused (threats.md S21)', () => {
  it('the second time, and of many at once all but one', async () => {
    const token = await issuer.sign(service.url);
    const all = await Promise.all(Array.from({ length: 6 }, () => exchange(token)));
    expect(all.filter(({ status }) => status === 201)).toHaveLength(1);
    const again = await exchange(token);
    expect(again).toMatchObject({ status: 401, detail: expect.stringContaining('used before') });
  });

  const now = (): number => Math.floor(Date.now() / 1000);
  it.each<[string, number, () => Promise<Answer>, string]>([
    [
      'for another audience',
      401,
      () => signIn({}, issuer, 'https://github.com/acme'),
      '--public-url',
    ],
    [
      'for several audiences, none of them this one',
      401,
      () => signIn({}, issuer, ['https://github.com/acme', `${service.url}.evil.example`]),
      '--public-url',
    ],
    [
      'that is not good yet',
      401,
      () => signIn({ issuedAt: now() + 3600, expiresAt: now() + 3900 }),
      '"nbf"',
    ],
    ['by a key that its issuer has not', 401, () => signIn({ kid: 'k' }), 'no applicable key'],
    [
      'with its audience in another claim',
      401,
      () => signIn({ claims: { azp: service.url } }, issuer, ''),
      '--public-url',
    ],
    ['that has expired', 401, () => signIn({ expiresAt: now() - 60 }), '"exp"'],
    [
      'that is old, however long it says to live',
      401,
      () => signIn({ issuedAt: now() - 3600, expiresAt: now() + 3600 }),
      'too far in the past',
    ],
    ['signed by somebody else', 401, () => signIn({ forged: true }), 'signature'],
    ['without an id', 401, () => signIn({ claims: { jti: undefined } }), '"jti"'],
    ['that is none', 401, () => exchange('rl_abc'), 'not a token'],
    [
      'of a pull request',
      403,
      () => signIn({ claims: { event_name: 'pull_request_target' } }),
      'event',
    ],
    ['of a review', 403, () => signIn({ claims: { event_name: 'pull_request_review' } }), 'event'],
    [
      'of another workflow',
      403,
      () =>
        signIn({
          claims: { workflow_ref: 'acme/widgets/.github/workflows/x.yml@refs/heads/main' },
        }),
      'x.yml',
    ],
    [
      'of no environment',
      403,
      () => signIn({ claims: { repository_id: '77' } }),
      'environment none',
    ],
    [
      'of another ref',
      403,
      () => signIn({ claims: { repository_id: '77', environment: 'prod', ref: 'refs/heads/x' } }),
      'refs/heads/x',
    ],
  ])('%s', async (_, status, attempt, words) => {
    expect(await attempt()).toMatchObject({ status, detail: expect.stringContaining(words) });
  });

  const unsigned = (header: object, payload: object): string =>
    [header, payload]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');

  it.each([
    ['none', ''],
    ['None', ''],
    ['HS256', 'c2lnbmF0dXJl'],
  ])('whose algorithm is %s', async (alg, signature) => {
    const payload = { ...issuer.claims, iss: issuer.url, aud: service.url, jti: alg };
    const token = `${unsigned({ alg, kid: 'k' }, { ...payload, iat: now(), exp: now() + 300 })}.${signature}`;
    expect((await exchange(token)).status).toBe(401);
  });

  it('of an issuer that is not listed, which is not even asked', async () => {
    const refused = await signIn({}, stranger);
    expect(refused).toMatchObject({ status: 403, detail: expect.stringContaining(stranger.url) });
    expect(stranger.seen).toEqual([]);
  });

  it('when its issuer names keys of another host, cannot be read, or answers without end', async () => {
    const [gone, leading, huge] = await Promise.all([
      startTokenIssuer(),
      startTokenIssuer({ keysAt: stranger.url }),
      startTokenIssuer({ padding: 2 * 1024 * 1024 }),
    ]);
    await gone.close();
    const trust = [gone, leading, huge].map(({ url }) => ({ issuer: url, repository_id: 4242 }));
    const { databaseUrl } = service;
    const other = await startTestService({ config: { trust }, databaseUrl });
    for (const from of [gone, leading, huge]) {
      const body = { token: await from.sign(other.url) };
      expect((await other.request('POST', '/login/tokens', { body })).status).toBe(503);
    }
    expect(stranger.seen).toEqual([]);
    await Promise.all([other.close(), leading.close(), huge.close()]);
  });
});

describe('an entry of trust that is broken (threats.md S21)', () => {
  it('stops the start, with its place and what was expected', () => {
    const result = parseYaml(
      `trust:
  - issuer: http://token.example
    repository_id: acme/web
  - repository_id: 1
    ref: main
    workflow: agent.yml
    role: owner
  - {issuer: "https://github.example/_services/token/", repository_id: 1}
  - team: web
  - web
  - {repository_id: 1, ref: refs/heads/*, workflow: .github/workflows/*.yml}
`,
      operatorConfig,
    );
    const faults = result.ok ? [] : result.issues.map((issue) => formatYamlIssue('f', issue));
    expect(faults).toEqual([
      'f:2:13: trust[0].issuer: must begin with https://',
      'f:3:20: trust[0].repository_id: must be the repository’s number',
      'f:5:10: trust[1].ref: must begin with refs/, such as refs/heads/main',
      'f:6:15: trust[1].workflow: must be .github/workflows/NAME.yml',
      'f:7:11: trust[1].role: Invalid option: expected one of "member"|"reader"',
      'f:8:14: trust[2].issuer: must not end with "/"',
      'f:9:5: trust[3].repository_id: must be the repository’s number',
      'f:10:5: trust[4]: Invalid input: expected object, received string',
      'f:11:29: trust[5].ref: must name one ref, without a pattern',
      'f:11:53: trust[5].workflow: must be .github/workflows/NAME.yml',
    ]);
  });
});

describe('the Action with id-token: write (threats.md S21)', () => {
  beforeAll(() => {
    github.people['alice'] = { permission: 'write', role_name: 'write' };
  });
  const step = (env: Record<string, string>) =>
    runStep({
      ...commentEvent('/agent do it'),
      inputs: { 'base-url': service.baseUrl, 'github-token': 'gh-token', wait: 'false' },
      env: {
        GITHUB_API_URL: github.url,
        GITHUB_SERVER_URL: github.url,
        GITHUB_REPOSITORY: 'acme/widgets',
        ...env,
      },
    });

  it('starts its run with no key set, and says neither token nor key', async () => {
    const { outputs, stdout, stderr, exitCode } = await step(issuer.environment);
    expect([stderr, exitCode]).toEqual(['', 0]);
    const { body } = await as(
      await service.personalKey(),
      'GET',
      `/agent/runs/${outputs['run-id']}`,
    );
    expect(body['creator']).toMatchObject({ display_name: 'acme/widgets' });
    expect(stdout.replaceAll(/^::add-mask::.*$/gm, '')).not.toMatch(/rl_|eyJ/);
  });

  it('fails with the claims that no entry fits', async () => {
    issuer.claims['repository_id'] = '999';
    const { stdout, exitCode } = await step(issuer.environment);
    issuer.claims['repository_id'] = '4242';
    expect(exitCode).toBe(1);
    expect(stdout).toContain('repository acme/widgets (999)');
  });
});
