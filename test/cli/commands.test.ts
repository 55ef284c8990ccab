import { randomUUID } from 'node:crypto';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exit-code.ts';
import type { Lease } from '../../src/contract/lease.ts';
import type { Schedule } from '../../src/contract/schedule.ts';
import { decideLogin } from '../../src/service/keys/login-requests.ts';
import { runCliHere } from '../support/cli-here.ts';
import { driveRuns, startDriver, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';

const execute = promisify(execFile);
const ENVIRONMENT = 'abcdefghijklmnopqrstuv';
const directory = mkdtempSync(join(tmpdir(), 'runlink-cli-'));
let service: TestService;
let runs: RunDriver;
let env: Record<string, string>;

beforeAll(async () => {
  const config = {
    environments: [
      { id: ENVIRONMENT, name: 'web', repositories: [{ owner: 'acme', repo: 'web' }] },
    ],
  };
  let key = '';
  ({ service, key } = await startDriver(() => startTestService({ config })));
  runs = driveRuns(service, key, await service.workerKey('default'));
  env = {
    RUNLINK_BASE_URL: service.url,
    RUNLINK_API_KEY: key,
    XDG_CONFIG_HOME: directory,
    NO_COLOR: '1',
    LC_ALL: 'C.UTF-8',
  };
});
afterAll(async () => {
  rmSync(directory, { recursive: true });
  await service.close();
});

interface Artifact {
  artifact_type: string;
  data: { artifact_uid: string };
}

const cli = (line: string, columns?: number, more: Record<string, string> = {}) =>
  runCliHere(line.split(' '), { ...env, ...more }, columns);
const json = async (line: string) => JSON.parse((await cli(line)).stdout) as never;

describe('runs', () => {
  it('are started with what the options say, and named in every way', async () => {
    const image = join(directory, 'shot.png');
    writeFileSync(image, Buffer.from('89504e470d0a1a0a', 'hex'));
    const agent = (await json('agents create fixer --json=uid')) as { uid: string };
    const made = await cli(
      `run do it --environment web --harness demo --mode plan --as fix --title T --metadata a=b --attach ${image}`,
    );
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const id = made.stdout.trim();
    expect(await runs.get(id)).toMatchObject({
      prompt: 'do it',
      title: 'T',
      mode: 'plan',
      source: 'CLI',
      metadata: { a: 'b' },
      agent_config: { environment_id: ENVIRONMENT, harness: { type: 'demo' } },
      executor: { uid: agent.uid },
    });
    const piped = (await cli(`runs get ${id}`)).stdout;
    expect(piped).toMatch(new RegExp(`^environment +web \\(${ENVIRONMENT}\\)$`, 'm'));
    expect((await cli(`runs get ${id}`, 120)).stdout).toMatch(/^environment +web$/m);
    for (const name of [id, id.slice(0, 8), id.slice(0, 5), '@last', `${service.url}/runs/${id}`])
      expect(await json(`runs get ${name} --json=run_id`)).toEqual({ run_id: id });

    const again = (await json(`runs retry @last --harness codex --json`)) as { run_id: string };
    expect(await runs.get(again.run_id)).toMatchObject({
      prompt: 'do it',
      title: 'T',
      mode: 'plan',
      metadata: { a: 'b' },
      agent_config: { environment_id: ENVIRONMENT, harness: { type: 'codex' } },
      executor: { uid: agent.uid },
    });
    expect((await cli(`runs follow ${again.run_id} and that`)).stdout).toContain(
      'joins its prompt',
    );
    expect((await cli(`runs cancel ${again.run_id.slice(0, 8)}`)).stdout).toContain('Cancelled');
    expect((await cli(`runs cancel ${again.run_id}`)).code).toBe(EXIT_CODES.failed[0]);
  });

  it('are found by the filters of the contract', async () => {
    const id = await runs.create({ prompt: 'other', title: 'Needle', metadata: { k: 'v' } });
    const find = async (filters: string) =>
      ((await json(`runs list ${filters} --json=run_id`)) as { run_id: string }[]).map(
        (run) => run.run_id,
      );
    for (const filters of [
      '--metadata k=v',
      '--limit 10000',
      '--query needle',
      '--state queued --environment empty-environment --since 1h',
      `--updated-since 2020-01-01 --until ${new Date(Date.now() + 60_000).toISOString()} --source api`,
    ])
      expect(await find(filters)).toContain(id);
    expect(await find('--environment web --state queued')).not.toContain(id);
    expect(await find('--since 2999-01-01')).toEqual([]);
    expect(await cli('runs list --state nonsense')).toMatchObject({ code: 2 });
    expect(await find('--state queued')).toContain(id);
    expect((await cli('runs --state queued --json=run_id')).stdout).toContain(id);
    for (const [words, said] of [
      ['runs shwo', 'runs has no command "shwo"'],
      ['keys shwo', 'keys has no command "shwo"'],
      ['runs list all', 'list takes no "all"'],
    ] as const) {
      const wrong = await cli(words);
      expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining(said)]);
    }
    expect(await cli('runs list --since yesterday')).toMatchObject({ code: 2 });
  });

  it('are shown to people short, and to pipes in full', async () => {
    const id = await runs.create({ prompt: 'p', title: '漢字 \u001B[31mred\u202E' });
    const wide = (await cli(`runs list --query ${id}`, 120)).stdout;
    expect(wide).toContain(`${id.slice(0, 8)}  `);
    expect(wide).toMatch(/Queued +漢字 red⟨U\+202E⟩/);
    expect(wide).not.toContain(id);
    const narrow = (await cli(`runs list --query ${id}`, 40)).stdout;
    expect(narrow).toMatch(/^[0-9a-f]{8} {2}. Queued {2}漢字 red/);
    expect((await cli(`runs list --query ${id}`)).stdout).toContain(`${id}  QUEUED`);
    expect((await cli(`runs get ${id}`, 120, { TERM: 'dumb' })).stdout).toContain('. Queued');
  });
});

/** A run that a worker has begun, in a lane of its own. */
async function begun(host = randomUUID()): Promise<Lease> {
  await runs.create({ config: { worker_host: host } });
  return taken(host);
}

async function taken(host: string): Promise<Lease> {
  const lease = await runs.claim({ host });
  if (!lease) throw new Error('not claimed');
  await runs.report(lease, 'acknowledge');
  return lease;
}

describe('what a run did', () => {
  it('is told as it streams, by people’s and scripts’ rules', async () => {
    const lease = await begun();
    const id = lease.run_id;
    const at = new Date().toISOString();
    const diff = 'diff --git a/a b/a\n+\u001B[31mred\n';
    const events = [
      {
        type: 'message',
        message_id: 'm',
        role: 'assistant',
        delta: 'Look: **bold** &#27;[2J\u001B[2J',
      },
      {
        type: 'tool_call',
        call_id: 'c',
        kind: 'execute',
        title: 't',
        input: { command: 'npm test' },
        status: 'failed',
        exit_code: 3,
        output_delta: 'one\n\u001B[31mtwo\u001B[0m\n',
      },
      { type: 'plan', entries: [{ content: 'step', status: 'completed' }] },
      {
        type: 'changes',
        base_sha: 'b',
        files: [{ path: 'a', status: 'added', additions: 1, deletions: 0 }],
        diff,
      },
      { type: 'usage', usage: { total_tokens: 1234, inference_cost_usd: 0.42 } },
    ].map((event, index) => ({ seq: index + 1, at, ...event }));
    await runs.report(lease, 'events', { events });
    const watched = cli(`runs watch ${id}`);
    await runs.complete(lease, 'BLOCKED');
    const { code, stdout, stderr } = await watched;
    expect(code).toBe(EXIT_CODES.runBlocked[0]);
    expect(stderr).toContain(`Answer it: runlink runs follow ${id}`);
    expect(stdout).toContain('$ npm test  exit 3');
    expect(stdout).toContain('    two\n');
    expect(stdout).toContain('Plan 1/1');
    expect(stdout).toContain('$0.42');
    expect(stdout).not.toContain('\u001B');

    const lines = (await cli(`runs watch ${id} --json`)).stdout.trim().split('\n');
    const parsed = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(parsed.at(-1)).toMatchObject({ run_id: id, state: 'BLOCKED' });
    expect(parsed.slice(0, -1).every((entry) => Array.isArray(entry['events']))).toBe(true);
    const alone = (await cli(`runs watch ${id} --json=state`)).stdout;
    expect(alone).toBe('{"state":"BLOCKED"}\n');
    const entries = (await cli(`runs entries ${id} --type plan --json=position,events`)).stdout;
    expect(JSON.parse(entries)).toMatchObject({ events: [{ type: 'plan' }] });

    const sought = async (words: string) => (await cli(`runs entries ${id} ${words}`)).stdout;
    expect(await sought('--query TWO')).toContain('npm test');
    expect(await sought('--query bold --failed')).toBe('');
    expect(await sought('--failed --json=position')).toBe(await sought('-q two --json=position'));
    expect((await cli(`runs list --query ${id}`)).stdout).toContain('+1 -0');

    expect((await cli(`runs diff ${id}`)).stdout).toBe(diff);
    expect((await cli(`runs diff ${id}`, 80)).stdout).toBe('diff --git a/a b/a\n+red\n');
    expect((await cli(`runs diff ${id} --stat`)).stdout).toMatch(/added +\+1 +-0 +a/);
    expect((await cli(`runs timeline ${id} --json=event_type`)).stdout).toContain('oz_run_blocked');
    expect((await cli(`runs scores ${id}`)).stderr).toContain('Nobody has scored');
    const made = (await json(`runs artifacts ${id} --json`)) as Artifact[];
    const plan = made.find(({ artifact_type: type }) => type === 'PLAN')?.data.artifact_uid;
    const file = join(directory, `${id}.md`);
    expect((await cli(`artifacts download ${plan} -o ${file}`)).stdout).toContain('Saved');
    expect(readFileSync(file, 'utf8')).toContain('- [x] step');
    expect((await cli(`runs transcript ${id}`, 80)).stdout).not.toMatch(/[\u001B\u0080-\u009F]/);
  });

  it.each([
    ['SUCCEEDED', 0],
    ['FAILED', 3],
    ['ERROR', 3],
    ['CANCELLED', 5],
  ])('ends a watch of a run that is %s with %i', async (state, code) => {
    const lease = state === 'CANCELLED' ? { run_id: await runs.create() } : await begun();
    const id = lease.run_id;
    if ('token' in lease) await runs.complete(lease, state);
    else await cli(`runs cancel ${id}`);
    expect(await cli(`runs watch ${id}`)).toMatchObject({ code });
  });
});

describe('schedules and agents', () => {
  it('are made, changed by options or in an editor, run now and deleted', async () => {
    await cli('agents create helper --description old');
    await cli('agents edit helper --description new --model m');
    expect(await json('agents get helper --json=description,base_model')).toEqual({
      description: 'new',
      base_model: 'm',
    });
    const made = await runCliHere(
      [
        'schedules',
        'create',
        'nightly',
        '--cron',
        '0 3 * * *',
        '--prompt',
        'p',
        '-e',
        'web',
        '--as',
        'helper',
      ],
      env,
    );
    expect(made.stdout).toContain('nightly');
    await runCliHere(
      ['schedules', 'edit', 'night', '--cron', '0 4 * * *', '--harness', 'demo'],
      env,
    );
    expect((await cli('schedules get nightly', 120)).stdout).toMatch(/environment id +web$/m);
    expect(await json('schedules get nightly --json')).toMatchObject({
      cron_schedule: '0 4 * * *',
      prompt: 'p',
      agent_config: { environment_id: ENVIRONMENT, harness: { type: 'demo' } },
    });
    const id = (await cli('schedules run nightly')).stdout.trim();
    expect(await runs.get(id)).toMatchObject({
      prompt: 'p',
      agent_config: { environment_id: ENVIRONMENT },
      schedule: { schedule_name: 'nightly' },
    });

    const editor = join(directory, 'editor.sh');
    writeFileSync(editor, 'sed -i "s/^prompt: p$/prompt: q/" "$1"', { mode: 0o755 });
    Object.assign(process.stdin, { isTTY: true });
    try {
      await cli('schedules edit nightly', 100, { VISUAL: `sh ${editor}`, CI: '' });
      expect(await json('schedules get nightly --json=prompt')).toEqual({ prompt: 'q' });
      writeFileSync(editor, 'sed -i "s/^cron_schedule.*/cron_schedule: 7/" "$1"');
      const refused = await cli('schedules edit nightly', 100, { VISUAL: `sh ${editor}`, CI: '' });
      expect(refused).toMatchObject({ code: 1 });
      expect(refused.stderr).toMatch(/nightly\.yaml:2:\d+[^]*Your text is kept in/);
    } finally {
      Object.assign(process.stdin, { isTTY: false });
    }
    expect((await cli('schedules edit nightly')).code).toBe(2);
    const bare = ['schedules', 'edit', 'nightly', '--no-environment', '--as', ''];
    expect((await runCliHere(bare, env)).code).toBe(0);
    const { agent_config, agent_uid } = (await json('schedules get nightly --json')) as Schedule;
    expect([agent_config?.environment_id, agent_uid]).toEqual([undefined, undefined]);
    for (const missing of ['', ' --cron x', ' --cron x --prompt p'])
      expect((await cli(`schedules create other${missing}`)).code).toBe(2);
    for (const verb of ['pause', 'resume'])
      expect((await cli(`schedules ${verb} nightly`)).code).toBe(0);
    expect((await cli('schedules delete nightly')).stdout).toContain('Deleted nightly');
    expect((await cli('agents delete helper')).code).toBe(0);
  });
});

/** A terminal on which a run is watched, and what stands on it. */
function watchOnTerminal(runId: string) {
  const main = join(import.meta.dirname, '../../src/cli/main.ts');
  const command = `stty cols 100 rows 30; '${process.execPath}' '${main}' runs watch ${runId}`;
  const terminal = spawn('script', ['-qefc', command, '/dev/null'], {
    env: { ...process.env, ...env, CI: '', TERM: 'xterm-256color', FORCE_COLOR: undefined },
  });
  const shown = { text: '' };
  terminal.stdout.on('data', (chunk: Buffer) => (shown.text += chunk.toString()));
  const shows = (text: string) =>
    vi.waitFor(
      () => expect(shown.text.includes(text), `${text} in ${shown.text.slice(-600)}`).toBe(true),
      30_000,
    );
  return { terminal, closed: once(terminal, 'close'), shown, shows };
}

it('goes on with a run that a message started again, and keeps a draft at its end', async () => {
  const host = randomUUID();
  const lease = await begun(host);
  const { terminal, closed, shown, shows } = watchOnTerminal(lease.run_id);
  await shows('Working');
  const question = { state: 'BLOCKED', message: 'Which colour?', last_signal: 0 };
  await runs.report(lease, 'complete', question);
  await shows('? Which colour?');
  await shows('waits for your answer');
  terminal.stdin.write('the blue one\r');
  await shows('starts again with the message');
  const again = await taken(host);
  terminal.stdin.write('and then');
  await shows('and then▏');
  await runs.complete(again, 'SUCCEEDED');
  await closed;
  expect(shown.text).toContain('Not sent: and then');
  expect(terminal.exitCode).toBe(0);
});

it('lets a person at a terminal watch, type and leave', async () => {
  const lease = await begun();
  const { terminal, closed, shown, shows } = watchOnTerminal(lease.run_id);
  const at = new Date().toISOString();
  const events = [
    {
      type: 'message',
      message_id: 'm',
      role: 'assistant',
      delta: 'I **look** \u001B[2J\u001B]0;x\u0007',
    },
    {
      type: 'tool_call',
      call_id: 'c',
      kind: 'execute',
      title: 't',
      input: { command: 'npm test' },
      status: 'running',
    },
    {
      type: 'plan',
      entries: [
        { content: 'First', status: 'completed' },
        { content: 'Second', status: 'in_progress' },
      ],
    },
  ].map((event, index) => ({ seq: index + 1, at, ...event }));
  await runs.report(lease, 'events', { events });
  await shows('I look');
  await shows('$ npm test');
  await shows('Plan 1/2');
  await shows('Working');
  expect(shown.text).not.toContain('\u001B]0;');
  terminal.stdin.write('and the docs\r');
  await shows('gets the message next');
  const { db } = service.service.context;
  const followups = await db
    .selectFrom('run_followups')
    .selectAll()
    .where('run_id', '=', lease.run_id)
    .execute();
  expect(followups.map(({ message }) => message)).toEqual(['and the docs']);
  terminal.stdin.write('\u0003');
  await shows('d: leave it working');
  terminal.stdin.write('d');
  await closed;
  expect(shown.text).toContain('The run goes on');
  expect(terminal.exitCode).toBe(130);
  expect((await runs.get(lease.run_id)).state).toBe('INPROGRESS');
});

it('completes commands, options, values, and names and ids of the service', async () => {
  const id = await runs.create({ title: 'Complete me' });
  const words = async (...typed: string[]) =>
    (await runCliHere(['__complete', ...typed], env)).stdout
      .split('\n')
      .map((line) => line.split('\t')[0]);
  expect(await words('sch')).toEqual(['schedules', '']);
  expect(await words('runs', 'di')).toEqual(['diff', '']);
  expect(await words('runs', 'list', '--art')).toEqual(['--artifact-type', '']);
  expect(await words('run', '--on-interrupt', 'c')).toEqual(['cancel', '']);
  expect(await words('run', '--mode', 'p')).toEqual(['plan', '']);
  expect(await words('run', '--harness', 'cod')).toEqual(['codex', '']);
  expect(await words('runs', 'list', '--state', 'succ')).toEqual(['succeeded', '']);
  // Zsh would show the sign between a word and its help.
  const states = await runCliHere(['__complete', 'runs', 'list', '--state', 'succ'], env);
  expect(states.stdout).toBe('succeeded\n');
  expect(await words('run', 'p', '-e', 'w')).toEqual(['web', '']);
  expect(await words('runs', 'get', '')).toEqual(expect.arrayContaining(['@last', id.slice(0, 8)]));
  expect(await words('runs', 'get', '--json=state', id.slice(0, 4))).toEqual([id.slice(0, 8), '']);
  expect(await words('environments', 'get', '')).toEqual(['web', '']);
  const nowhere = { ...env, RUNLINK_API_KEY: 'rl_wrong' };
  expect(await runCliHere(['__complete', 'runs', 'get', ''], nowhere)).toEqual({
    code: 0,
    stdout: '',
    stderr: '',
  });

  const script = (await cli('completion bash')).stdout;
  const main = join(import.meta.dirname, '../../src/cli/main.ts');
  const asked = `runlink() { '${process.execPath}' '${main}' "$@"; }
${script}
COMP_WORDS=(runlink runs chec); COMP_CWORD=2; _runlink 2>/dev/null; echo "\${COMPREPLY[@]}"
COMP_WORDS=(runlink runs get @ l); COMP_CWORD=4; _runlink 2>/dev/null; echo "\${COMPREPLY[@]}"`;
  // Not in one go: the service that is asked works in this process.
  const { stdout } = await execute('bash', ['-c', asked], { env: { ...process.env, ...env } });
  expect(stdout).toBe('checkout\n@last\n');
});

it('shows where time and money went', async () => {
  await runs.complete(await begun(), 'SUCCEEDED');
  await vi.waitFor(async () => {
    const { stdout } = await cli('stats --by environment --since 7d', 100);
    expect(stdout).toMatch(/runs +[▁▂▃▄▅▆▇█]{7}█ \d+/);
    expect(stdout).toMatch(/success +\d+%/);
    expect(stdout).toMatch(/NAME[^]*No environment +\d/);
  }, 30_000);
  expect(await json('stats --json=bucket')).toEqual({ bucket: 'day' });
  expect((await cli('stats --bucket year')).code).toBe(2);
});

describe('a contract for scripts', () => {
  const error = (text: string) => (JSON.parse(text) as { error: Record<string, unknown> }).error;

  it('has errors as JSON and an exit code for each kind', async () => {
    const unknown = await cli('runs get 00000000-0000-4000-8000-000000000000 --json');
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(error(unknown.stderr)).toMatchObject({
      code: 'resource_not_found',
      status: 404,
      exit_code: 1,
    });
    const wrong = await cli('runs list --nonsense --json');
    expect(wrong.code).toBe(2);
    expect(error(wrong.stderr)).toMatchObject({ code: 'invalid_option', exit_code: 2 });
    const field = await cli('runs list --json=run_id,nonsense');
    expect(error(field.stderr)).toMatchObject({
      exit_code: 2,
      hint: expect.stringContaining('run_id') as string,
    });
    for (const line of [
      'whoami',
      'keys list',
      'login',
      'logout',
      'runs cancel x',
      'runs retry @last',
    ])
      expect(error((await cli(`${line} --json=nonsense`)).stderr)).toMatchObject({ exit_code: 2 });
    const completion = await cli('completion bash --json');
    expect(error(completion.stderr)['message']).toBe("unknown option '--json'");
    const left = await cli('logout --json --profile nobody');
    expect([left.code, left.stderr]).toEqual([7, '{"notice":"You are not signed in."}\n']);
    const key = await cli('whoami --json', undefined, { RUNLINK_API_KEY: 'rl_wrong' });
    expect(error(key.stderr)).toMatchObject({ code: 'authentication_required', exit_code: 7 });
    expect(
      (await cli('whoami', undefined, { RUNLINK_API_KEY: '', RUNLINK_BASE_URL: '' })).code,
    ).toBe(2);
    expect(await json('environments list --json=uid')).toEqual([{ uid: ENVIRONMENT }]);
    expect(await json('environments get web --json=uid')).toEqual({ uid: ENVIRONMENT });
  });

  it.each([
    ['runs list', 0],
    ['runs watch 00000000-0000-4000-8000-000000000000', 1],
  ])(
    '%s says after two seconds that nobody is there, and ends after fifteen',
    async (line, also) => {
      const free = createServer().listen(0, '127.0.0.1');
      await once(free, 'listening');
      const { port } = free.address() as AddressInfo;
      await new Promise((done) => free.close(done));
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
      try {
        const ended = { is: false };
        const address = { RUNLINK_BASE_URL: `http://127.0.0.1:${port}` };
        const gone = cli(`${line} --json`, undefined, address).finally(() => (ended.is = true));
        const from = performance.now();
        while (!ended.is) await vi.advanceTimersByTimeAsync(100);
        const { code, stderr } = await gone;
        const [said = '', ...more] = stderr.trim().split('\n');
        const { notice } = JSON.parse(said) as { notice: string };
        expect(notice).toMatch(/^Cannot reach 127\.0\.0\.1:\d+ \(.*ECONNREFUSED.*\), retrying …$/);
        expect(more.splice(0, more.length - 1).map((each) => each.includes('Follow it: '))).toEqual(
          Array.from({ length: also }, () => true),
        );
        expect(error(more[0] ?? '')).toMatchObject({
          exit_code: 6,
          message: expect.stringMatching(/could not be reached \(.*ECONNREFUSED/),
        });
        expect(code).toBe(6);
        expect(performance.now() - from).toBeLessThan(16_000);
      } finally {
        vi.useRealTimers();
      }
    },
  );
});

it('is written in ASCII where the terminal shows no more', async () => {
  const title = 'a-title-that-is-longer-than-the-terminal-is-wide-so-it-is-cut-off';
  const id = (await cli(`run x --no-environment --title ${title}`)).stdout.trim();
  const other = /[^\0-\x7f]/;
  const ascii = expect.not.stringMatching(other);
  for (const line of [
    '--help',
    'worker --help',
    'keys',
    'stats',
    'runs get no',
    `runs get ${id}`,
  ]) {
    const { stdout, stderr } = await cli(line, 60, { LC_ALL: 'C' });
    expect({ line, stdout, stderr }).toEqual({ line, stdout: ascii, stderr: ascii });
  }
  for (const terminal of [{ LC_ALL: '', LC_CTYPE: '', LANG: 'de_DE' }, { TERM: 'dumb' }]) {
    const { stdout } = await cli(`runs list --query ${id}`, 60, terminal);
    expect(stdout).toContain('...');
    expect(stdout).not.toMatch(other);
  }
});

it('says of a run without changes that it has none', async () => {
  const lease = await begun();
  const at = new Date().toISOString();
  const events = [{ type: 'changes', seq: 1, at, base_sha: 'b', files: [] }];
  await runs.report(lease, 'events', { events });
  const { code, stderr } = await cli(`runs diff ${lease.run_id}`);
  expect([code, stderr]).toEqual([1, expect.stringContaining('has changed no files so far')]);
});

it.each([
  'runs get http://',
  'run x --harness nope',
  'run x --mode nope',
  'skills --repo x',
  'runs entries @last --type nope',
  'runs watch x --all',
])('takes "%s" for wrong use', async (line) => expect((await cli(line)).code).toBe(2));

describe('signing in', () => {
  it('takes a key that a person approved in a browser, and gives it back', async () => {
    const { db } = service.service.context;
    const own = { RUNLINK_API_KEY: '', RUNLINK_BASE_URL: '' };
    const login = runCliHere(['login', service.url, '--profile', 'work', '--no-browser'], {
      ...env,
      ...own,
    });
    const code = await vi.waitFor(async () => {
      const row = await db
        .selectFrom('login_requests')
        .select('user_code')
        .executeTakeFirstOrThrow();
      return row.user_code;
    }, 20_000);
    const owner = await db.selectFrom('memberships').selectAll().executeTakeFirstOrThrow();
    const person = {
      userId: owner.user_id,
      teamId: owner.team_id,
      displayName: 'owner',
      keyEndsAt: null,
    };
    await decideLogin(db, code, person, true);
    const { stderr } = await login;
    expect(stderr).toContain(`Your code: ${code}`);
    expect(stderr).toContain('Signed in');
    const file = join(directory, 'runlink/profiles.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(directory, 'runlink')).mode & 0o777).toBe(0o700);
    expect((await cli('whoami', undefined, own)).stdout).toContain('work');
    const { profiles } = JSON.parse(readFileSync(file, 'utf8')) as {
      profiles: Record<string, { api_key: string }>;
    };
    const key = profiles['work']?.api_key ?? '';
    // A profile's key goes to its own service alone.
    const elsewhere = await cli('whoami', undefined, {
      ...own,
      RUNLINK_BASE_URL: 'http://127.0.0.1:1',
    });
    expect(elsewhere.code).toBe(7);

    const made = await cli('keys create --name laptop', undefined, own);
    expect(made.stdout).toMatch(/^rl_[\w-]+\n$/);
    expect((await cli('keys', undefined, own)).stdout).toContain('laptop');
    expect((await cli('keys revoke laptop', undefined, own)).code).toBe(0);
    expect((await cli('logout', undefined, own)).stderr).toContain('Signed out');
    expect((await service.request('GET', '/agent/whoami', { key })).status).toBe(401);
    expect((await cli('whoami', undefined, own)).code).toBe(2);
  });
});

it('finds the environment by the repository one stands in, or takes the only one', async () => {
  const clone = join(directory, 'clone');
  execFileSync('git', ['init', '-q', clone]);
  execFileSync('git', ['-C', clone, 'remote', 'add', 'origin', 'git@github.com:Acme/web.git']);
  const before = process.cwd();
  process.chdir(clone);
  try {
    const { stdout, stderr } = await cli('run p');
    expect(stderr).toContain('Environment web, which has acme/web.');
    expect((await runs.get(stdout.trim())).agent_config?.environment_id).toBe(ENVIRONMENT);
    const without = await cli('run p --no-environment');
    expect((await runs.get(without.stdout.trim())).agent_config?.environment_id).toBeUndefined();
    execFileSync('git', ['remote', 'set-url', 'origin', 'https://github.com/acme/other.git']);
    expect((await cli('run p')).stderr).toContain('No environment has acme/other');
    execFileSync('git', ['remote', 'remove', 'origin']);
    const only = await cli('run p');
    expect(only.stderr).toContain('Environment web, the only one there is.');
    expect((await runs.get(only.stdout.trim())).agent_config?.environment_id).toBe(ENVIRONMENT);
  } finally {
    process.chdir(before);
  }
});
