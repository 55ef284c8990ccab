import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Problem } from '../../src/contract/problem.ts';
import type { RunItem } from '../../src/contract/run.ts';
import { startDriver, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';

const ENVIRONMENT = 'Abcdefghij0123456789xy';
let service: TestService;
let runs: RunDriver;

beforeAll(async () => {
  ({ service, runs } = await startDriver(() =>
    startTestService({ config: { environments: [{ id: ENVIRONMENT, name: 'web' }] } }),
  ));
});
afterAll(() => service.close());

const store = { uid: 'u', access: 'read_only', instructions: 'i' };
const secret = { claude_auth_secret_name: 's' };
const SCHEDULE = { name: 'n', cron_schedule: '0 3 * * *', prompt: 'p' };

describe('what this service has not (interface.md 7.3)', () => {
  it.each([
    ['interactive', true],
    ['initial_snapshot_token', 't'],
    ['runtime_skills', [{ name: 'x' }]],
    ['config.session_sharing', { public_access: 'EDITOR' }],
    ['config.idle_timeout_minutes', 30],
    ['config.computer_use_enabled', true],
    ['config.computer_use_model_id', 'm'],
    ['config.memory_stores', [store]],
    ['config.runner_id', 'r'],
    ['config.inference_providers', { aws: { role_arn: 'r' } }],
    ['config.inference_providers', { gcp: { project: 'p' } }],
    ['config.harness_auth_secrets', secret],
    ['config.harness_auth_secrets', { newer_auth_secret_name: 's' }],
    ['config.credential_strategy', 'CREATOR'],
    ['config.secrets', [{ name: 'S' }]],
    ['bundled_skill_id', 'b'],
    ['config.bundled_skill_id', 'b'],
    ['config.profile_id', 'p'],
    ['config.additional_source_repos', ['acme/web']],
    ['config.experimental', { quick: true }],
  ])('is refused by a run where %s asks for it, and said why', async (field, value) => {
    const [first = '', second] = field.split('.');
    const body = { prompt: 'p', [first]: second === undefined ? value : { [second]: value } };
    const answer = await runs.ask<Problem>('POST', '/agent/runs', body);
    expect([answer.status, answer.body.error_code, answer.body.field]).toEqual([
      422,
      'operation_not_supported',
      field,
    ]);
    expect(answer.body.detail).toMatch(/is not served here: .{10}/);
  });

  it('is refused by schedules and agents too', async () => {
    for (const [path, body, field] of [
      ['schedules', { ...SCHEDULE, team: false }, 'team'],
      ['schedules', { ...SCHEDULE, agent_config: { runner_id: 'r' } }, 'agent_config.runner_id'],
      ['identities', { name: 'n', secrets: [{ name: 'S' }] }, 'secrets'],
      ['identities', { name: 'n', default_runner_uid: 'r' }, 'default_runner_uid'],
      ['identities', { name: 'n', harness_auth_secrets: secret }, 'harness_auth_secrets'],
      ['identities', { name: 'n', credential_strategy: 'CREATOR' }, 'credential_strategy'],
      ['identities', { name: 'n', memory: { attached_stores: [store] } }, 'memory.attached_stores'],
    ] as const) {
      const answer = await runs.ask<Problem>('POST', `/agent/${path}`, body);
      expect([answer.status, answer.body.field]).toEqual([422, field]);
    }
  });

  it('may be asked not to do it, by what means off or the default', async () => {
    const id = await runs.create({
      team: true,
      interactive: false,
      runtime_skills: [],
      config: {
        session_sharing: {},
        idle_timeout_minutes: 10,
        computer_use_enabled: false,
        computer_use_model_id: '',
        memory_stores: [],
        runner_id: '',
        inference_providers: { aws: { disabled: true, region: 'eu' } },
        harness_auth_secrets: {},
        credential_strategy: 'EXECUTOR',
        secrets: [],
        experimental: {},
      },
    });
    const run = await runs.get(id);
    expect(run.state).toBe('QUEUED');
    expect(run.agent_config).not.toHaveProperty('experimental');
  });

  it('is 400 where it is not even well-formed', async () => {
    const body = { prompt: 'p', team: 'no', interactive: true };
    const answer = await runs.ask<Problem>('POST', '/agent/runs', body);
    expect([answer.status, answer.body.field]).toEqual([400, 'team']);
  });

  it('is refused by a change of a schedule as by a new one', async () => {
    const { body: made } = await runs.ask<{ id: string }>('POST', '/agent/schedules', SCHEDULE);
    const put = (more: object) =>
      runs.ask<Problem>('PUT', `/agent/schedules/${made.id}`, {
        ...SCHEDULE,
        enabled: false,
        ...more,
      });
    for (const [field, value] of [
      ['team', false],
      ['environment', { docker_image: 'debian:12' }],
    ] as const)
      expect((await put({ [field]: value })).body).toMatchObject({ status: 422, field });
    expect((await put({ team: true, environment: null })).status).toBe(200);
  });

  it.each([
    '/agent/runs?factory_uid=f',
    '/agent/runs?factory_only=true',
    '/agent/identities?factory_uid=f',
  ])('never answers %s with the whole list', async (path) => {
    expect((await runs.ask('GET', path)).status).toBe(422);
  });
});

it('a route that docs/api.md says is not served is 404', async () => {
  const text = await readFile(join(import.meta.dirname, '../../docs/api.md'), 'utf8');
  const [, table = ''] = text.split('## Routes that are not served');
  const [named = ''] = table.split('\n## ');
  const rows = named.split('\n').flatMap((line) => line.split(' | ')[0] ?? []);
  const routes = rows.flatMap((row) => [...row.matchAll(/`([A-Z]+) (\S+)`/g)]);
  expect(routes.length).toBeGreaterThan(20);
  for (const [, method = '', path = ''] of routes) {
    const { status } = await runs.ask(method, path.replaceAll('{}', randomUUID()), undefined);
    expect([method, path, status]).toEqual([method, path, 404]);
  }
});

describe('filters of newer clients', () => {
  const ids = async (query: string): Promise<string[]> => {
    const { body } = await runs.ask<{ runs: RunItem[] }>('GET', `/agent/runs?${query}`);
    return body.runs.map(({ run_id }) => run_id);
  };

  it('automation_id is the pair of that key in the metadata', async () => {
    const id = await runs.create({ metadata: { automation_id: 'a-1' } });
    expect(await ids('automation_id=a-1')).toEqual([id]);
    expect(await ids('automation_id=a-2')).toEqual([]);
    expect(await ids('automation_id=a-1&metadata[other]=x')).toEqual([]);
    expect(await ids('automation_id=a-1&metadata[automation_id]=a-2')).toEqual([]);
    expect(await ids('automation_id=a-2&metadata[automation_id]=a-1')).toEqual([]);
  });

  it('task_status says how a run stands together with those below it', async () => {
    const root = await runs.create({ config: { name: 'task' } });
    const child = await runs.create({ parent_run_id: root, config: { name: 'task' } });
    const stand = (status: string) => ids(`name=task&task_status=${status}`);
    expect(await stand('running')).toEqual([root]);
    await runs.ask('POST', `/agent/runs/${root}/cancel`);
    expect(await stand('running')).toEqual([root]);
    expect(await stand('cancelled')).toEqual([root]);
    await runs.ask('POST', `/agent/runs/${child}/cancel`);
    expect(await stand('running')).toEqual([]);
    expect(await stand('failed&task_status=cancelled')).toEqual([root]);
    expect(await stand('complete')).toEqual([]);
  });
});

it('a schedule shows the environment its runs work in (interface.md 2.13)', async () => {
  const agent_config = { environment_id: ENVIRONMENT };
  const body = { ...SCHEDULE, agent_config };
  const made = await runs.ask<{ id: string; environment: object }>(
    'POST',
    '/agent/schedules',
    body,
  );
  expect(made.body.environment).toMatchObject({ name: 'web', github_repos: [] });
  const put = (more: object) =>
    runs.ask<Problem>('PUT', `/agent/schedules/${made.body.id}`, { ...made.body, ...more });
  expect((await put({})).status).toBe(200);
  const other = await put({ environment: { ...made.body.environment, docker_image: 'node:24' } });
  expect([other.status, other.body.field]).toEqual([422, 'environment']);
});
