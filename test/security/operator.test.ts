import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startServing, type Serving } from '../../src/cli/serve/start-serving.ts';
import { operatorConfig } from '../../src/config/operator-config.ts';
import { runKeyText } from '../../src/service/keys/key-text.ts';
import { createPersonalKey } from '../../src/service/keys/manage-keys.ts';
import { runCliCommand } from '../support/cli-process.ts';
import { useTestDatabase } from '../support/database.ts';
import { temporaryDirectory } from '../support/worker-bench.ts';
import { FAKE_HARNESSES, script } from '../support/worker-remote.ts';

/** `runlink serve` with the worker that comes with it, in this process. */
async function serve(dataDir: string, readOnly: string[] = []): Promise<Serving> {
  const { url } = await useTestDatabase();
  const serving = await startServing({
    host: '127.0.0.1',
    port: 0,
    database: { url },
    dataDir,
    config: operatorConfig.parse({
      harnesses: FAKE_HARNESSES,
      default_harness: 'fake',
      sandbox: { read_only: readOnly },
    }),
    variables: {},
    worker: {},
    log: pino({ level: 'silent' }),
  });
  onTestFinished(() => serving.close(0));
  return serving;
}

/** What an agent asks of the service with the key of its run, and the status that it gets. */
const ASK = `
  const { RUNLINK_API_KEY: key, RUNLINK_BASE_URL: base, RUNLINK_RUN_ID: own } = process.env;
  const calls = JSON.parse(process.argv[1]);
  for (const [method, path, body, headers] of calls) {
    const answer = await fetch(base + path.replace('OWN', own), {
      method,
      headers: { authorization: 'Bearer ' + key, 'content-type': 'application/json', ...headers },
      body: body && JSON.stringify(body),
    });
    console.log(answer.status, method, path);
  }`;

const quoted = (text: string): string => `'${text.replaceAll("'", `'"'"'`)}'`;

describe('an agent of a run of `runlink serve`', () => {
  it('reads nothing of the service and does with its key what is its run’s (threats.md S3, S16, S18)', async () => {
    const dataDir = temporaryDirectory();
    const { service, apiBaseUrl } = await serve(dataDir);
    const { key } = await createPersonalKey(service.context.db, { team: 'default', user: 'owner' });
    const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
      const answer = await fetch(apiBaseUrl + path, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      return (await answer.json()) as T;
    };
    const create = async (prompt: string): Promise<string> =>
      (await ask<{ run_id: string }>('POST', '/agent/runs', { prompt })).run_id;
    const ended = async (id: string): Promise<string> => {
      const state = async () => (await ask<{ state: string }>('GET', `/agent/runs/${id}`)).state;
      await expect.poll(state, { timeout: 60_000 }).toMatch(/^(SUCCEEDED|FAILED|ERROR)$/);
      return state();
    };
    const other = await create(script({ say: 'other' }));
    await ended(other);
    const reference = { reference_type: 'ticket', url: 'https://tracker.example/1' };
    const report = { artifact_type: 'EXTERNAL_REFERENCE', data: reference };
    const calls: [status: number, method: string, path: string, ...rest: object[]][] = [
      [200, 'GET', '/agent/runs/OWN'],
      [200, 'POST', '/harness-support/report-artifact', report],
      [404, 'GET', `/agent/runs/${other}`],
      [404, 'POST', '/harness-support/report-artifact', report, { 'X-Warp-Cloud-Agent-ID': other }],
      [403, 'GET', '/agent/runs'],
      [403, 'POST', '/agent/runs', { prompt: 'x' }],
      [403, 'POST', '/agent/runs/OWN/cancel'],
      [403, 'POST', '/agent/runs/OWN/followups', { message: 'x' }],
      [403, 'POST', '/agent/keys', { name: 'x' }],
      [403, 'GET', '/agent/schedules'],
      [403, 'POST', '/worker/claim', { worker_id: 'w', capacity: 1, harnesses: [] }],
      [403, 'GET', '/worker/runs/OWN/lease'],
      [403, 'POST', '/worker/skills/claim'],
    ];
    const wanted = calls.map(([, ...call]) => call);
    const look = `for f in owner.key worker.key blobs database worker/mirrors worker/runs/${other}; do [ -e ${dataDir}/$f ] && echo sees $f; done`;
    const node = `${process.execPath} --input-type=module -e`;
    const agent = await create(
      script(
        { shell: `${look}; ${node} ${quoted(ASK)} ${quoted(JSON.stringify(wanted))}` },
        { say: 'done' },
      ),
    );
    expect(await ended(agent)).toBe('SUCCEEDED');
    const { rows } = await service.context.database.pool.query<{ text: string }>(
      `select string_agg(data->>'output_delta', '' order by position) as text
       from run_events where run_id = $1`,
      [agent],
    );
    expect(rows[0]?.text).toBe(
      calls.map(([status, method, path]) => `${status} ${method} ${path}\n`).join(''),
    );
    expect(readdirSync(dataDir)).toContain('owner.key');
    const run_key = runKeyText(service.context.secrets.runKey, agent, 1);
    const late = await fetch(`${apiBaseUrl}/agent/runs/${agent}`, {
      headers: { authorization: `Bearer ${run_key}` },
    });
    expect(late.status).toBe(401);
  });
});

describe('where the keys lie (threats.md S16)', () => {
  it('nothing can be shown to runs, whatever the operator adds to the list', async () => {
    for (const shown of ['.', 'data', 'data/app.env', 'data/blobs']) {
      const above = temporaryDirectory();
      const dataDir = join(above, 'data');
      mkdirSync(join(dataDir, 'blobs'), { recursive: true });
      writeFileSync(join(dataDir, 'app.env'), 'PRIVATE_KEY=x');
      await expect(serve(dataDir, [join(above, shown)])).rejects.toMatchObject({
        code: 'data_shown',
      });
      expect(readdirSync(dataDir)).toEqual(['app.env', 'blobs']);
    }
  });

  it.each([
    ['serve'],
    ['worker', '--base-url', 'http://127.0.0.1:9/api/v1'],
    ['app', '--base-url', 'http://127.0.0.1:9/api/v1'],
    ['start'],
  ])('is not below what every run sees: runlink %s', async (...words) => {
    const data = ['--data', '/opt/runlink-test/data'];
    const { code, stderr } = await runCliCommand([...words, ...data], { RUNLINK_API_KEY: 'k' });
    expect(code).not.toBe(0);
    expect(stderr).toContain('must hold no keys');
  });
});

describe('runlink doctor (threats.md S16)', () => {
  it('prints everything that a run sees and why, and what the operator added', async () => {
    const dir = temporaryDirectory();
    const config = join(dir, 'runlink.yaml');
    writeFileSync(config, `sandbox: {read_only: [${dir}]}\n`);
    const { stdout } = await runCliCommand(['doctor', '--config', config]);
    for (const part of [
      'sandbox bwrap',
      '/usr',
      '/etc/ssl/certs',
      '/etc/passwd',
      'programs and libraries',
      'time zone',
      'certificates',
      dir,
      'sandbox.read_only of runlink.yaml',
    ])
      expect(stdout).toContain(part);
    expect(stdout).toMatch(/git version/);
    expect(stdout).toMatch(/✓ agent demo/);
  });

  it('says that `direct` isolates nothing', async () => {
    const config = join(temporaryDirectory(), 'runlink.yaml');
    writeFileSync(config, 'sandbox: {driver: direct}\n');
    const { stdout } = await runCliCommand(['doctor', '--config', config]);
    expect(stdout).toContain('sandbox direct: agents are not isolated');
  });
});
