import { describe, expect, it } from 'vitest';
import { INPUTS, type InputName } from '../../src/action/inputs.ts';
import { outputsOf } from '../../src/action/output-values.ts';
import { endOfRun, endWithout } from '../../src/action/step-outcome.ts';
import { readRawInputs, readSettings, type Settings } from '../../src/action/read-inputs.ts';
import { TERMINAL_STATES } from '../../src/contract/run-state.ts';
import { REASONS, type Reason } from '../../src/github/decide/reason.ts';

async function settings(inputs: Partial<Record<InputName, string>>): Promise<Settings> {
  const all: Partial<Record<string, string>> = {
    'base-url': 'https://x/api/v1',
    'api-key': 'k',
    ...inputs,
  };
  const raw = readRawInputs((name) => all[name] ?? '');
  const absent = { baseUrl: undefined, apiKey: undefined, canSignIn: false };
  return readSettings(raw, { ...absent, workspace: '/nowhere' });
}

describe('the inputs', () => {
  it('left empty mean the same as their defaults', async () => {
    const defaults = Object.fromEntries(
      Object.entries(INPUTS).flatMap(([name, input]) =>
        'default' in input && !input.default.includes('${{') ? [[name, input.default]] : [],
      ),
    );
    expect(await settings(defaults)).toEqual(await settings({}));
  });

  it.each([
    ['base-url', 'ftp://x', 'https://'],
    ['trigger-phrase', 'hey agent', 'one word'],
    ['permission', 'owner', 'none, read, triage, write, maintain, admin'],
    ['when-busy', 'wait', 'follow-up, new, skip'],
    ['wait', 'yes', 'true, false'],
    ['timeout', 'soon', '90s, 45m or 5h'],
    ['on-timeout', 'stop', 'detach, cancel'],
    ['fail-on', 'SUCCEDED', 'SUCCEEDED'],
    ['allowed-bots', '*', 'exactly'],
    ['prompt-file', 'no/such/file', 'Check out'],
    ['metadata', '- a', 'YAML or JSON'],
    ['config', 'nonsense: 1', 'YAML or JSON'],
  ] as const)('%s: %j is refused by name, with what it takes', async (name, value, remedy) => {
    const refused = settings({ [name]: value });
    await expect(refused).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining(`Input ${name} `),
    });
    await expect(refused).rejects.toMatchObject({ hint: expect.stringContaining(remedy) });
  });

  it('give states that fail in any spelling, or none', async () => {
    expect((await settings({ 'fail-on': 'failed, Error' })).failOn).toEqual(['FAILED', 'ERROR']);
    expect((await settings({ 'fail-on': 'none' })).failOn).toEqual([]);
  });
});

describe('the outcome', () => {
  it('of every reason without a run has a conclusion, and only real failures are red', () => {
    for (const reason of Object.keys(REASONS) as Reason[]) {
      const { conclusion, fails, message } = endWithout(reason);
      expect([reason, fails]).toEqual([reason, conclusion === 'failure']);
      expect(message.length).toBeGreaterThan(5);
      const isSkip = REASONS[reason].kind === 'skip';
      expect([reason, isSkip && conclusion !== 'skipped']).toEqual([reason, false]);
    }
  });

  it.each(TERMINAL_STATES)('of a run that ended %s is red only where fail-on says so', (state) => {
    expect(endOfRun({ run_id: 'r', state }, []).fails).toBe(false);
    expect(endOfRun({ run_id: 'r', state }, [state]).fails).toBe(true);
  });

  it('sets every output, and repeats them typed in result', () => {
    const run = {
      run_id: 'r',
      state: 'SUCCEEDED',
      created_at: '2026-01-01T00:00:00Z',
      finished_at: '2026-01-01T00:00:42Z',
      request_usage: { total_tokens: 7 },
    };
    const values = outputsOf({ ...endOfRun(run, []), finalMessage: 'hi' }, new Date());
    expect(values['duration-seconds']).toBe('42');
    const result = JSON.parse(values['outcome'] ?? '') as Record<string, unknown>;
    expect(result).toMatchObject({
      version: 1,
      run_id: 'r',
      duration_seconds: 42,
      usage: { total_tokens: 7 },
      artifacts: [],
      skipped: false,
      comment_url: null,
      final_message: 'hi',
    });
    expect(Object.keys(result)).toHaveLength(Object.keys(values).length);
  });
});
