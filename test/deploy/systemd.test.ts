import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
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

const ADDED = 'rootless-podman.conf';
const units = readdirSync(UNITS).filter((name) => name !== ADDED);
const cases = [...units.map((name) => [name, '']), ['runlink-worker.service', ADDED]];

describe.each(cases)('the unit %s %s', (name = '', added = '') => {
  const files = [name, added].filter(Boolean).map((file) => join(UNITS, file));
  const text = files.map((file) => readFileSync(file, 'utf8')).join('\n');

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
    const dir = mkdtempSync(join(tmpdir(), 'rl-unit-'));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    writeFileSync(join(dir, name), text);
    const said = execFileSync(
      'sh',
      ['-c', `systemd-analyze verify ${join(dir, name)} 2>&1 || true`],
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
