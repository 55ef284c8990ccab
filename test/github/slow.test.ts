import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findCommandText } from '../../src/github/decide/command-text.ts';
import { lookForCommands } from '../../src/github/decide/command-lines.ts';
import { readCommands } from '../../src/github/decide/command.ts';
import { cleanText } from '../../src/github/read/clean.ts';
import { inert } from '../../src/github/render/inert.ts';
import { makeInert } from '../../src/github/render/make-inert.ts';
import { COMMENT_CHARS, repeated, slowMixture, split } from '../support/slow-texts.ts';

const isLong = process.env['RUNLINK_TEST_LONG'] !== undefined;
const agent = { phrase: '/agent' };
/** Takes any machine minutes to parse. */
const ENDLESS = repeated('_a*', COMMENT_CHARS - 100);

describe('a look at the lines (threats.md G15)', () => {
  it('decides the comments that people write without a parser', () => {
    const comments = [
      '/agent fix the flaky login test',
      '/agent fix it\n\n- one\n- `two`\n\n> quoted **text**',
      'Hello all,\n\n/agent fix it',
      'Looks good to me!',
      '> /agent was not asked',
      `/agent ${ENDLESS}`,
      ENDLESS,
    ];
    expect(comments.map((body) => lookForCommands(body, '/agent') !== undefined)).toEqual(
      comments.map(() => true),
    );
  });

  it.each([
    '`\n/agent fix it',
    '<!-- a -->\n/agent fix it',
    '/agent fix it <!-- a -->',
    '/agent | b\n---|---',
    '/agent fix\n:-',
    '- a\n/agent b',
    '    /agent code',
    '\t/agent code',
    '**a\n/agent b**',
    'a | b\n/agent c',
    '1. a\n/agent b',
    '/agent `a\n/agent b`',
  ])('leaves %j to the parser', (body) => {
    expect(lookForCommands(body, '/agent')).toBeUndefined();
  });

  it('never says anything else than the parser', () => {
    const line = fc.constantFrom(
      ...split(
        '/agent fix it¶/agent¶/AGENT x¶  /agent y¶    /agent z¶\t/agent¶> /agent q',
        'Prose with words, as people write it.¶a¶  indented¶¶ ¶www.example.com¶a@b.example',
        '---¶===¶:-¶|-¶- ¶1. a¶`¶a `b¶*a¶b*¶[a¶b]¶<b>¶<!-- x¶-->¶```¶| a |¶\\¶a\\¶~~',
        '\u2028/agent¶\f/agent¶\u00A0/agent¶\uFEFF/agent¶&lt;¶😀 a',
      ),
    );
    const body = fc.array(line, { maxLength: 8 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(fc.oneof(body, slowMixture), (text) => {
        const source = text.replaceAll(/\r\n?/g, '\n');
        const parsed = findCommandText(source, '/agent');
        expect(lookForCommands(source, '/agent') ?? parsed).toEqual(parsed);
      }),
      { numRuns: isLong ? 20_000 : 150 },
    );
  });
});

describe('a text that takes too long to parse (threats.md G15)', () => {
  const hidden = `\`a\`\n\n/agent fix it\n\n${ENDLESS}`;

  it('gives a command that cannot be read, and what comes after it is read', async () => {
    const [slow, quick] = await Promise.all([
      readCommands(hidden, agent),
      readCommands('`a`\n\n/agent fix it', agent),
    ]);
    expect(slow).toEqual([{ index: 1, problem: { reason: 'unreadable_text' } }]);
    expect(quick).toMatchObject([{ verb: 'run', prompt: 'fix it' }]);
  });

  it('is not parsed for somebody whose commands would be refused', async () => {
    const asked: string[] = [];
    const refuse = async (): Promise<boolean> => {
      asked.push('asked');
      return false;
    };
    expect(await readCommands(hidden, agent, refuse)).toEqual([]);
    expect(asked).toEqual(['asked']);
    // What the lines show, and what is short, needs nobody's leave.
    expect(await readCommands('/agent fix it', agent, refuse)).toHaveLength(1);
    expect(await readCommands('`a`\n\n/agent fix it', agent, refuse)).toHaveLength(1);
    expect(asked).toEqual(['asked']);
  });

  it('is shown as it is in a code block', async () => {
    const shown = await inert(`@bob ${ENDLESS}`, COMMENT_CHARS);
    expect(shown).toBe(`\`\`\`\n@bob ${ENDLESS}\n\`\`\``);
  });

  it.runIf(isLong)('is left out of a prompt, which says so', async () => {
    const cleaned = await cleanText(`[a]: b\n${ENDLESS}`, 30_000);
    expect(cleaned).toEqual({ text: '[…]', notes: new Set(['left_out']) });
  });
});

describe('ordinary text', () => {
  /** What agents write at the end of a run. */
  const words = fc.constantFrom(
    ...split(
      'I fixed the test¶see `src/login.ts`¶**Done**¶line 12¶all tests pass¶a < b¶50 %',
      '[docs](https://docs.example/x)¶~~old~~¶it’s¶user@example.com¶“quoted”¶1 + 1 = 2',
    ),
  );
  const block = fc.oneof(
    fc.array(words, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(' ')),
    words.map((text) => `## ${text}`),
    fc
      .array(words, { minLength: 1, maxLength: 4 })
      .map((items) => items.map((it) => `- ${it}`).join('\n')),
    words.map((text) => `\`\`\`ts\n${text} @x #1 /agent\n\`\`\``),
    words.map((text) => `> ${text}`),
    words.map((text) => `| a | b |\n| --- | --- |\n| ${text} | 2 |`),
  );
  const message = fc
    .array(block, { minLength: 1, maxLength: 6 })
    .map((parts) => parts.join('\n\n'));

  it('of an agent is shown as it was written', async () => {
    await fc.assert(
      fc.asyncProperty(message, async (text) => {
        expect(await inert(text, COMMENT_CHARS)).toBe(text);
      }),
      { numRuns: isLong ? 2000 : 25 },
    );
  });

  it('of a person enters a prompt as it was written', async () => {
    await fc.assert(
      fc.asyncProperty(message, async (text) => {
        expect((await cleanText(text, COMMENT_CHARS)).text).toBe(text.trim());
      }),
      { numRuns: isLong ? 2000 : 25 },
    );
  });

  it('without a sign of Markdown is not parsed, and would not change', async () => {
    const plain = fc.stringMatching(/^[\w .,;:?!()'"+*=\n-]{0,200}$/);
    await fc.assert(
      fc.asyncProperty(plain, async (text) => {
        expect(await inert(text, 150)).toBe(makeInert(text, 150));
      }),
      { numRuns: isLong ? 5000 : 80 },
    );
  });
});
