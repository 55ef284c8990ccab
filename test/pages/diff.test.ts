import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareTexts, readGitDiff } from '../../src/pages/diff.ts';
import { DIFF } from '../support/run-story.ts';

const readAll = (diff: string) => readGitDiff(diff, { filesMax: 1000, linesMax: 100_000 });

describe('a comparison', () => {
  it('numbers the lines before and after', () => {
    expect(compareTexts('a\nb\nc\n', 'a\nB\nc\n')).toEqual([
      { kind: 'same', text: 'a', old: 1, new: 1 },
      { kind: 'del', text: 'b', old: 2 },
      { kind: 'add', text: 'B', new: 2 },
      { kind: 'same', text: 'c', old: 3, new: 3 },
    ]);
  });

  it('gives up on texts that have nothing in common', () => {
    const lines = (prefix: string): string =>
      Array.from({ length: 6000 }, (_, at) => `${prefix}${at}`).join('\n');
    expect(compareTexts(lines('a'), lines('b'))).toBeUndefined();
  });

  it('has every new line that it adds in the new text', () => {
    const text = fc.array(fc.constantFrom('a', 'b', '', 'c')).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const added = compareTexts(before, after)?.filter((line) => line.kind === 'add') ?? [];
        const lines = after.split('\n');
        for (const line of added) expect(lines[(line.new ?? 0) - 1]).toBe(line.text);
      }),
    );
  });
});

describe('a git diff', () => {
  it('is read file by file', () => {
    const [first, second] = readAll(DIFF);
    expect(first?.path).toBe('src/sum.js');
    expect(first?.lines.filter((line) => line.kind === 'del')).toEqual([
      {
        kind: 'del',
        text: '  for (let index = 0; index < numbers.length - 1; index += 1) {',
        old: 3,
      },
    ]);
    expect(second?.path).toBe('CHANGELOG.md');
    expect(second?.lines.filter((line) => line.kind === 'add')).toHaveLength(3);
  });

  it('knows deleted, renamed and binary files', () => {
    const files = readAll(
      'diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n' +
        'diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\n' +
        'diff --git a/p.png b/p.png\nBinary files a/p.png and b/p.png differ\n',
    );
    expect(files.map((file) => [file.path, file.lines.length])).toEqual([
      ['gone', 2],
      ['new', 0],
      ['p.png', 1],
    ]);
  });

  it('takes any text without failing, also one cut anywhere', () => {
    fc.assert(
      fc.property(fc.nat(DIFF.length), fc.string(), (cut, tail) => {
        for (const file of readAll(DIFF.slice(0, cut) + tail)) expect(file.lines).toBeDefined();
      }),
    );
  });
});
