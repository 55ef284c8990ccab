import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { info, quote } from '../../src/action/log.ts';

function printedBy(act: () => void): string {
  let printed = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    printed += String(chunk);
    return true;
  });
  act();
  vi.restoreAllMocks();
  return printed;
}

/** As .NET reads lines, and every other sign that begins one somewhere. */
function linesOfRunner(text: string): string[] {
  return text.replace(/\r?\n$/, '').split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/);
}

/**
 * ActionCommand.TryParseV2 and TryParse, with what a comparison by culture passes over left out.
 */
function isCommand(line: string): boolean {
  const seen = line.replaceAll(/(?!\t)\p{Cc}|\p{Default_Ignorable_Code_Point}|\p{Cf}/gu, '');
  return seen.trimStart().startsWith('::') || seen.includes('##[');
}

describe('the step’s log', () => {
  it('prints text of others between tokens that nobody can know (threats.md G11)', () => {
    const printed = printedBy(() => quote('::error::forged'));
    const [, token] = /^::stop-commands::(\S+)/.exec(printed) ?? [];
    expect(token?.length).toBeGreaterThan(20);
    expect(printed.trimEnd().endsWith(`::${token}::`)).toBe(true);
    expect(printedBy(() => info('::error::in a line\nof two'))).toContain(
      ': :error::in a line of two',
    );
  });

  it('prints no line that the runner takes for a command, whatever is in it (threats.md G11)', () => {
    const signs =
      '::|:|##[|#|[|add-mask]x|add-mask::x| |\t|\n|\r|\r\n|\v|\f|\0|\u001B[31m|\u0085|\u00A0';
    const passed = '\u00AD|\u200B|\u200D|\u2028|\u2029|\u2060|\u3000|\uFE0F|\uFEFF|\u{E0041}|é|😀';
    const piece = fc.constantFrom(...`${signs}|${passed}`.split('|'));
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, (words) => {
        const line = printedBy(() => info(words));
        expect(linesOfRunner(line).filter(isCommand)).toEqual([]);
        expect(linesOfRunner(line)).toHaveLength(1);
        const commands = linesOfRunner(printedBy(() => quote(words))).filter(isCommand);
        expect(commands).toHaveLength(2);
        expect(commands[0]).toMatch(/^::stop-commands::/);
        expect(commands[1]).toBe(`::${commands[0]?.slice('::stop-commands::'.length)}::`);
      }),
      { numRuns: process.env['RUNLINK_TEST_LONG'] ? 20_000 : 500 },
    );
  });
});
