import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as core from '@actions/core';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRunner, readInput } from '../../src/action/runner-protocol.ts';
import { parseCommandFile } from '../support/run-dist.ts';

let directory = '';
let printed = '';
const write = (text: string): void => {
  printed += text;
};

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'runlink-runner-'));
  printed = '';
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function fileEnv(name: string): NodeJS.ProcessEnv {
  const path = join(directory, name);
  writeFileSync(path, '');
  return { GITHUB_OUTPUT: path, GITHUB_STATE: path, GITHUB_STEP_SUMMARY: path, RUNNER_DEBUG: '1' };
}

/** What the toolkit prints. */
function printedByToolkit(act: () => void): string {
  let text = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  act();
  vi.restoreAllMocks();
  return text;
}

/** As .NET reads lines, and every other sign that begins one somewhere. */
function linesOfRunner(text: string): string[] {
  return text.replace(/\r?\n$/, '').split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/);
}

/** ActionCommand.TryParseV2 and TryParse, with what a comparison by culture passes over left out. */
function isCommand(line: string): boolean {
  const seen = line.replaceAll(/(?!\t)\p{Cc}|\p{Default_Ignorable_Code_Point}|\p{Cf}/gu, '');
  return seen.trimStart().startsWith('::') || seen.includes('##[');
}

describe('our runner protocol', () => {
  const text = fc.string({ unit: 'binary', maxLength: 60 });

  it('prints byte for byte what the toolkit prints', () => {
    fc.assert(
      fc.property(text, (message) => {
        const runner = createRunner(fileEnv('x'), write);
        const pairs: [(text: string) => void, (text: string) => void][] = [
          [runner.notice, core.notice],
          [runner.warning, core.warning],
          [runner.error, core.error],
          [runner.debug, core.debug],
          [runner.secret, core.setSecret],
        ];
        for (const [ours, theirs] of pairs) {
          printed = '';
          ours(message);
          expect(printed).toBe(printedByToolkit(() => theirs(message)));
        }
      }),
      { numRuns: 100 },
    );
  });

  it('writes outputs and state as the toolkit does, but for the random delimiter', () => {
    const plain = (text: string): string => text.replaceAll(/ghadelimiter_[\w-]+/g, 'D');
    fc.assert(
      fc.property(text, (value) => {
        const env = fileEnv('ours');
        createRunner(env, write).output('name', value);
        const theirs = fileEnv('theirs');
        vi.stubEnv('GITHUB_OUTPUT', theirs['GITHUB_OUTPUT']);
        core.setOutput('name', value);
        const [one, other] = [env, theirs].map((each) =>
          readFileSync(each['GITHUB_OUTPUT'] ?? '', 'utf8'),
        );
        expect(plain(one ?? '')).toBe(plain(other ?? ''));
      }),
      { numRuns: 100 },
    );
  });

  it('lets no value set another output', () => {
    const env = fileEnv('x');
    createRunner(env, write).output('a', 'x\nEOF\nb<<EOF\nforged\nghadelimiter_1\nstate=SUCCEEDED');
    expect(Object.keys(parseCommandFile(readFileSync(env['GITHUB_OUTPUT'] ?? '', 'utf8')))).toEqual(
      ['a'],
    );
  });

  it('reads inputs under the names the runner gives them', () => {
    expect(readInput({ 'INPUT_BASE-URL': ' x ' }, 'base-url')).toBe(' x ');
    expect(readInput({}, 'base-url')).toBe('');
  });

  it('prints text of others between tokens that nobody can know (threats.md G11)', () => {
    const runner = createRunner({}, write);
    runner.quote('::error::forged');
    const [, token] = /^::stop-commands::(\S+)/.exec(printed) ?? [];
    expect(token?.length).toBeGreaterThan(20);
    expect(printed.trimEnd().endsWith(`::${token}::`)).toBe(true);
    runner.info('::error::in a line\nof two');
    expect(printed).toContain(': :error::in a line of two');
  });

  it('prints no line that the runner takes for a command, whatever is in it (threats.md G11)', () => {
    const signs =
      '::|:|##[|#|[|add-mask]x|add-mask::x| |\t|\n|\r|\r\n|\v|\f|\0|\u001B[31m|\u0085|\u00A0';
    const passed = '\u00AD|\u200B|\u200D|\u2028|\u2029|\u2060|\u3000|\uFE0F|\uFEFF|\u{E0041}|é|😀';
    const piece = fc.constantFrom(...`${signs}|${passed}`.split('|'));
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, (words) => {
        printed = '';
        const runner = createRunner({}, write);
        runner.info(words);
        expect(linesOfRunner(printed).filter(isCommand)).toEqual([]);
        expect(linesOfRunner(printed)).toHaveLength(1);
        printed = '';
        runner.quote(words);
        const commands = linesOfRunner(printed).filter(isCommand);
        expect(commands).toHaveLength(2);
        expect(commands[0]).toMatch(/^::stop-commands::/);
        expect(commands[1]).toBe(`::${commands[0]?.slice('::stop-commands::'.length)}::`);
      }),
      { numRuns: process.env['RUNLINK_TEST_LONG'] ? 20_000 : 500 },
    );
  });
});
