import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { checkSync } from 'recheck';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, it } from 'vitest';

const isLong = process.env['RUNLINK_TEST_LONG'] !== undefined;
const SRC = resolve(import.meta.dirname, '../../src');
const PROVEN = join(import.meta.dirname, 'linear-patterns.txt');

/** All regular expressions of `src`, as `/pattern/flags`, and how many are made at run time. */
function regularExpressions(): { literals: string[]; made: string[] } {
  const literals = new Set<string>();
  const made: string[] = [];
  for (const name of globSync('**/*.ts', { cwd: SRC })) {
    const visit = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      for (const child of Object.values(node)) visit(child);
      if (!('type' in node)) return;
      if (node.type === 'Literal' && 'regex' in node && 'raw' in node)
        literals.add(String(node.raw));
      if (node.type === 'NewExpression' && JSON.stringify(node).includes('"name":"RegExp"')) {
        made.push(name);
      }
    };
    visit(parseAst(readFileSync(join(SRC, name), 'utf8'), { lang: 'ts' }));
  }
  return { literals: [...literals].toSorted(), made };
}

function isLinear(literal: string): boolean {
  const end = literal.lastIndexOf('/');
  const { status } = checkSync(literal.slice(1, end), literal.slice(end + 1), { timeout: 200_000 });
  return status === 'safe';
}

const { literals, made } = regularExpressions();

/**
 * Whoever adds an expression has it checked here; `RUNLINK_TEST_LONG=1 vitest -u` proves all anew
 * and writes the list, so that a short run takes no time.
 */
describe('a regular expression (threats.md G15, S9)', () => {
  it('takes linear time, whatever the text', () => {
    const proven = isLong ? [] : readFileSync(PROVEN, 'utf8').split('\n');
    const open = literals.filter((literal) => !proven.includes(literal));
    expect(literals.length).toBeGreaterThan(150);
    expect(open.filter((literal) => !isLinear(literal))).toEqual([]);
  }, 600_000);

  it('is not made of words that somebody gave', () => {
    // The sign for a line's end, with another flag.
    expect(made).toEqual(['action/log-line.ts']);
  });

  it.runIf(isLong)('stands in the list of proven ones', async () => {
    await expect(`${literals.join('\n')}\n`).toMatchFileSnapshot(PROVEN);
  });
});
