import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';

const UNITS = resolve(import.meta.dirname, '../../deploy/systemd');
const program = await createProgram();
const hasSystemd = (() => {
  try {
    execFileSync('systemd-analyze', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

describe.each(readdirSync(UNITS))('the unit %s', (name) => {
  const text = readFileSync(join(UNITS, name), 'utf8');

  it('starts our command with options that it has', () => {
    for (const [, verb, rest = ''] of text.matchAll(/^ExecStart=.*?\brunlink (\w+)(.*)$/gm)) {
      const command = program.commands.find((one) => one.name() === verb);
      const known = command?.options.flatMap(({ long }) => long ?? []);
      expect(known?.length).toBeGreaterThan(0);
      const given = [...rest.matchAll(/ (--[\w-]+)/g)].map(([, option]) => option);
      expect(given.filter((option) => !known?.includes(option ?? ''))).toEqual([]);
    }
    expect(text).not.toMatch(/PRIVATE_KEY=|API_KEY=\S/);
  });

  it.runIf(hasSystemd)('is one that systemd takes', () => {
    const said = execFileSync(
      'sh',
      ['-c', `systemd-analyze verify ${join(UNITS, name)} 2>&1 || true`],
      {
        encoding: 'utf8',
      },
    );
    const faults = said
      .split('\n')
      .filter((line) => line.includes(name) && /Unknown|ignoring|rror|invalid/i.test(line));
    expect(
      faults.filter((line) => !/not executable|runlink/.test(line.replaceAll(name, ''))),
    ).toEqual([]);
  });
});
