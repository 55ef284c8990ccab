import { describe, expect, it } from 'vitest';
import { createFakeBackend } from '../support/fake-pages-backend.ts';
import { createVisitor } from '../support/page-visitor.ts';

const AT = '2026-11-21T08:00:00.000Z';
const UUID = '11111111-1111-4111-8111-111111111111';
const agent = {
  uid: UUID,
  name: 'Night owl',
  available: false,
  created_at: AT,
  updated_at: AT,
  description: 'Works at night.',
  prompt: null,
  secrets: [],
  skills: [],
  memory: { auto_memory: { enabled: true }, attached_stores: [] },
  default_runner_uid: '',
  on_behalf_of_enabled: false,
};

/** What the service would answer, by path. */
const ANSWERS: Record<string, unknown> = {
  '/agent/schedules': {
    schedules: [
      {
        id: UUID,
        name: 'Nightly triage',
        cron_schedule: '0 3 * * *',
        enabled: true,
        prompt: 'Triage.',
        created_at: AT,
        updated_at: AT,
        history: { last_ran: null, next_run: '2030-01-01T03:00:00.000Z' },
        last_spawn_error: 'no such environment',
      },
    ],
  },
  '/agent/identities': { agents: [agent] },
  '/agent': {
    agents: [
      {
        name: 'release-notes',
        variants: [
          {
            id: 'octo/shop:.agents/skills/release-notes/SKILL.md',
            description: '',
            base_prompt: '',
            source: { owner: 'octo', name: 'shop', skill_path: 'SKILL.md' },
            environments: [],
            last_run_timestamp: null,
            error: 'front matter: name is missing',
          },
        ],
      },
    ],
  },
  '/agent/models': {
    default_model_id: 'large-1',
    models: [
      {
        id: 'large-1',
        display_name: 'Large One',
        provider: 'ANTHROPIC',
        vision_supported: true,
        disabled: false,
      },
      {
        id: 'old',
        display_name: 'Old One',
        provider: 'UNKNOWN',
        vision_supported: false,
        disabled: true,
        disable_reason: 'ADMIN_DISABLED',
      },
    ],
  },
  '/agent/environments': {
    environments: [
      {
        uid: 'e'.repeat(22),
        config: { name: 'shop', github_repos: [{ owner: 'octo', repo: 'shop' }] },
        last_updated: AT,
        setup_failed: true,
      },
    ],
  },
  '/agent/workers': {
    workers: [
      {
        worker_id: 'w-1',
        worker_host: 'build-7',
        harnesses: ['demo'],
        sandbox: 'bwrap',
        version: '0.1.0',
        working: 2,
        free: 1,
        runs: [{ run_id: 'r', title: 'Dig' }],
        connected_at: AT,
        last_seen_at: AT,
      },
    ],
  },
  [`/agent/artifacts/${UUID}`]: {
    artifact_type: 'PLAN',
    artifact_uid: UUID,
    created_at: AT,
    data: {
      document_uid: UUID,
      notebook_uid: 'n',
      content: '# Steps\n\n1. <script>alert(1)</script>',
      content_type: 'text/markdown',
      title: 'The plan',
    },
  },
  '/agent/artifacts/22222222-2222-4222-8222-222222222222': {
    artifact_type: 'FILE',
    artifact_uid: '22222222-2222-4222-8222-222222222222',
    created_at: AT,
    data: {
      download_url: 'http://127.0.0.1:8787/api/v1/blobs/x?signature=s',
      expires_at: AT,
      content_type: 'text/html',
      filename: 'report.html',
    },
  },
};

async function signedIn(answers: Record<string, unknown> = ANSWERS) {
  const backend = createFakeBackend();
  const run = backend.addRun({ title: 'The run' });
  const api = backend.api.bind(backend);
  backend.api = (request, session) => {
    const answer = answers[new URL(request.url).pathname.replace('/api/v1', '')];
    return answer === undefined ? api(request, session) : Promise.resolve(Response.json(answer));
  };
  const visitor = createVisitor(backend);
  await visitor.signIn();
  return { visitor, run };
}

describe('the lists', () => {
  it.each([
    [
      '/schedules',
      ['Nightly triage', 'At 03:00 (UTC)', 'Last start failed', 'never', `/schedules/${UUID}`],
    ],
    [
      '/agents',
      ['Night owl', 'Over limit', 'release-notes', 'Malformed', 'Large One', 'Default', 'Disabled'],
    ],
    [
      '/environments',
      ['shop', 'octo/shop', 'Set-up failed', 'build-7', '2 of 3', '1 run of other teams'],
    ],
  ])('at %s show what there is', async (path, texts) => {
    const { visitor } = await signedIn();
    const answer = await visitor.get(path);
    expect(answer.status).toBe(200);
    const page = await answer.text();
    for (const text of texts) expect(page).toContain(text);
  });

  it.each([
    ['/schedules', 'No schedules yet'],
    ['/agents', 'No agents yet'],
    ['/environments', 'No environments yet'],
  ])('at %s say what belongs there while they are empty', async (path, text) => {
    const empty = Object.fromEntries(
      Object.entries(ANSWERS).map(([name, answer]) => [
        name,
        Object.fromEntries(
          Object.entries(answer as object).map(([key, value]) => [
            key,
            Array.isArray(value) ? [] : value,
          ]),
        ),
      ]),
    );
    const { visitor } = await signedIn(empty);
    expect(await (await visitor.get(path)).text()).toContain(text);
  });
});

describe('artifacts', () => {
  it('show a plan as Markdown, made harmless', async () => {
    const { visitor, run } = await signedIn();
    const page = await (await visitor.get(`/runs/${run.run_id}/artifacts/${UUID}`)).text();
    expect(page).toContain('The plan');
    expect(page).toContain('<h1>Steps</h1>');
    expect(page).toContain('&lt;script&gt;');
    expect(page).toContain(`href="/runs/${run.run_id}/artifacts"`);
  });

  it('lead to a file by its signed address', async () => {
    const { visitor, run } = await signedIn();
    const path = `/runs/${run.run_id}/artifacts/22222222-2222-4222-8222-222222222222`;
    const answer = await visitor.get(path);
    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toContain('signature=');
  });

  it('are unknown where the service knows none', async () => {
    const { visitor, run } = await signedIn();
    const answer = await visitor.get(`/runs/${run.run_id}/artifacts/nope`);
    expect(answer.status).toBe(404);
  });
});

describe('the list of runs', () => {
  it('pages by the service’s cursor and keeps its filters', async () => {
    const backend = createFakeBackend();
    for (let at = 0; at < 30; at += 1) backend.addRun({ title: `Run ${at}.`, state: 'FAILED' });
    const visitor = createVisitor(backend);
    await visitor.signIn();
    const first = await (await visitor.get('/runs?state=FAILED&q=Run')).text();
    expect(first).toContain('Run 24.');
    expect(first).not.toContain('Run 25.');
    const older = /rel="next"\s+href="([^"]+)"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(older).toContain('state=FAILED');
    const second = await (await visitor.get(older)).text();
    expect(second).toContain('Run 29.');
    expect(second).toContain('Newest');
  });

  it('says how to begin while there is nothing, and otherwise that nothing matches', async () => {
    const visitor = createVisitor(createFakeBackend());
    await visitor.signIn();
    expect(await (await visitor.get('/runs')).text()).toContain('No runs yet');
    expect(await (await visitor.get('/runs?q=zzz')).text()).toContain('No run matches');
  });

  it('begins anew where a cursor is of another time', async () => {
    const backend = createFakeBackend();
    const api = backend.api.bind(backend);
    backend.api = (request, session) =>
      new URL(request.url).searchParams.has('cursor')
        ? Promise.resolve(Response.json({ error_code: 'invalid_request' }, { status: 400 }))
        : api(request, session);
    const visitor = createVisitor(backend);
    await visitor.signIn();
    const answer = await visitor.get('/runs?state=FAILED&cursor=old');
    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toBe('/runs?state=FAILED');
  });

  it('takes no value from its address for more than it is', async () => {
    const visitor = createVisitor(createFakeBackend());
    await visitor.signIn();
    const odd = '/runs?state=NOPE&source=%00&q=%00%ED%A0%80&environment=%22%3E&cursor=';
    expect((await visitor.get(odd)).status).toBe(200);
  });
});
