import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCommands, isVerb } from '../../src/github/decide/command.ts';

const isLong = process.env['RUNLINK_TEST_LONG'] !== undefined;
const grammar = { phrase: '/agent' };
const prompts = async (body: string): Promise<string[]> =>
  (await readCommands(body, grammar)).map((command) =>
    'problem' in command ? `(${command.problem.reason})` : `${command.verb}: ${command.prompt}`,
  );

describe('a command', () => {
  it.each([
    ['/agent fix the bug', ['run: fix the bug']],
    ['/Agent FIX it', ['run: FIX it']],
    ['   /agent fix it', ['run: fix it']],
    ['/agent\tfix it', ['run: fix it']],
    ['/agent\nfix it\nall of it', ['run: fix it\nall of it']],
    ['/agent fix it\r\nand\r\nthis\r\n', ['run: fix it\nand\nthis']],
    ['Hello all,\n\n/agent fix it', ['run: fix it']],
    ['Some prose first\n/agent fix it', ['run: fix it']],
    ['```\ncode\n```\n/agent after a fence', ['run: after a fence']],
    ['- one\n- two\n/agent after a list', ['run: after a list']],
    ['/agent sign this\n---\nBob', ['run: sign this\n---\nBob']],
    ['/agent one\n/agent status\n/agent new two', ['run: one', 'status: ', 'new: two']],
    ['/agent help\n'.repeat(20), Array(20).fill('help: ')],
    ['/agent help\n'.repeat(9000), [...Array(20).fill('help: '), '(too_many_commands)']],
    [
      '/agent do\n```js\n/agent not this\n```\ndone',
      ['run: do\n```js\n/agent not this\n```\ndone'],
    ],
    ['/agent fix <!-- /agent hidden --> it', ['run: fix  it']],
    ['/agent cancel', ['cancel: ']],
    ['/agent CANCEL\n\nsorry', ['cancel: ']],
    ['/agent cancel the subscription on logout', ['run: cancel the subscription on logout']],
    ['/agent help me understand this', ['run: help me understand this']],
    ['/agent follow also the docs', ['follow: also the docs']],
    ['/agent cancle', ['(unknown_command)']],
    ['/agent go', ['run: go']],
    ['/agent review', ['review: ']],
    ['/agent Review only the tests', ['review: only the tests']],
    ['/agent fix 3', ['fix: 3']],
    ['/agent fix findings #1, 2 and 14.', ['fix: findings #1, 2 and 14.']],
    ['/agent fix 3 tests', ['run: fix 3 tests']],
    ['/agent fix #3 by tomorrow', ['run: fix #3 by tomorrow']],
    ['/agent reviw', ['(unknown_command)']],
    ['/agent, fix it', ['run: fix it']],
    ['/agent: fix it', ['run: fix it']],
    ['/agent:\nfix it', ['run: fix it']],
    ['/agent:fix it', ['run: fix it']],
    ['/agent,fix it', ['run: fix it']],
    ['/agent; fix it', ['run: fix it']],
    ['/agent;fix it', ['run: fix it']],
    ['/agent—fix it', ['run: fix it']],
    ['/agent cancel!', ['cancel: ']],
    ['/agent **cancel**', ['cancel: ']],
    ['/agent `Status`.', ['status: ']],
    ['/agent *new* one', ['new: one']],
    ['/agent "new thing" breaks', ['run: "new thing" breaks']],
    ['**/agent status.**', ['status: ']],
    ['/agent new: fix it', ['new: fix it']],
    ['/agent Review.', ['review: ']],
    ['/agent cancel, then wait', ['run: cancel, then wait']],
    ['/agent. Fix it', ['run: Fix it']],
    ['/agent! status', ['status: ']],
    ['/agent，fix it', ['run: fix it']],
    ['/agent：status', ['status: ']],
    ['/agent - fix it\n- and that', ['run: fix it\n- and that']],
    ['/agent — status', ['status: ']],
    ['/agent\n- fix it\n- and that', ['run: - fix it\n- and that']],
    ['/agent?', ['(no_prompt)']],
    ['**/agent:** fix it', ['run: fix it']],
    ['***/agent,*** fix it', ['run: fix it']],
    ['1) __/agent__ - status', ['status: ']],
    ['- /agent fix it', ['run: fix it']],
    ['Please:\n\n1. /agent fix it\n2. /agent status', ['run: fix it', 'status: ']],
    ['**/agent fix it**', ['run: fix it']],
    ['**/agent** fix it', ['run: fix it']],
    ['*/agent: fix* **it**', ['run: fix **it**']],
    ['- **/agent** status', ['status: ']],
    ['## /agent fix the build', ['run: fix the build']],
    ['# /agent status ##\n\n/agent help', ['status: ', 'help: ']],
    ['/agent fix it\n\n### **/agent** status', ['run: fix it', 'status: ']],
    ['(/agent fix it)', ['run: fix it']],
    ['- (**/agent: fix it**)\n- and that', ['run: fix it\n- and that']],
    ['**(/agent status)**', ['status: ']],
    ['"/agent fix it"', ['(quoted_command)']],
    ['Say:\n“/agent fix it”\n„/agent“', ['(quoted_command)', '(quoted_command)']],
    ['\u200B/agent fix it\n\uFEFF/agent status', ['run: fix it', 'status: ']],
    ['/agent\u200B fix it', ['run: fix it']],
    ['\u200F/agent\u200F أصلح الاختبار\u200F', ['run: أصلح الاختبار']],
    ['\u2066/agent status\u2069', ['status: ']],
    ['a\r\n\u202A/agent: status\u202C\r\n', ['status: ']],
    ['- **/agent\uFE0F** status', ['status: ']],
    ['／agent 直して', ['run: 直して']],
    ['／Agent 直して\n／agents\n／', ['run: 直して\n／agents\n／']],
    ['/agent cancel!!', ['cancel: ']],
    ['/agent stop', ['(unknown_command)']],
    ['/agent Abort!', ['(unknown_command)']],
    ['/agent rerun', ['(unknown_command)']],
    ['/agent stop the server first', ['run: stop the server first']],
    ['/agent fix 2-4, 6 to 7 and #9', ['fix: 2-4, 6 to 7 and #9']],
    ['- [ ] /agent fix it', ['run: fix it']],
    ['/agent', ['(no_prompt)']],
    ['/agent new', ['(no_prompt)']],
  ])('is found in %j', async (body, expected) => {
    expect(await prompts(body)).toEqual(expected);
  });
});

describe('a line and its words', () => {
  it.each([
    '> /agent quoted',
    '> quoted\n/agent lazily continued, so GitHub shows it inside the quote',
    '`/agent code`',
    'text `a\n/agent b` text',
    '```\n/agent fenced\n```',
    '~~~\n/agent fenced\n',
    '    /agent indented code',
    '\t/agent indented code',
    '<!-- /agent hidden -->',
    '<!--\n/agent hidden\n-->',
    '<details>\n/agent in HTML\n</details>',
    '| a |\n|---|\n| /agent in a table |',
    '/agent | b\n---|---\nx | y',
    '#/agent no heading',
    '> # /agent quoted heading',
    '~~/agent struck out~~',
    '(/agent status) says more',
    '"/agent fix it" does nothing',
    '"/agent',
    '(/agents)',
    '[/agent](https://x.example) link',
    'please /agent in the middle',
    'https://x.example/agent fix',
    '/agents fix',
    '/agent-x fix',
    '/agent\u200Bfix it',
    '/agent.md says so',
    '/agent:8080 is taken',
    '/agent/settings is broken',
    '\\/agent escaped',
    '&#47;agent entity',
    '[^1]: /agent footnote',
    '',
  ])('hold no command in %j', async (body) => {
    expect(await readCommands(body, grammar)).toEqual([]);
  });

  it.each([
    ['/agent --model gpt-9 fix it', { model: 'gpt-9' }, 'fix it'],
    ['/agent fix it --model gpt-9', { model: 'gpt-9' }, 'fix it'],
    ['/agent fix it --model=gpt-9 --skill a/b:c', { model: 'gpt-9', skill: 'a/b:c' }, 'fix it'],
    ['/agent new --environment "my env" fix it', { environment: 'my env' }, 'fix it'],
    ['/agent --sha 0123abc judge this', { sha: '0123abc' }, 'judge this'],
    ['/agent —model gpt-9 fix it –stack', { model: 'gpt-9', stack: true }, 'fix it'],
    ['/agent fix it —environment “my env”', { environment: 'my env' }, 'fix it'],
    ['/agent —fix it — the model', {}, '—fix it — the model'],
    ['/agent add a --verbose flag', {}, 'add a --verbose flag'],
    ['/agent document `--model`', {}, 'document `--model`'],
    ['/agent fix it\n--model x', {}, 'fix it\n--model x'],
    ['/agent --skill a/b:c', { skill: 'a/b:c' }, ''],
    ['/agent --stack fix it', { stack: true }, 'fix it'],
    ['/agent new --model m fix it --stack', { model: 'm', stack: true }, 'fix it'],
  ])('%j has its options', async (body, options, prompt) => {
    expect(await readCommands(body, grammar)).toMatchObject([{ options, prompt }]);
  });

  it.each([
    ['/agent --modle x fix', { reason: 'unknown_option', word: '--modle', nearest: '--model' }],
    ['/agent fix --enviroment x', { reason: 'unknown_option', nearest: '--environment' }],
    ['/agent --model', { reason: 'option_without_value', word: '--model' }],
    ['/agent --model --skill x', { reason: 'option_without_value', word: '--model' }],
    ['/agent statsu', { reason: 'unknown_command', word: 'statsu', nearest: 'status' }],
  ])('%j says what is wrong', async (body, problem) => {
    expect(await readCommands(body, grammar)).toMatchObject([{ problem }]);
  });

  it('of the repository comes by its name, and near misses of it are told', async () => {
    const own = { ...grammar, custom: ['triage'] };
    expect(await readCommands('/agent Triage this one', own)).toMatchObject([
      { verb: 'custom', name: 'triage', prompt: 'this one' },
    ]);
    expect(await readCommands('/agent trigae', own)).toMatchObject([
      { problem: { nearest: 'triage' } },
    ]);
  });
});

describe('whatever people write', () => {
  const line = fc
    .string({ unit: 'grapheme', maxLength: 40 })
    .map((text) => text.replaceAll(/[\r\n]/g, ' '));
  const markdown = fc.array(
    fc.oneof(
      line,
      fc.constantFrom(
        '/agent fix it',
        '> /agent x',
        '```',
        '<!--',
        '-->',
        '    /agent y',
        '- /agent z',
        '| a |',
        '|---|',
        '/agent status',
        '',
        '`',
      ),
    ),
    { maxLength: 12 },
  );

  it('is parsed without error, in order, with each prompt part of the text', async () => {
    await fc.assert(
      fc.asyncProperty(markdown, fc.constantFrom('\n', '\r\n'), async (lines, eol) => {
        const body = lines.join(eol);
        const commands = await readCommands(body, grammar);
        expect(commands.map(({ index }) => index)).toEqual(commands.map((_, at) => at + 1));
        const flat = body.replaceAll('\r\n', '\n');
        for (const command of commands) {
          if ('problem' in command || flat.includes('<!--') || flat.includes('--')) continue;
          expect(flat).toContain(command.prompt);
        }
      }),
      { numRuns: isLong ? 20_000 : 300 },
    );
  });

  it('inside a quote never gives a command', async () => {
    await fc.assert(
      fc.asyncProperty(markdown, async (lines) => {
        const quoted = lines.map((text) => `> ${text}`).join('\n');
        expect(await readCommands(quoted, grammar)).toEqual([]);
      }),
      { numRuns: isLong ? 20_000 : 200 },
    );
  });

  it('a plain sentence behind the phrase comes back as it was written', async () => {
    const word = fc.stringMatching(/^[a-z]{5,9}$/).filter((text) => !isVerb(text));
    await fc.assert(
      fc.asyncProperty(fc.array(word, { minLength: 2, maxLength: 8 }), async (words) => {
        const sentence = words.join(' ');
        expect(await readCommands(`/agent ${sentence}`, grammar)).toMatchObject([
          { verb: 'run', prompt: sentence, options: {} },
        ]);
      }),
      { numRuns: 100 },
    );
  });
});
