import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutMarkdown } from '../../src/github/render/cut.ts';
import { inertLine } from '../../src/github/render/inert-line.ts';
import { inert } from '../../src/github/render/inert.ts';
import { walk } from '../../src/github/read/markdown.ts';
import { parseMarkdown } from '../../src/github/read/parse-markdown.ts';
import { readCommands } from '../../src/github/decide/command.ts';
import { hasMarker, readRunMarker, runMarker } from '../../src/github/render/marker.ts';

const MAX = 10_000;
const isLong = process.env['RUNLINK_TEST_LONG'] !== undefined;

describe('text of an agent, shown in our name (threats.md G8)', () => {
  it.each([
    ['ask @bob and @acme/team', 'ask @&#8203;bob and @&#8203;acme/team'],
    ['fixes #12, closes acme/widgets#3', 'fixes #&#8203;12, closes acme/widgets#&#8203;3'],
    ['see GH-7', 'see GH&#8203;-7'],
    ['mail a@b.example', 'mail a@b.example'],
    ['&#64;bob &commat;bob', '&amp;#&#8203;64;bob &amp;commat;bob'],
    ['<!-- runlink run=x -->', '&lt;!-- runlink run=x -->'],
    ['<img src=x> <script>', '&lt;img src=x> &lt;script>'],
    ['![pixel](https://x.example/p.png)', '&#33;[pixel](https://x.example/p.png)'],
    ['https://github.com/a/b/issues/1', '`https://github.com/a/b/issues/1`'],
    ['[it](https://github.com/a/b/pull/1)', 'it (`https://github.com/a/b/pull/1`)'],
    ['[it](https://docs.example/x)', '[it](https://docs.example/x)'],
    ['/approve\n/agent x', '\\/approve\n\\/agent x'],
    ['- /agent x\n1. **/agent y**', '- \\/agent x\n1. **\\/agent y**'],
    ['**/agent x**\n_/agent y_', '**\\/agent x**\n_\\/agent y_'],
    ['`@bob #1`', '`@bob #1`'],
    ['```\n@bob\n```', '```\n@bob\n```'],
    ['```\nleft open', '```\nleft open\n```'],
    ['`@octocat ', '&#96;@&#8203;octocat '],
    ['GH\\-7', 'GH&#8203;-7'],
    ['[docs][x]\n\n[x]: /docs "title"', '[docs](</docs>)\n\n'],
    [
      '[fixes][x]\n\n[x]: https://github.com/a/b/issues/1',
      'fixes (`https://github.com/a/b/issues/1`)\n\n',
    ],
    ['[//]: # (@bob)', '\\[//]: # (@&#8203;bob)'],
    ['|www. @octocat fixes #1', '|www. @&#8203;octocat fixes #&#8203;1'],
    ['www.github.com/a/b/pull/1', '`www.github.com/a/b/pull/1`'],
    // One parser begins the last code here, another does not: the lone backtick goes.
    ['`` `a` `@bob`', '&#96;&#96; `a` `@bob`'],
    // GitHub would put it into the code by a press, on the lines that a comment stands on.
    ['> ~~~ Sugg&#101;stion\n> rm\n> ~~~', '> ~~~\n> rm\n> ~~~'],
  ])('%j becomes %j', async (text, expected) => {
    expect(await inert(text, MAX)).toBe(expected);
  });

  it('never mentions, never holds HTML, a marker or a command, whatever it says', async () => {
    const piece = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.constantFrom(
        '@bob',
        '#12',
        '/agent x',
        '<b>',
        '<!--',
        '-->',
        '`',
        '```',
        '\n',
        '> ',
        '- ',
        '1. ',
        '**',
        '&#64;',
        '[a](',
        ')',
        '![',
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 20 }), async (pieces) => {
        const text = await inert(pieces.join(''), MAX);
        const tree = parseMarkdown(text);
        const nodes = [...walk(tree)];
        expect(nodes.map(({ type }) => type)).not.toContain('html');
        expect(nodes.map(({ type }) => type)).not.toContain('image');
        const plain = nodes.map((node) => (node.type === 'text' ? node.value : '')).join('\n');
        expect(plain).not.toMatch(/(?<![\w`])@[\w-]/);
        expect(readRunMarker(text)).toBeUndefined();
        expect(await readCommands(text, { phrase: '/agent' })).toEqual([]);
      }),
      { numRuns: isLong ? 20_000 : 300 },
    );
  });

  it('in one line has no Markdown left', () => {
    expect(inertLine('a | b `c` @x\n#1 <b> [d](e)')).toBe(
      'a \\| b \\`c\\` @&#8203;x #&#8203;1 &lt;b> \\[d\\](e)',
    );
    expect(inertLine('x'.repeat(300))).toHaveLength(200);
  });
});

describe('a cut', () => {
  it('fits, keeps whole characters and closes what it opened', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.string({ unit: 'grapheme', maxLength: 30 }),
            fc.constantFrom('```js', '```', '~~~', '😀😀😀', ''),
          ),
          { maxLength: 40 },
        ),
        fc.integer({ min: 0, max: 400 }),
        (lines, max) => {
          const cut = cutMarkdown(lines.join('\n'), max);
          expect(cut.length).toBeLessThanOrEqual(max);
          expect(cut.isWellFormed()).toBe(true);
        },
      ),
      { numRuns: isLong ? 20_000 : 500 },
    );
  });

  it('leaves alone what fits', () => {
    expect(cutMarkdown('short\ntext', 100)).toBe('short\ntext');
  });

  it('ends at a line, closes the code block and shows that there was more', () => {
    const text = `intro\n\`\`\`\n${'line\n'.repeat(100)}\`\`\`\nend`;
    const cut = cutMarkdown(text, 200);
    expect(cut).toMatch(/line\n```\n\n…$/);
  });

  it('of one endless line ends at a blank', () => {
    expect(cutMarkdown('word '.repeat(100), 60)).toMatch(/word\n\n…$/);
  });
});

describe('a marker', () => {
  it('is read back, and cannot be broken out of', () => {
    const mark = { runId: 'abc-1', thread: 'acme/widgets#1' };
    expect(readRunMarker(`${runMarker(mark)}\nbody`)).toEqual(mark);
    // As a comment comes back once a person has edited it on the web.
    expect(hasMarker(`\r\n${runMarker(mark)}\r\nbody`, runMarker(mark))).toBe(true);
    expect(hasMarker(`body\r\n${runMarker(mark)}`, runMarker(mark))).toBe(false);
    expect(runMarker({ runId: 'x --> <b>' })).not.toContain('<b>');
    expect(readRunMarker('text first <!-- runlink run=x -->')).toBeUndefined();
  });
});
