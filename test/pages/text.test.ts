import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ansiStyles } from '../../src/pages/ansi-colours.ts';
import { ansiSpans } from '../../src/pages/ansi.ts';
import { splitMiddle, reveal, settleLines, webUrl } from '../../src/pages/text.ts';

describe('terminal output', () => {
  it('keeps colours and weights as classes', () => {
    expect(ansiSpans('\u001B[1;31mred\u001B[0m plain \u001B[92mgreen\u001B[39m!')).toEqual([
      { text: 'red', classes: 'ansi-red ansi-bold' },
      { text: ' plain ', classes: '' },
      { text: 'green', classes: 'ansi-green' },
      { text: '!', classes: '' },
    ]);
  });

  it('takes the nearest of 256 classes for any colour of text and ground', () => {
    const all =
      '\u001B[38;5;31ma\u001B[48;2;250;100;0mb\u001B[31mc\u001B[49;38:2:120:120:120md\u001B[0;42me';
    expect(ansiSpans(all).map((span) => `${span.text} ${span.classes}`)).toEqual([
      'a ansi-31 ansi-fixed',
      'b ansi-31 ansi-fixed ansi-on-202 ansi-ground',
      'c ansi-red ansi-on-202 ansi-ground',
      'd ansi-243 ansi-fixed',
      'e ansi-on-green ansi-ground',
    ]);
  });

  it('has a style for every class of a colour', () => {
    const styles = ansiStyles();
    for (let colour = 0; colour < 256; colour += 1) {
      const [span] = ansiSpans(`\u001B[38;5;${colour};48;5;${colour}mx`);
      for (const name of span?.classes.split(' ') ?? []) expect(styles).toContain(`.${name}{`);
    }
  });

  it('drops titles, links, cursor movements and bells', () => {
    const noisy =
      '\u001B]0;title\u0007a\u001B[2K\u001B[3Ab\u0007\u001B]8;;https://x.example\u0007c\u001B]8;;\u0007';
    expect(ansiSpans(noisy).map((span) => span.text)).toEqual(['abc']);
  });

  it('shows a line as it was last written', () => {
    expect(settleLines('10%\r50%\r100%\nnext\r\nlast\r')).toBe('100%\nnext\nlast\r');
  });

  it('never lets a control character or a class of its own through', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.string(), (a, b) => {
        for (const { text, classes } of ansiSpans(`${a}\u001B[${b}m${a}`)) {
          expect(text).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F]/);
          expect(classes).toMatch(/^[a-z\d\- ]*$/);
        }
      }),
    );
  });
});

describe('text', () => {
  it('shows characters that reorder or hide others by their number', () => {
    expect(reveal('a\u202Eb\u200Bc')).toBe('a⟨U+202E⟩b⟨U+200B⟩c');
    expect(reveal('👩\u200D👧 👩🏽\u200D💻 ❤️\u200D🔥')).toBe('👩\u200D👧 👩🏽\u200D💻 ❤️\u200D🔥');
    expect(reveal('a\u200Db👩\u200D')).toBe('a⟨U+200D⟩b👩⟨U+200D⟩');
  });

  it('loses nothing in the middle without saying how much', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(20), fc.integer({ min: 1, max: 20 }), (text, head, tail) => {
        const cut = splitMiddle(text, head, tail);
        expect(cut.head.length + cut.omitted + cut.tail.length).toBe(text.length);
      }),
    );
  });

  it.each([
    ['https://example.com/a', 'https://example.com/a'],
    ['http://example.com', 'http://example.com/'],
    ['javascript:alert(1)', undefined],
    ['data:text/html,x', undefined],
    ['//example.com', undefined],
    ['file:///etc/passwd', undefined],
    [undefined, undefined],
  ])('takes %j for the web address %j', (text, url) => {
    expect(webUrl(text)).toBe(url);
  });
});
