import { CommanderError, type Command, type Option } from 'commander';
import { describe, expect, it, vi } from 'vitest';
import { commandLog } from '../../src/cli/command-log.ts';
import { createProgram } from '../../src/cli/program.ts';
import { RunlinkError } from '../../src/base/error.ts';

/** By what an option takes: a right and some wrong values. */
const VALUES: Record<string, { right: string; wrong: string[] }> = {
  duration: { right: '5s', wrong: ['soon', '5', '-1s', ''] },
  count: { right: '5', wrong: ['many', '0', '1.5', '-3'] },
  number: { right: '80', wrong: ['http', '65536', '-1', '1.5'] },
  url: { right: 'https://runs.example/api/v1', wrong: ['here', '/api', 'ftp://example.org'] },
};
const DATABASE = {
  right: 'postgres://ada:secret@db/runlink',
  wrong: ['db/runlink', 'https://ada:secret@db/runlink'],
};

const ORIGIN = {
  right: 'https://Runs.example.org:443/',
  wrong: ['runs.example.org', 'https://example.org/runlink', 'https://ada@example.org'],
};

function leaves(command: Command): Command[] {
  const own = command.commands.filter((child) => child.name() !== 'help');
  return own.length === 0 ? [command] : own.flatMap(leaves);
}

function pathOf(command: Command): string[] {
  return command.parent ? [...pathOf(command.parent), command.name()] : [];
}

function valuesFor(option: Option): typeof DATABASE | undefined {
  if (option.long === '--database-url') return DATABASE;
  if (option.long === '--public-url') return ORIGIN;
  return VALUES[/<(\w+)>/.exec(option.flags)?.[1] ?? ''];
}

/** Parses a command line; answers whether the command would have begun. */
async function begins(path: readonly string[], words: readonly string[]): Promise<boolean> {
  const program = await createProgram();
  const begun = vi.fn();
  for (const leaf of leaves(program)) leaf.configureOutput({ writeErr() {} }).action(begun);
  const leaf = leaves(program).find((one) => pathOf(one).join(' ') === path.join(' '));
  const required = leaf?.registeredArguments.filter((one) => one.required).map(() => 'x') ?? [];
  const cron = leaf?.options.some((one) => one.mandatory) ? ['--cron', '* * * * *'] : [];
  try {
    await program.parseAsync([...path, ...required, ...cron, ...words], { from: 'user' });
  } catch (error) {
    const refused =
      error instanceof CommanderError ||
      (error instanceof RunlinkError && error.code === 'invalid_option');
    if (!refused) throw error;
  }
  return begun.mock.calls.length > 0;
}

const options = leaves(await createProgram()).flatMap((leaf) =>
  leaf.options.flatMap((option) => {
    const values = valuesFor(option);
    return values ? [{ path: pathOf(leaf), option: option.long ?? '', ...values }] : [];
  }),
);

describe('an option that takes a duration, a number or an address', () => {
  it('is known to this test in every command', () => {
    expect(options.length).toBeGreaterThan(35);
    expect(new Set(options.map(({ option }) => option))).toEqual(
      new Set([
        '--grace',
        '--wait',
        '--capacity',
        '--port',
        '--metrics-port',
        '--limit',
        '--base-url',
        '--database-url',
        '--public-url',
        '--github-api-url',
      ]),
    );
  });

  it('is refused before its command begins when its value is none', async () => {
    for (const { path, option, right, wrong } of options) {
      expect([path, option, await begins(path, [option, right])]).toEqual([path, option, true]);
      for (const value of wrong)
        expect([path, value, await begins(path, [`${option}=${value}`])]).toEqual([
          path,
          value,
          false,
        ]);
    }
  });

  it('is read the same from the environment, where nothing means nothing', async () => {
    vi.stubEnv('RUNLINK_BASE_URL', 'here');
    expect(await begins(['runs', 'list'], [])).toBe(false);
    vi.stubEnv('RUNLINK_DATABASE_URL', 'here');
    vi.stubEnv('RUNLINK_BASE_URL', '');
    expect(await begins(['runs', 'list'], [])).toBe(true);
    expect(await begins(['serve'], [])).toBe(false);
  });

  it('names the levels that a log has', async () => {
    vi.stubEnv('RUNLINK_LOG', 'verbose');
    await expect(commandLog('serve')).rejects.toMatchObject({
      code: 'invalid_option',
      hint: expect.stringContaining('debug'),
    });
  });

  it('never repeats a database’s address, which may hold a password', async () => {
    const program = await createProgram();
    const parsing = program.parseAsync(
      ['keys', 'list', '--database-url', 'postgre://ada:secret@db/x'],
      { from: 'user' },
    );
    await expect(parsing).rejects.toThrow(/^(?!.*secret).*is not a PostgreSQL address/);
  });
});
