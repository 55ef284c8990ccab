import { Ajv, type ValidateFunction } from 'ajv';
import OzAPI, { APIError } from 'oz-agent-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDriver, type RunDriver } from '../support/run-driver.ts';
import { inputsOf, readSdk, type SdkMethod } from '../support/sdk-types.ts';
import { startTestService, type TestService } from '../support/service.ts';

const ENVIRONMENT = 'Abcdefghij0123456789xy';
const SKILL = 'acme/web:skills/review/SKILL.md';
const PIXEL = 'iVBORw0KGgo=';
/** What the interface has and the SDK’s closed lists do not have yet. */
const NEWER = { state: ['BLOCKED', 'ERROR'], artifact_type: ['EXTERNAL_REFERENCE'] };

const sdk = await readSdk();
let service: TestService;
let runs: RunDriver;
let workerKey = '';
let oz: OzAPI;
/** A run with all that a run may have, its schedule, and a run that waits. */
let full = '';
let scheduleId = '';
let queued = '';

type Value = string | number | boolean | object;
interface Case {
  /** What is sent: alone, beside what the method cannot do without. */
  value: Value;
  /** 422 where this service does not serve it (docs/api.md). */
  refused?: true;
  /** Of a list: whether it shows the run with everything, and the one that waits. */
  shows?: [full: boolean, queued: boolean];
  count?: number;
  /** Of what is made: where it is seen. */
  seen?: (made: Made) => unknown;
}
interface Made {
  item: Record<string, unknown>;
  images: unknown;
}
const inConfig = (name: string) => (made: Made) =>
  (made.item['agent_config'] as Record<string, unknown>)[name];
const server = (more: object) => ({ files: { command: 'files', ...more } });
const servers = (value: object): Case => ({ value, seen: inConfig('mcp_servers') });

/** The same in a run’s `config` and a schedule’s `agent_config`. */
const CONFIG: Record<string, Case> = {
  base_prompt: { value: 'Be brief', seen: inConfig('base_prompt') },
  computer_use_enabled: { value: true, refused: true },
  environment_id: { value: ENVIRONMENT, seen: inConfig('environment_id') },
  'mcp_servers.NAME.args[]': servers(server({ args: ['--stdio'] })),
  'mcp_servers.NAME.command': servers(server({})),
  'mcp_servers.NAME.env.NAME': servers(server({ env: { MODE: 'quick' } })),
  'mcp_servers.NAME.headers.NAME': servers({
    files: { url: 'https://a.example', headers: { a: 'b' } },
  }),
  'mcp_servers.NAME.url': servers({ files: { url: 'https://a.example' } }),
  'mcp_servers.NAME.warp_id': { value: { files: { warp_id: 'w' } }, refused: true },
  model_id: { value: 'quick', seen: inConfig('model_id') },
  name: { value: 'fixer', seen: inConfig('name') },
  skill_spec: { value: SKILL, seen: inConfig('skill_spec') },
  worker_host: { value: 'box', seen: inConfig('worker_host') },
};
const below = (prefix: string): Record<string, Case> =>
  Object.fromEntries(Object.entries(CONFIG).map(([name, it]) => [`${prefix}.${name}`, it]));
const shown = (name: string) => (made: Made) => made.item[name];
const SCHEDULE = { name: 'nightly', cron_schedule: '0 3 * * *', prompt: 'Tidy up' };
const scheduled = {
  name: { value: 'weekly', seen: shown('name') },
  cron_schedule: { value: '0 3 * * 1', seen: shown('cron_schedule') },
  prompt: { value: 'Tidy all', seen: shown('prompt') },
  enabled: { value: false, seen: shown('enabled') },
  ...below('agent_config'),
};

/** A sample of every input, by method. What a newer SDK has beyond these fails below. */
const CASES: Record<string, () => Record<string, Case>> = {
  'agent.list': () => ({
    refresh: { value: true },
    repo: { value: 'acme/web' },
    sort_by: { value: 'last_run' },
  }),
  'agent.run': () => ({
    prompt: { value: 'Mend it', seen: shown('prompt') },
    title: { value: 'A title', seen: shown('title') },
    team: { value: false, seen: ({ item }) => (item['scope'] as { type: string }).type === 'Team' },
    skill: {
      value: SKILL,
      seen: ({ item }) => (item['agent_skill'] as { full_path: string }).full_path,
    },
    conversation_id: { value: conversationId, seen: shown('conversation_id') },
    'images[].data': { value: [{ mime_type: 'image/png', data: PIXEL }], seen: shownImages },
    'images[].mime_type': { value: [{ mime_type: 'image/webp', data: PIXEL }], seen: shownImages },
    ...below('config'),
  }),
  'agent.runs.list': () => ({
    artifact_type: { value: 'PULL_REQUEST', shows: [true, false] },
    created_after: { value: between, shows: [false, true] },
    created_before: { value: between, shows: [true, false] },
    creator: { value: creator, shows: [true, true] },
    cursor: { value: cursor, shows: [true, false] },
    environment_id: { value: ENVIRONMENT, shows: [true, false] },
    limit: { value: 1, count: 1 },
    model_id: { value: 'quick', shows: [true, false] },
    name: { value: 'fixer', shows: [true, false] },
    q: { value: 'peculiar', shows: [true, false] },
    schedule_id: { value: scheduleId, shows: [false, false] },
    skill: { value: SKILL, shows: [true, false] },
    skill_spec: { value: SKILL, shows: [true, false] },
    source: { value: 'CLI', shows: [true, false] },
    'state[]': { value: ['QUEUED', 'FAILED'], shows: [false, true] },
    updated_after: { value: between, shows: [false, true] },
  }),
  'agent.schedules.create': () => ({ ...scheduled, team: { value: false, refused: true } }),
  'agent.schedules.update': () => scheduled,
};
const REQUIRED: Record<string, object> = {
  'agent.run': { prompt: 'Fix it' },
  'agent.schedules.create': SCHEDULE,
  'agent.schedules.update': { ...SCHEDULE, enabled: true },
};

let conversationId = '';
let between = '';
let creator = '';
let cursor = '';

function shownImages({ images }: Made): unknown {
  return (images as { mime_type: string; download_url: string }[]).map((image) => ({
    mime_type: image.mime_type,
    data: image.download_url.split(',')[1],
  }));
}

const idOf = ({ resource, name }: SdkMethod): string => `${resource}.${name}`;

/** Calls a method of the SDK by its name. */
async function call({ resource, name }: SdkMethod, ...given: unknown[]): Promise<unknown> {
  const [, ...path] = resource.split('.');
  let place: unknown = oz.agent;
  for (const part of path) place = (place as Record<string, unknown>)[part];
  const method = (place as Record<string, (...all: unknown[]) => Promise<unknown>>)[name];
  return method?.call(place, ...given);
}

const ajv = new Ajv({ strict: false, allErrors: true });
const checks = new Map<string, ValidateFunction>();

/** What does not satisfy the type that the SDK declares. */
function faults(method: SdkMethod, answer: unknown): unknown {
  const check = checks.get(idOf(method)) ?? ajv.compile(method.answer);
  checks.set(idOf(method), check);
  return check(asTheSdkHasIt(answer)) ? [] : check.errors;
}

/** Without what is newer than the SDK. */
function asTheSdkHasIt(answer: unknown): unknown {
  if (Array.isArray(answer))
    return answer.flatMap((it: unknown) => (isNewer(it) ? [] : [asTheSdkHasIt(it)]));
  if (typeof answer !== 'object' || answer === null) return answer;
  return Object.fromEntries(Object.entries(answer).map(([name, it]) => [name, asTheSdkHasIt(it)]));
}

function isNewer(item: unknown): boolean {
  if (typeof item !== 'object' || item === null) return false;
  return Object.entries(NEWER).some(([name, values]) =>
    values.includes(String((item as Record<string, unknown>)[name])),
  );
}

/** Reads the repository’s skills as a worker does, as often as that is wanted. */
async function readSkills(wait: number): Promise<void> {
  const headers = { prefer: `wait=${wait}` };
  const job = await service.request('POST', '/worker/skills/claim', { key: workerKey, headers });
  const { discovery } = (await job.json()) as {
    discovery: { discovery_id: string; token: string } | null;
  };
  if (!discovery) return;
  const skill = {
    path: 'skills/review/SKILL.md',
    content: '---\nname: review\ndescription: Reads\n---\nRead it.\n',
  };
  await service.request('POST', `/worker/skills/${discovery.discovery_id}`, {
    key: workerKey,
    body: { token: discovery.token, skills: [skill] },
  });
}

async function makeFull(): Promise<string> {
  const config = {
    environment_id: ENVIRONMENT,
    name: 'fixer',
    model_id: 'quick',
    skill_spec: SKILL,
    mcp_servers: server({ args: ['-x'], env: { A: 'b' } }),
  };
  const { body } = await runs.ask<{ run_id: string }>(
    'POST',
    '/agent/runs',
    { prompt: 'a peculiar wish', config },
    { 'x-oz-api-source': 'CLI' },
  );
  const lease = await runs.begin();
  const at = new Date().toISOString();
  const events = [
    { type: 'agent_started', harness: 'demo' },
    { type: 'plan', entries: [{ content: 'Fix it', status: 'completed' }] },
    { type: 'usage', usage: { inference_cost: 2, compute_cost: 1, total_tokens: 3 } },
  ].map((event, index) => ({ seq: index + 1, at, ...event }));
  await runs.report(lease, 'events', { events });
  for (const report of [
    {
      artifact_type: 'PULL_REQUEST',
      data: { url: 'https://github.com/acme/web/pull/7', branch: 'b' },
    },
    {
      artifact_type: 'EXTERNAL_REFERENCE',
      data: { reference_type: 'ticket', url: 'https://t.example/1' },
    },
  ])
    await service.request('POST', '/harness-support/report-artifact', {
      key: lease.run_key,
      body: report,
    });
  await runs.complete(lease, 'SUCCEEDED');
  return body.run_id;
}

beforeAll(async () => {
  const started = await startDriver(() =>
    startTestService({
      graceMs: 3_600_000,
      config: {
        environments: [
          { id: ENVIRONMENT, name: 'web', repositories: [{ owner: 'acme', repo: 'web' }] },
        ],
        models: [{ id: 'slow', default: true }, { id: 'quick' }],
      },
    }),
  );
  ({ service, runs, workerKey } = started);
  oz = new OzAPI({ apiKey: started.key, baseURL: service.baseUrl, maxRetries: 0 });
  await readSkills(0);
  full = await makeFull();
  const run = await runs.get(full);
  conversationId = run.conversation_id ?? '';
  creator = run.creator?.uid ?? '';
  between = new Date(Math.max(Date.now(), Date.parse(run.updated_at) + 1)).toISOString();
  while (Date.now() <= Date.parse(between)) await new Promise(setImmediate);
  queued = await runs.create({ config: { name: 'other' } });
  const { body } = await runs.ask<{ id: string }>('POST', '/agent/schedules', SCHEDULE);
  scheduleId = body.id;
  const page = await runs.ask<{ page_info: { next_cursor: string } }>('GET', '/agent/runs?limit=1');
  cursor = page.body.page_info.next_cursor;
});
afterAll(() => service.close());

const inputs = sdk.flatMap((method) =>
  method.params
    ? inputsOf(method.params).map((input) => ({ method, id: idOf(method), input }))
    : [],
);

/** What a value is sent as: whole lists and maps, from their own name on. */
function place(target: Record<string, unknown>, path: string, value: Value): void {
  const [first = '', ...rest] = path.split('.');
  const name = first.replace('[]', '');
  if (first.endsWith('[]') || rest.length === 0 || rest[0] === 'NAME') target[name] = value;
  else {
    const inner = (target[name] ?? {}) as Record<string, unknown>;
    target[name] = inner;
    place(inner, rest.join('.'), value);
  }
}

describe('every input that the public SDK declares (docs/api.md, "Every input")', () => {
  it('has a sample here; a newer SDK shows what is new', () => {
    const known = Object.entries(CASES).flatMap(([id, cases]) =>
      Object.keys(cases()).map((input) => `${id} ${input}`),
    );
    expect(inputs.map(({ id, input }) => `${id} ${input}`).toSorted()).toEqual(known.toSorted());
  });

  it.each(inputs)('$id: $input', async ({ method, id, input }) => {
    const tried = CASES[id]?.()[input];
    if (!tried) throw new Error(`there is no sample of ${id} ${input}`);
    const { value, refused, shows, count, seen } = tried;
    const expected = { faults: [], shows, count, seen: seen && value };
    expect(await attempt(method, input, tried)).toEqual(refused ? { refused: 422 } : expected);
  });
});

/** What comes of an input that is sent alone. */
async function attempt(method: SdkMethod, input: string, tried: Case): Promise<object> {
  const given: Record<string, unknown> = { ...REQUIRED[idOf(method)] };
  place(given, input, tried.value);
  const ids = method.path.includes('{}') ? [scheduleId] : [];
  const asked = call(method, ...ids, given);
  if (input === 'refresh') void readSkills(10);
  try {
    const answer = await asked;
    return {
      faults: faults(method, answer),
      ...found(answer, tried),
      seen: tried.seen && tried.seen(await made(answer)),
    };
  } catch (error) {
    if (!(error instanceof APIError)) throw error;
    return { refused: error.status };
  }
}

/** Which runs a list shows. */
function found(answer: unknown, { shows, count }: Case): Pick<Case, 'shows' | 'count'> {
  if (!shows && !count) return {};
  const listed = (answer as { runs: { run_id: string }[] }).runs.map(({ run_id }) => run_id);
  return shows
    ? { shows: [listed.includes(full), listed.includes(queued)] }
    : { count: listed.length };
}

/** What was made, as it is afterwards. */
async function made(answer: unknown): Promise<Made> {
  const { run_id, id } = answer as { run_id?: string; id?: string };
  if (run_id === undefined)
    return {
      item: (await runs.ask<Record<string, unknown>>('GET', `/agent/schedules/${id}`)).body,
      images: [],
    };
  const path = `/agent/runs/${run_id}`;
  const item = await runs.ask<Record<string, unknown>>('GET', path);
  const images = await runs.ask<{ attachments: unknown }>('GET', `${path}/handoff/attachments`);
  // Others are asked what there was when they began.
  await runs.ask('POST', `${path}/cancel`);
  return { item: item.body, images: images.body.attachments };
}

describe('what comes back', () => {
  it.each(sdk.filter(({ params }) => !params))(
    'satisfies the types of $resource.$name',
    async (method) => {
      const { body: schedule } = await runs.ask<{ id: string }>(
        'POST',
        '/agent/schedules',
        SCHEDULE,
      );
      const id = method.resource === 'agent.runs' ? await runs.create() : schedule.id;
      expect(
        faults(method, await call(method, ...(method.path.includes('{}') ? [id] : []))),
      ).toEqual([]);
    },
  );

  it('satisfies them for a run with all that a run may have', async () => {
    const retrieve = sdk.find((method) => idOf(method) === 'agent.runs.retrieve');
    const run = await oz.agent.runs.retrieve(full);
    expect(retrieve && faults(retrieve, run)).toEqual([]);
    expect(run).toMatchObject({
      request_usage: { inference_cost: 2 },
      agent_skill: { full_path: SKILL },
    });
    expect(run.artifacts?.map(({ artifact_type }) => artifact_type)).toContain('PLAN');
  });
});
