import { createHmac } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { readInputsAndEvent } from '../../src/action/read-inputs-and-event.ts';
import { isSigned } from '../../src/app/http/signature.ts';
import { TimedThread } from '../../src/base/timed-thread.ts';
import { readCommands } from '../../src/github/decide/command.ts';
import { pinWork, type GateRules } from '../../src/github/decide/gate.ts';
import { findTrigger } from '../../src/github/decide/trigger.ts';
import { readEvent } from '../../src/github/read/read-event.ts';
import { isProvenInert } from '../../src/github/render/proven-inert.ts';
import { fenced } from '../../src/github/render/cut.ts';
import { inert } from '../../src/github/render/inert.ts';
import { makeInert } from '../../src/github/render/make-inert.ts';
import { parseMarkdown } from '../../src/github/read/parse-markdown.ts';
import { walk } from '../../src/github/read/markdown.ts';
import { commentEvent } from '../support/action-world.ts';
import { COMMENT_CHARS, repeated } from '../support/slow-texts.ts';

function eventOf({ eventName, payload }: ReturnType<typeof commentEvent>) {
  const reading = readEvent(eventName, payload);
  if ('ignored' in reading) throw new Error(reading.ignored);
  return reading.event;
}

describe('a comment', () => {
  it('brings new text once: what is edited later is none (threats.md G3)', async () => {
    const triggers = { phrase: '/agent', prompt: false };
    const made = commentEvent('/agent fix it');
    expect(await findTrigger(eventOf(made), triggers)).toHaveProperty('trigger');
    for (const action of ['edited', 'deleted', 'pinned'])
      expect(
        await findTrigger(eventOf(commentEvent('/agent fix it', { action })), triggers),
      ).toEqual({
        ignored: 'not_created',
      });
  });
});

describe('work on a fork (threats.md G6)', () => {
  it('is not vouched for by a commit that the configuration names', async () => {
    const sha = 'e'.repeat(40);
    const event = {
      ...eventOf(commentEvent('/agent fix it')),
      name: 'pull_request',
      thread: {
        kind: 'pull_request' as const,
        number: 1,
        nodeId: 'PR_1',
        url: 'u',
        title: 't',
        body: '',
        author: 'mallory',
        comments: undefined,
        base: 'main',
        updatedAt: '',
      },
      head: { sha, ref: 'topic', repository: 'mallory/widgets', fork: true },
    };
    const rules: GateRules = {
      permission: 'write',
      allowedBots: [],
      allowedUsers: [],
      allowForks: true,
      ownLogins: [],
    };
    const setup = { rules, instruction: `work on ${sha}` };
    const command = {
      index: 1,
      verb: 'run',
      name: undefined,
      prompt: 'fix it',
      options: {},
    } as const;
    const pin = (trigger: 'command' | 'label') =>
      pinWork(undefined, event, setup, { command, trigger });
    expect(await pin('command')).toMatchObject({ allowed: false, reason: 'fork_sha_required' });
    expect(await pin('label')).toMatchObject({ head: { sha } });
  });
});

describe('the Action (threats.md G9)', () => {
  it('has its keys masked before it does anything else, also where its inputs are wrong', async () => {
    const said: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
      said.push(String(chunk).trim());
      return true;
    });
    vi.stubEnv('INPUT_API-KEY', ' key-of-the-input ');
    vi.stubEnv('INPUT_GITHUB-TOKEN', 'ghs_of_the_input');
    vi.stubEnv('INPUT_TIMEOUT', 'soon');
    const env = { RUNLINK_API_KEY: 'key-of-the-environment' };
    await expect(readInputsAndEvent(env)).rejects.toThrow(/is not set/);
    expect(said).toEqual([
      '::add-mask::key-of-the-input',
      '::add-mask::ghs_of_the_input',
      '::add-mask::key-of-the-environment',
    ]);
  });
});

describe('the signature of a webhook (threats.md G10)', () => {
  const body = Buffer.from('{"a":1}');
  const sign = (secret: string): string =>
    `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

  it('is right to the last digit, under one of the secrets, and there', () => {
    const right = sign('new');
    expect(isSigned(body, right, ['new'])).toBe(true);
    expect(isSigned(body, sign('old'), ['new', 'old'])).toBe(true);
    for (let at = 0; at < right.length; at += 1) {
      const other = right[at] === '0' ? '1' : '0';
      const wrong = right.slice(0, at) + other + right.slice(at + 1);
      expect(isSigned(body, wrong, ['new'])).toBe(false);
    }
    for (const header of [undefined, '', 'sha256=', right.slice(0, -1), `${right}0`, 'sha1=00'])
      expect(isSigned(body, header, ['new'])).toBe(false);
    expect(isSigned(Buffer.from('{"a":2}'), right, ['new'])).toBe(false);
    expect(isSigned(body, right, [])).toBe(false);
  });
});

describe('what strangers write at length (threats.md G15)', () => {
  const endless = repeated('_a*', COMMENT_CHARS - 100);

  it('is read by its lines where they tell, so that no length of it matters', async () => {
    const commands = await readCommands(`/agent ${endless}`, { phrase: '/agent' });
    expect(commands).toMatchObject([{ verb: 'run' }]);
    expect(await readCommands(endless, { phrase: '/agent' })).toEqual([]);
  });

  it('waits for the thread in a queue that has an end', async () => {
    const url = new URL('../../src/github/markdown-jobs.ts', import.meta.url).href;
    const thread = new TimedThread<object, unknown>('markdown-thread', url);
    const jobs = Array.from({ length: 200 }, () =>
      thread.run([{ findCommandText: 'a', phrase: '/agent' }]),
    );
    const outcomes = await Promise.all(jobs);
    const busy = outcomes.filter(({ gaveUp }) => gaveUp === 'busy');
    expect(busy.length).toBeGreaterThan(100);
    expect(outcomes[0]).toEqual({ answers: [{ texts: [] }] });
  });
});

describe('agent text that the cleaner cannot prove harmless (threats.md G19)', () => {
  /** Each pass frees one more address. */
  const nested = `${'www.'.repeat(40)}@bob fixes #1`;

  /** Comes to rest while it still refers to an issue. */
  const restless = `${'www.'.repeat(6)}${'#1'.repeat(33)}${'a'.repeat(70)}`;

  it.each([nested, restless])('is shown as plain text in one fence: %j', async (text) => {
    expect(makeInert(text, 9000)).toBeUndefined();
    expect(await inert(text, 9000)).toBe(`\`\`\`\n${text}\n\`\`\``);
  });

  it.each([
    '@octocat',
    'fixes #1',
    'GH-1',
    '<img src=x>',
    '![](x)',
    '[a]: b',
    '/agent x',
    'https://github.com/a/b/issues/1',
    '[a](https://github.com/a/b/pull/1)',
    '<!-- runlink run=x -->',
  ])('%j alone is not proven', (text) => {
    expect(isProvenInert([...walk(parseMarkdown(text))], text)).toBe(false);
  });

  it('comes out of nested elements, fences and definitions with nothing live in it', async () => {
    const live =
      '@octocat fixes #1 <img src=x> [fixes][x] `@octocat\n/agent x\n<!-- runlink run=x -->';
    const wraps: ((text: string) => string)[] = [
      (text) => `<div>\n\n${text}\n\n</div>`,
      (text) => `\`\`\`\n${text}\n\`\`\``,
      (text) => `<div>\n\`\`\`\n${text}\n\`\`\`\n</div>`,
      (text) => text.replaceAll(/^/gm, '> '),
      (text) => `<p><details>\n${text}\n</details>`,
      (text) => `[x]: https://github.com/a/b/issues/1\n${text}`,
    ];
    for (const one of wraps)
      for (const two of wraps)
        for (const layers of [2, 5, 8]) {
          let text = live;
          for (let layer = 0; layer < layers; layer += 1) text = (layer % 2 ? one : two)(text);
          const shown = await inert(text, 30_000);
          expect(isProvenInert([...walk(parseMarkdown(shown))], shown)).toBe(true);
        }
  });

  it('never ends the fence around it', () => {
    for (const inside of [
      '```',
      '````\n@bob',
      '~~~~~',
      '```\n~~~',
      '`'.repeat(100),
      '~'.repeat(99),
    ]) {
      const shown = fenced(`${inside}\n@bob`, 9000);
      const [only, ...others] = parseMarkdown(shown).children;
      expect(others).toEqual([]);
      expect(only?.type).toBe('code');
    }
  });
});
