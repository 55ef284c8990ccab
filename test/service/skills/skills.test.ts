import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  listSkillsResponse,
  type SkillDiscovery,
  type SkillItem,
} from '../../../src/contract/skill.ts';
import { syncSkillSources } from '../../../src/service/skills/sources.ts';
import { startDriver, type RunDriver } from '../../support/run-driver.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const WEB = 'Web0000000000000000000';
const API = 'Api0000000000000000000';
const HIDDEN = 'Hidden0000000000000000';
let service: TestService;
let runs: RunDriver;
let key = '';
let workerKey = '';
let read: string[] = [];

function skill(name: string, text = 'Do it.'): string {
  return `---\nname: ${name}\ndescription: About ${name}\n---\n${text}\n`;
}

/** What stands in the repositories that the workers of these tests read. */
const repositories: Record<string, { path: string; content: string }[]> = {
  web: [
    { path: '.claude/skills/review/SKILL.md', content: skill('review', 'Read the diff.') },
    { path: 'skills/zip/SKILL.md', content: skill('zip') },
    { path: 'skills/broken/SKILL.md', content: 'no front matter' },
  ],
  api: [{ path: 'skills/review/SKILL.md', content: skill('review', 'Read the API.') }],
  hidden: [{ path: 'skills/secret/SKILL.md', content: skill('secret') }],
};

async function claim(as = workerKey, wait?: number): Promise<SkillDiscovery | null> {
  const headers = wait === undefined ? {} : { prefer: `wait=${wait}` };
  const answer = await service.request('POST', '/worker/skills/claim', { key: as, headers });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { discovery: SkillDiscovery | null }).discovery;
}

function report(discovery: SkillDiscovery, body: Record<string, unknown>): Promise<Response> {
  return service.request('POST', `/worker/skills/${discovery.discovery_id}`, {
    key: workerKey,
    body: { token: discovery.token, skills: [], ...body },
  });
}

/** Reads what is due, as the worker does. */
async function discoverAll(): Promise<string[]> {
  const done = [];
  for (let job = await claim(); job; job = await claim()) {
    await report(job, { skills: repositories[job.name] ?? [] });
    done.push(job.name);
  }
  return done.toSorted();
}

async function list(query = '', as = key): Promise<SkillItem[]> {
  const answer = await service.request('GET', `/agent${query}`, { key: as });
  expect(answer.status).toBe(200);
  return listSkillsResponse.parse(await answer.json()).agents;
}

const names = (items: SkillItem[]): string[] => items.map(({ name }) => name);

beforeAll(async () => {
  const repository = (repo: string) => ({ owner: 'acme', repo });
  ({ service, runs, key, workerKey } = await startDriver(() =>
    startTestService({
      config: {
        environments: [
          { id: WEB, name: 'web', repositories: [repository('web')] },
          { id: API, name: 'api', repositories: [repository('api'), repository('web')] },
          { id: HIDDEN, name: 'hidden', team: 'others', repositories: [repository('hidden')] },
        ],
      },
    }),
  ));
  read = await discoverAll();
  await service.service.context.database.pool.query(`
    create table known_sources as table skill_sources;
    create table known_skills as table skills;`);
});
/** Every test begins with what all repositories were read to have at the start. */
beforeEach(() =>
  service.service.context.database.pool.query(`
    delete from skill_sources;
    insert into skill_sources table known_sources;
    insert into skills table known_skills;`),
);
afterAll(() => service.close());

describe('GET /agent (interface.md 4.1)', () => {
  it('answers from what was read, and has what is older than an hour read for the next', async () => {
    const known = await list();
    expect(await claim()).toBeNull();
    const hoursAgo = new Date(Date.now() - 2 * 60 * 60_000);
    await service.service.context.db
      .updateTable('skill_sources')
      .set({ discovered_at: hoursAgo, requested_at: hoursAgo })
      .where('name', '=', 'api')
      .execute();
    expect(await list()).toEqual(known);
    expect(await discoverAll()).toEqual(['api']);
    await list();
    expect(await claim()).toBeNull();
  });

  it('keeps what another node’s configuration names, for as long as somebody asks for it', async () => {
    const { db, config } = service.service.context;
    const known = await list();
    await syncSkillSources({ db, config: { ...config, environments: [] } });
    expect(await list()).toEqual(known);
    const old = { requested_at: sql<Date>`now() - interval '31 days'` };
    await db.updateTable('skill_sources').set(old).where('name', '=', 'hidden').execute();
    await syncSkillSources({ db, config: { ...config, environments: [] } });
    const left = await db.selectFrom('skill_sources').select('name').orderBy('name').execute();
    expect(left).toEqual([{ name: 'api' }, { name: 'web' }]);
    await syncSkillSources({ db, config });
    expect(await discoverAll()).toEqual(['hidden']);
    expect(await list()).toEqual(known);
  });

  it('lists the skills of the repositories of visible environments, by name', async () => {
    const items = await list();
    expect(names(items)).toEqual(['review', 'zip']);
    expect(items[0]?.variants).toEqual([
      {
        id: 'acme/api:skills/review/SKILL.md',
        description: 'About review',
        base_prompt: 'Read the API.',
        source: { owner: 'acme', name: 'api', skill_path: 'skills/review/SKILL.md' },
        environments: [{ uid: API, name: 'api' }],
        last_run_timestamp: null,
      },
      expect.objectContaining({
        id: 'acme/web:.claude/skills/review/SKILL.md',
        environments: [
          { uid: WEB, name: 'web' },
          { uid: API, name: 'api' },
        ],
      }),
    ]);
    const others = await service.personalKey('others', 'other');
    expect(names(await list('', others))).toEqual(['secret']);
  });

  it('takes one repository', async () => {
    expect(names(await list('?repo=Acme/Api'))).toEqual(['review']);
    expect(await list('?repo=acme/hidden')).toEqual([]);
    for (const repo of ['acme', 'a/b/c', '']) {
      const answer = await service.request('GET', `/agent?repo=${repo}`, { key });
      expect(answer.status).toBe(400);
    }
  });

  it('shows malformed skills only on request, with the error on the variant', async () => {
    const items = await list('?include_malformed_skills=true');
    expect(names(items)).toEqual(['broken', 'review', 'zip']);
    expect(items[0]?.variants[0]).toMatchObject({
      error: 'skills/broken/SKILL.md:1:1: has no YAML front matter',
    });
  });

  it('sorts by last run', async () => {
    await runs.create({ skill: 'acme/web:zip' });
    const items = await list('?sort_by=last_run');
    expect(names(items)).toEqual(['zip', 'review']);
    expect(items[0]?.variants[0]?.last_run_timestamp).toEqual(expect.any(String));
  });

  it('has the repositories read again with refresh=true, by a worker (threats.md S6)', async () => {
    const added = { path: 'skills/new/SKILL.md', content: skill('new') };
    const waiting = list('?repo=acme/api&refresh=true');
    const job = await claim(workerKey, 20);
    expect(job).toMatchObject({ owner: 'acme', name: 'api' });
    if (job) await report(job, { skills: [...(repositories['api'] ?? []), added] });
    expect(names(await waiting)).toEqual(['new', 'review']);
  });
});

describe('a discovery', () => {
  it('is due once for each repository of the configuration', () => {
    expect(read).toEqual(['api', 'hidden', 'web']);
  });

  async function due(): Promise<SkillDiscovery> {
    const { db } = service.service.context;
    const later = new Date(Date.now() + 1000);
    await db
      .updateTable('skill_sources')
      .set({ requested_at: later, discovered_at: new Date(0), claimed_until: null })
      .where('name', '=', 'api')
      .execute();
    const job = await claim();
    if (!job) throw new Error('nothing was due');
    return job;
  }

  it('is given to one worker at a time, and of a team only for its own environments', async () => {
    const job = await due();
    expect(job).toMatchObject({ clone_url: 'https://github.com/acme/api.git' });
    expect(await claim()).toBeNull();
    await report(job, { skills: repositories['api'] });
    const others = await service.workerKey('others');
    const again = await due();
    expect(await claim(others)).toBeNull();
    await report(again, { skills: repositories['api'] });
  });

  it('that fails keeps what was known', async () => {
    await report(await due(), { error: 'The remote hung up.' });
    expect(names(await list('?repo=acme/api'))).toEqual(['review']);
  });

  it('with a stale token changes nothing (threats.md S12)', async () => {
    const job = await due();
    const answer = await report({ ...job, token: 'stale' }, { skills: [] });
    expect(answer.status).toBe(409);
    expect(names(await list('?repo=acme/api'))).toEqual(['review']);
    await report(job, { skills: repositories['api'] });
  });

  it.each(['/etc/passwd', '../x/SKILL.md', 'a//SKILL.md'])(
    'takes no path such as %s (threats.md S7)',
    async (path) => {
      const job = await due();
      const answer = await report(job, { skills: [{ path, content: 'x' }] });
      expect(answer.status).toBe(400);
      await report(job, { skills: repositories['api'] });
    },
  );

  it('is for workers only', async () => {
    expect((await service.request('POST', '/worker/skills/claim', { key })).status).toBe(403);
  });
});

describe('a run by skill', () => {
  it.each([
    'web:zip',
    'acme/web:zip',
    'acme/web:skills/zip',
    'web:skills/zip/SKILL.md',
    'ACME/web:skills/zip/SKILL.md',
  ])('named %s uses the skill’s text', async (name) => {
    const id = await runs.create({ prompt: undefined, skill: name });
    expect(await runs.get(id)).toMatchObject({
      agent_config: { skill_spec: 'acme/web:skills/zip/SKILL.md', name: 'zip' },
      agent_skill: {
        name: 'zip',
        description: 'About zip',
        full_path: 'acme/web:skills/zip/SKILL.md',
      },
    });
    let lease = await runs.begin();
    while (lease.run_id !== id) lease = await runs.begin();
    expect(lease.skills).toEqual([
      { name: 'zip', path: 'acme/web:skills/zip/SKILL.md', content: 'Do it.' },
    ]);
  });

  it('is that of `skill`, whatever the configuration names', async () => {
    const config = { skill_spec: 'acme/api:skills/review' };
    const { agent_config, agent_skill } = await runs.get(
      await runs.create({ skill: 'acme/web:zip', config }),
    );
    const path = 'acme/web:skills/zip/SKILL.md';
    expect([agent_config?.skill_spec, agent_skill?.full_path]).toEqual([path, path]);
  });

  it('and by others too has all their texts, in order', async () => {
    const id = await runs.create({ config: { skills: ['web:zip', 'api:review'] } });
    expect(await runs.get(id)).toMatchObject({
      agent_skill: { name: 'zip' },
      agent_config: {
        name: 'zip',
        skills: ['acme/web:skills/zip/SKILL.md', 'acme/api:skills/review/SKILL.md'],
      },
    });
    let lease = await runs.begin();
    while (lease.run_id !== id) lease = await runs.begin();
    expect(lease.skills?.map(({ content }) => content)).toEqual(['Do it.', 'Read the API.']);
  });

  it.each([
    ['unknown', { skill: 'acme/web:nothing' }, 'skill', /no skill/],
    ['of another team', { skill: 'acme/hidden:secret' }, 'skill', /no skill/],
    ['malformed', { config: { skill_spec: 'acme/web:broken' } }, 'config.skill_spec', /malformed/],
    ['no spec', { config: { skills: ['zip'] } }, 'config.skills', /form/],
  ])('that is %s is refused', async (_, body, field, reason) => {
    const answer = await service.request('POST', '/agent/runs', { key, body });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      field,
      detail: expect.stringMatching(reason),
    });
  });

  it('of a schedule or an agent is refused as well, but not for what was named before', async () => {
    const name = randomUUID();
    const schedule = { name, cron_schedule: '0 3 * * *', prompt: 'p', enabled: false };
    const ask = (method: string, path: string, body: object) =>
      runs.ask<{ field?: string; id: string; uid: string }>(method, path, body);
    for (const spec of ['acme/web:nothing', 'acme/hidden:secret', 'acme/web:broken'])
      for (const [path, body, field] of [
        [
          'schedules',
          { ...schedule, agent_config: { skill_spec: spec } },
          'agent_config.skill_spec',
        ],
        ['schedules', { ...schedule, agent_config: { skills: [spec] } }, 'agent_config.skills'],
        ['identities', { name, skills: [spec] }, 'skills'],
      ] as const) {
        const answer = await ask('POST', `/agent/${path}`, body);
        expect([path, spec, answer.status, answer.body.field]).toEqual([path, spec, 400, field]);
      }
    const skills = ['acme/web:zip', 'acme/api:review'];
    const made = await ask('POST', '/agent/schedules', { ...schedule, agent_config: { skills } });
    const agent = await ask('POST', '/agent/identities', { name, skills });
    expect([made.status, agent.status]).toEqual([201, 201]);
    const { db } = service.service.context;
    await db.updateTable('schedules').set({ config: '{"skills":["acme/web:gone"]}' }).execute();
    await db.updateTable('identities').set({ settings: '{"skills":["acme/web:gone"]}' }).execute();
    const change = async (more: string[]): Promise<number[]> => {
      const named = ['acme/web:gone', ...more];
      const body = { ...schedule, agent_config: { skills: named } };
      const one = await ask('PUT', `/agent/schedules/${made.body.id}`, body);
      const other = await ask('PUT', `/agent/identities/${agent.body.uid}`, { skills: named });
      return [one.status, other.status];
    };
    expect(await change(['acme/web:zip'])).toEqual([200, 200]);
    expect(await change(['acme/web:lost'])).toEqual([400, 400]);
  });
});
