import { existsSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { BUILT_IN } from '../../src/worker/profile/built-in.ts';
import type { Ability, Profile } from '../../src/worker/profile/profile.ts';
import type { HarnessSettings } from '../../src/config/harness.ts';
import { SEEN_NODE } from '../support/worker-bench.ts';
import { gitIn } from '../support/worker-remote.ts';
import { installAgent, type Installed } from './install-agent.ts';
import {
  MCP_SERVER,
  openStage,
  outputOf,
  REAL_KEY,
  toolsOf,
  WORKSPACE,
  type Stage,
} from './stage.ts';

const REAL = Object.values(BUILT_IN).filter(({ packages }) => packages.length > 0);
const CHOSEN = (process.env['RUNLINK_AGENTS'] ?? 'codex').split(',');
const SHOWN = REAL.filter(({ name }) => CHOSEN.includes(name) || CHOSEN[0] === 'all');
/** A model id of each agent's own world, which is not its default. */
const MODELS: Record<string, string> = {
  claude: 'claude-haiku-4-5',
  codex: 'gpt-5.4',
  gemini: 'gemini-2.5-flash',
  opencode: 'gpt-4.1',
  pi: 'claude-haiku-4-5',
};

/** Says loudly what this agent cannot do; the test then shows what happens instead. */
function lacking({ name, lacks }: Profile, ability: Ability): boolean {
  const reason = lacks[ability];
  if (reason !== undefined) process.stderr.write(`\nCANNOT: ${name}: ${ability}: ${reason}\n`);
  return reason !== undefined;
}

/** Opens stages for an agent; its tests are skipped where it cannot be installed. */
function stagesOf(profile: Profile) {
  let installed: Installed | undefined;
  beforeAll(async () => {
    installed = await installAgent(profile);
  });
  return (
    context: { skip(note: string): never },
    settings?: Partial<HarnessSettings>,
  ): Promise<Stage> => {
    if (!installed) return context.skip(`${profile.name} is not installed`);
    return openStage(profile, installed.bin, settings);
  };
}

describe.each(SHOWN)('$name', (profile) => {
  const stage = stagesOf(profile);

  it('is here in the versions that its profile states', async (context) => {
    const installed = await installAgent(profile);
    if (!installed) context.skip(`${profile.name} is not installed`);
    const stated = profile.packages.map(({ name, version }) => [name, version]);
    expect(installed?.versions).toEqual(Object.fromEntries(stated));
  });

  it('edits, runs commands, and its work and use are told', async (context) => {
    const { work, run, finished, remote, service } = await stage(context);
    await work();
    const done = await finished(
      run([
        { write: { path: `${WORKSPACE}/notes.md`, content: 'hello\n' } },
        { shell: 'git add notes.md; git commit -qm added; echo out' },
        { shell: 'echo oops; exit 3' },
        { say: 'All done.' },
      ]),
    );
    expect(done.completed).toMatchObject([{ state: 'SUCCEEDED', message: 'All done.' }]);
    expect(gitIn(remote, 'show', `${done.completed[0]?.branch}:notes.md`)).toBe('hello\n');
    expect(service.pulls).toHaveLength(1);
    expect(toolsOf(done).some(({ kind }) => kind === 'edit')).toBe(true);
    const shown = toolsOf(done).find(({ diff }) => diff)?.diff;
    const diff = { path: 'notes.md', old_text: expect.toBeOneOf([null, '']), new_text: 'hello\n' };
    expect(shown).toEqual(lacking(profile, 'diffs') ? undefined : diff);
    expect(outputOf(done)).toContain('oops');
    const tells = !lacking(profile, 'exit codes');
    expect(toolsOf(done).some(({ exit_code }) => exit_code === 3)).toBe(tells);
    // Four calls of 110 tokens; some agents also ask for a title, maybe of another model.
    const used = (done.completed[0]?.usage?.model_token_usage ?? []).map(
      (each) => each.total_tokens,
    );
    expect(Math.max(...used)).toBeGreaterThanOrEqual(440);
    expect(done.completed[0]?.usage?.total_tokens).toBe(used.reduce((sum, each) => sum + each, 0));
    expect(JSON.stringify(done.events)).not.toContain(REAL_KEY);
  });

  it('is given the run’s model, instructions and skills', async (context) => {
    const { work, run, finished, model } = await stage(context);
    await work();
    const wanted = MODELS[profile.name] ?? '';
    const done = await finished(
      run([{ say: 'ok' }], {
        base_prompt: 'The password is swordfish.',
        skills: [
          { name: 'sailing', path: 'SKILL.md', content: 'Always hoist the jib.' },
          { name: 'mooring', path: 'SKILL.md', content: 'Tie a bowline.' },
        ],
        config: { harness: { type: 'tested', model_id: wanted, reasoning_level: 'high' } },
      }),
    );
    expect(done.state).toBe('SUCCEEDED');
    const told = JSON.stringify(model.asked);
    expect(told).toContain('The password is swordfish.');
    expect(told).toContain('Always hoist the jib.');
    expect(told).toContain('Tie a bowline.');
    expect(told).toContain(wanted);
    expect(done.completed[0]?.usage?.model_token_usage?.[0]?.model_id).toContain(wanted);
  });

  it('sees no key of the worker and none of its variables', async (context) => {
    const { work, run, finished } = await stage(context);
    await work();
    const done = await finished(run([{ shell: 'env; cat /proc/1/environ' }, { say: 'ok' }]));
    expect(outputOf(done)).toContain('RUNLINK_RUN_ID=');
    expect(outputOf(done)).not.toContain(REAL_KEY);
    expect(outputOf(done)).not.toContain('VITEST');
  });

  it('calls a tool of the run’s MCP server', async (context) => {
    const { work, run, finished, model } = await stage(context);
    await work();
    const lookup = { mcp: { server: 'tiny', tool: 'lookup', input: { q: 'zebra' } } };
    const tiny = { command: SEEN_NODE, args: [MCP_SERVER] };
    const done = await finished(
      run([lookup, { say: 'ok' }], { config: { mcp_servers: { tiny } } }),
    );
    expect(done.state).toBe('SUCCEEDED');
    const lacks = lacking(profile, 'mcp');
    const notice = done.events.find((event) => event.type === 'notice');
    expect(notice?.text.includes('without the MCP servers') ?? false).toBe(lacks);
    expect(outputOf(done).includes('answer for zebra')).toBe(!lacks);
    const told = JSON.stringify(model.asked.at(-1));
    expect(told.includes('answer for zebra')).toBe(!lacks);
  });
});

describe.each(SHOWN)('$name, asked or told to stop,', (profile) => {
  const stage = stagesOf(profile);
  const cannotAsk = {
    error_code: 'integration_not_configured',
    message: expect.stringContaining(profile.lacks.permissions ?? 'it cannot'),
  };
  it('asks before it acts, and is granted it', async (context) => {
    const { work, run, finished, fileOf } = await stage(context, { permissions: 'granted' });
    await work();
    const write = { write: { path: `${WORKSPACE}/asked.md`, content: 'x\n' } };
    const done = await finished(run([write, { say: 'ok' }]));
    const lacks = lacking(profile, 'permissions');
    expect(done.completed).toMatchObject([lacks ? cannotAsk : { state: 'SUCCEEDED' }]);
    const asked = done.events.find((event) => event.type === 'permission');
    expect(asked?.decision).toBe(lacks ? undefined : 'allowed');
    expect(existsSync(fileOf(done, 'asked.md'))).toBe(!lacks);
  });

  it('asks before it acts, is refused, and ends BLOCKED until a follow-up', async (context) => {
    const { work, run, finished, fileOf } = await stage(context, { permissions: 'refused' });
    await work();
    const write = { write: { path: `${WORKSPACE}/refused.md`, content: 'x\n' } };
    const done = await finished(run([write, { say: 'Then I stop.' }]));
    const lacks = lacking(profile, 'permissions');
    expect(done.completed).toMatchObject([lacks ? cannotAsk : { state: 'BLOCKED' }]);
    const asked = done.events.find((event) => event.type === 'permission');
    expect(asked?.decision).toBe(lacks ? undefined : 'denied');
    expect(done.completed[0]?.message).toContain(asked?.title ?? 'cannot ask');
    expect(existsSync(fileOf(done, 'refused.md'))).toBe(false);
    const { run_id } = done.lease;
    const again = await finished(run([{ say: 'Without it.' }], { run_id, attempt: 2 }));
    const goesOn = { state: 'SUCCEEDED', message: 'Without it.' };
    expect(again.completed).toMatchObject([lacks ? cannotAsk : goesOn]);
  });

  it('ends BLOCKED with a question that nobody can answer', async (context) => {
    const { work, run, finished } = await stage(context);
    await work();
    const done = await finished(run([{ ask: 'Which branch?' }, { say: 'I stop here.' }]));
    const asks = { state: 'BLOCKED', message: 'Which branch?' };
    expect(done.completed).toMatchObject([
      lacking(profile, 'questions') ? { state: 'SUCCEEDED' } : asks,
    ]);
  });

  it('stops when cancelled and leaves no process', async (context) => {
    const { work, run, finished, service, fileOf, processesOf } = await stage(context);
    await work();
    const working = run([{ shell: 'echo started; touch here; sleep 177' }, { say: 'never' }]);
    const isWorking = (): boolean =>
      existsSync(fileOf(working, 'here')) && toolsOf(working).length > 0;
    await expect.poll(isWorking, { timeout: 120_000 }).toBe(true);
    service.signal(working, { id: 1, type: 'cancel' });
    const done = await finished(working);
    expect(done.completed).toMatchObject([{ state: 'CANCELLED' }]);
    expect(done.completed[0]?.usage?.total_tokens).toBeGreaterThan(0);
    expect(toolsOf(done).at(-1)?.status).toMatch(/failed|completed/);
    await expect.poll(() => processesOf(done), { timeout: 60_000 }).toEqual([]);
  });
});

describe.each(SHOWN)('$name, when something fails or is taken up again,', (profile) => {
  const stage = stagesOf(profile);

  it.for([
    [400, { state: 'FAILED', error_code: 'invalid_request', retryable: false }],
    [500, { state: 'ERROR', error_code: 'agent_stream_failure', retryable: true }],
  ] as const)('ends as the model’s %i says', async ([status, expected], context) => {
    const { work, run, finished } = await stage(context);
    await work();
    const done = await finished(run([{ status }]));
    expect(done.completed).toMatchObject([expected]);
    expect(done.completed[0]?.message).toContain('scripted failure');
  });

  it('ends when the model hangs', async (context) => {
    const { work, run, finished, processesOf } = await stage(context);
    await work({ limits: { idleMs: 30_000 } });
    const done = await finished(run([{ hang: true }]));
    expect(done.completed).toMatchObject([
      { state: 'ERROR', error_code: 'infrastructure_timeout' },
    ]);
    await expect.poll(() => processesOf(done), { timeout: 60_000 }).toEqual([]);
  });

  it('ends when its budget of tokens is used up', async (context) => {
    const { work, run, finished } = await stage(context);
    await work({ limits: { budgetTokens: 150 } });
    const steps = ['one', 'two', 'three', 'four'].map((word) => ({ shell: `echo ${word}` }));
    const done = await finished(run([...steps, { say: 'never' }]));
    expect(done.completed).toMatchObject([{ state: 'FAILED', error_code: 'budget_exceeded' }]);
    expect(done.completed[0]?.usage?.total_tokens).toBeGreaterThanOrEqual(150);
  });

  it('goes on with its session in a follow-up', async (context) => {
    const { work, run, finished, model } = await stage(context);
    await work();
    const first = await finished(run([{ say: 'The word is zebra.' }]));
    const { run_id } = first.lease;
    const lacks = lacking(profile, 'resume');
    const resume = lacks ? { summary: 'You said: the word is zebra.' } : {};
    const again = await finished(run([{ say: 'Second.' }], { run_id, attempt: 2, resume }));
    expect(again.completed).toMatchObject([{ state: 'SUCCEEDED', message: 'Second.' }]);
    expect(again.completed[0]?.session_id === first.completed[0]?.session_id).toBe(!lacks);
    expect(JSON.stringify(model.asked.at(-1))).toContain('he word is zebra.');
  });

  it('goes on after its worker was stopped and started again', async (context) => {
    const { work, run, finished, fileOf, processesOf } = await stage(context);
    const worker = await work();
    const slow = 'if [ -e here ]; then echo again; else touch here; sleep 177; fi';
    const working = run([{ shell: slow }, { say: 'Finished.' }]);
    await expect.poll(() => existsSync(fileOf(working, 'here')), { timeout: 120_000 }).toBe(true);
    await worker.drain(0);
    await expect.poll(() => processesOf(working), { timeout: 60_000 }).toEqual([]);
    expect(working.completed).toEqual([]);
    await work();
    const done = await finished(working);
    expect(done.completed).toMatchObject([{ state: 'SUCCEEDED', message: 'Finished.' }]);
    expect(outputOf(done)).toContain('again');
  });

  it('reaches its model where it has no network', async (context) => {
    const { work, run, finished, model } = await stage(context);
    await work({ network: 'none', sandbox: 'bwrap' });
    const { port } = new URL(model.url);
    const knock = `bash -c 'echo >/dev/tcp/127.0.0.1/${port}' && echo open || echo shut`;
    const done = await finished(run([{ shell: knock }, { say: 'ok' }]));
    expect(done.completed).toMatchObject([{ state: 'SUCCEEDED' }]);
    expect(outputOf(done)).toContain('shut');
  });
});
