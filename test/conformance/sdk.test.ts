import { randomUUID } from 'node:crypto';
import OzAPI, {
  AuthenticationError,
  BadRequestError,
  ConflictError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  UnprocessableEntityError,
} from 'oz-agent-sdk';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startDriver, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { validateAnswer } from '../support/validate-answer.ts';

const ENVIRONMENT = 'Abcdefghij0123456789xy';
let service: TestService;
let runs: RunDriver;
let workerKey = '';
let oz: OzAPI;
/** How many requests the SDK has sent: it repeats some by itself. */
let sent = 0;

function client(apiKey: string): OzAPI {
  return new OzAPI({
    apiKey,
    baseURL: service.baseUrl,
    fetch: async (url, init) => {
      sent += 1;
      const answer = await fetch(url, init);
      const path = answer.url.slice(service.baseUrl.length);
      await validateAnswer(init?.method ?? 'GET', path, answer.clone());
      return answer;
    },
  });
}

beforeAll(async () => {
  const started = await startDriver(() =>
    startTestService({
      config: {
        environments: [
          { id: ENVIRONMENT, name: 'web', repositories: [{ owner: 'acme', repo: 'web' }] },
        ],
        limits: { metadata_filter: false },
      },
    }),
  );
  ({ service, runs, workerKey } = started);
  oz = client(started.key);
  const job = await service.request('POST', '/worker/skills/claim', { key: workerKey });
  const { discovery } = (await job.json()) as {
    discovery: { discovery_id: string; token: string };
  };
  await service.request('POST', `/worker/skills/${discovery.discovery_id}`, {
    key: workerKey,
    body: {
      token: discovery.token,
      skills: [
        {
          path: 'skills/review/SKILL.md',
          content: '---\nname: review\ndescription: Reads\n---\nRead it.\n',
        },
      ],
    },
  });
});
afterAll(() => service.close());

async function start(): Promise<string> {
  return (await oz.agent.run({ prompt: 'Fix it', config: { environment_id: ENVIRONMENT } })).run_id;
}

/** Every method that the SDK has, by resource; each is asked below. */
const METHODS = {
  agent: ['list', 'run'],
  runs: ['cancel', 'list', 'retrieve'],
  schedules: ['create', 'delete', 'list', 'pause', 'resume', 'retrieve', 'update'],
};

it('the public SDK has no method that is not asked here', () => {
  const { agent } = oz;
  const resources = { agent, runs: agent.runs, schedules: agent.schedules };
  const methods = Object.entries(resources).map(([name, resource]) => [
    name,
    Object.getOwnPropertyNames(Object.getPrototypeOf(resource))
      .filter((method) => method !== 'constructor')
      .toSorted(),
  ]);
  expect(Object.fromEntries(methods)).toEqual(METHODS);
  const own = Object.values(agent).filter((value) => typeof value === 'object' && value !== oz);
  expect(own).toHaveLength(2);
});

describe('the public SDK: agent', () => {
  it('run starts a run and answers at once (interface.md 4.2)', async () => {
    const run = await oz.agent.run({
      prompt: 'Fix the test',
      title: 'A title',
      config: { environment_id: ENVIRONMENT, name: 'fixer', base_prompt: 'Be brief' },
    });
    expect(run).toMatchObject({ run_id: expect.any(String), state: 'QUEUED' });
    expect(run.task_id).toBe(run.run_id);
  });

  it('list gives the skills (interface.md 4.1)', async () => {
    const { agents } = await oz.agent.list({ repo: 'acme/web', sort_by: 'last_run' });
    expect(agents).toMatchObject([
      {
        name: 'review',
        variants: [
          {
            id: 'acme/web:skills/review/SKILL.md',
            environments: [{ uid: ENVIRONMENT, name: 'web' }],
          },
        ],
      },
    ]);
  });
});

describe('the public SDK: agent.runs', () => {
  it('retrieve gives the run with its resolved configuration (interface.md 4.2)', async () => {
    const id = await start();
    expect(await oz.agent.runs.retrieve(id)).toMatchObject({
      run_id: id,
      prompt: 'Fix it',
      state: 'QUEUED',
      agent_config: { environment_id: ENVIRONMENT },
      creator: { type: 'user' },
      source: 'API',
    });
  });

  it('list filters and pages (interface.md 4.2)', async () => {
    const ids = [];
    for (let count = 0; count < 3; count += 1)
      ids.push((await oz.agent.run({ prompt: 'p', config: { name: 'paged' } })).run_id);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await oz.agent.runs.list({
        name: 'paged',
        state: ['QUEUED', 'FAILED'],
        created_after: '2020-01-01T00:00:00.000Z',
        limit: 2,
        ...(cursor === undefined ? {} : { cursor }),
      });
      seen.push(...page.runs.map((run) => run.run_id));
      cursor = page.page_info.has_next_page ? page.page_info.next_cursor : undefined;
    } while (cursor !== undefined);
    expect(seen.toSorted()).toEqual(ids.toSorted());
  });

  it('cancel answers the run’s id (interface.md 7)', async () => {
    const id = await start();
    expect(await oz.agent.runs.cancel(id)).toBe(id);
    expect((await oz.agent.runs.retrieve(id)).state).toBe('CANCELLED');
  });
});

describe('the public SDK: agent.schedules', () => {
  it('has a schedule through its whole life (interface.md 4.3)', async () => {
    const { schedules } = oz.agent;
    const made = await schedules.create({
      name: 'nightly',
      cron_schedule: '0 3 * * *',
      prompt: 'Tidy up',
      agent_config: { environment_id: ENVIRONMENT },
    });
    expect(made).toMatchObject({ name: 'nightly', enabled: true });
    expect((await schedules.retrieve(made.id)).history?.next_run).toEqual(expect.any(String));
    const changed = await schedules.update(made.id, {
      name: 'weekly',
      cron_schedule: '0 3 * * 1',
      prompt: 'Tidy up',
      enabled: true,
    });
    expect(changed.name).toBe('weekly');
    expect((await schedules.pause(made.id)).enabled).toBe(false);
    expect((await schedules.resume(made.id)).enabled).toBe(true);
    expect((await schedules.list()).schedules.map(({ id }) => id)).toContain(made.id);
    expect(await schedules.delete(made.id)).toEqual({ success: true });
    await expect(schedules.retrieve(made.id)).rejects.toThrow(NotFoundError);
  });
});

describe('the public SDK’s typed errors (interface.md 7)', () => {
  it('401 is an AuthenticationError', async () => {
    await expect(client('rl_wrong').agent.runs.list()).rejects.toThrow(AuthenticationError);
  });

  it('400 is a BadRequestError: a bad filter, a cancel of an ended run', async () => {
    await expect(oz.agent.runs.list({ limit: 0 })).rejects.toThrow(BadRequestError);
    const id = await start();
    await oz.agent.runs.cancel(id);
    await expect(oz.agent.runs.cancel(id)).rejects.toThrow(BadRequestError);
  });

  it('403 is a PermissionDeniedError: the metadata filter while it is switched off', async () => {
    const query = { 'metadata[a]': 'b' } as Parameters<typeof oz.agent.runs.list>[0];
    const failure = await oz.agent.runs.list(query).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(PermissionDeniedError);
    expect(failure).toMatchObject({ error: { error_code: 'feature_not_available' } });
  });

  it('404 is a NotFoundError, for another team’s run too', async () => {
    await expect(oz.agent.runs.retrieve(randomUUID())).rejects.toThrow(NotFoundError);
    const others = client(await service.personalKey('others', 'other'));
    await expect(others.agent.runs.retrieve(await start())).rejects.toThrow(NotFoundError);
  });

  it('409 is a ConflictError: a cancel of a PENDING run, which the SDK sends again', async () => {
    const { run_id: id } = await oz.agent.run({ prompt: 'p' });
    let lease = await runs.claim();
    while (lease && lease.run_id !== id) lease = await runs.claim();
    sent = 0;
    await expect(oz.agent.runs.cancel(id, { maxRetries: 1 })).rejects.toThrow(ConflictError);
    expect(sent).toBe(2);
  });

  it('422 is an UnprocessableEntityError: a cancel of a self-hosted run', async () => {
    const { run_id: id } = await oz.agent.run({ prompt: 'p', config: { worker_host: 'box' } });
    await expect(oz.agent.runs.cancel(id)).rejects.toThrow(UnprocessableEntityError);
  });

  it('5xx is an InternalServerError: the database is away', async () => {
    await start();
    const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const connect = vi.spyOn(service.service.context.database.pool, 'connect');
    connect.mockImplementation(() => {
      throw away;
    });
    const failure = oz.agent.runs.list({}, { maxRetries: 0 });
    await expect(failure).rejects.toThrow(InternalServerError);
    connect.mockRestore();
    expect((await oz.agent.runs.list()).runs.length).toBeGreaterThan(0);
  });
});
