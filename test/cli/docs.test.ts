import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';

function leaves(command: Command): Command[] {
  const own = command.commands.filter((child) => child.name() !== 'help');
  return own.length === 0 ? [command] : own.flatMap(leaves);
}

function pathOf(command: Command): string {
  const name = command.name();
  return command.parent ? `${pathOf(command.parent)} ${name}` : name;
}

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (more) => void (text += more), getOutHelpWidth: () => 100 });
  command.outputHelp();
  return text.trim();
}

function manual(): string {
  const program = createProgram();
  const sections = leaves(program).map(
    (command) => `## ${pathOf(command)}\n\n\`\`\`text\n${helpOf(command)}\n\`\`\`\n`,
  );
  return `# The command line

From a clone: \`npm run -s runlink -- <command>\`; installed: \`runlink <command>\`. Commands that talk to a service take
its address from \`RUNLINK_BASE_URL\` (or \`--base-url\`) and the key from \`RUNLINK_API_KEY\`. Exit codes: 0 done, 1 failed,
2 wrong usage, 130 stopped by Ctrl-C. Colours only on a terminal; \`--json\` prints one JSON document on standard output.
This page is made from the program's own help.

${sections.join('\n')}`;
}

it('docs/cli.md is what the program says of itself (update: npm run generate)', async () => {
  await expect(manual()).toMatchFileSnapshot('../../docs/cli.md');
});

it('every command says what it does', () => {
  const silent = leaves(createProgram()).filter((command) => command.description() === '');
  expect(silent.map(pathOf)).toEqual([]);
});
