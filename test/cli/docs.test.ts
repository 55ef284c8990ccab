import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exit-code.ts';
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

async function manual(): Promise<string> {
  const program = await createProgram();
  const sections = leaves(program).map(
    (command) => `## ${pathOf(command)}\n\n\`\`\`text\n${helpOf(command)}\n\`\`\`\n`,
  );
  const codes = Object.values(EXIT_CODES).map(([code, meaning]) => `| ${code} | ${meaning} |`);
  return `# The command line

From a clone: \`npm run -s runlink -- <command>\`; installed: \`runlink <command>\`. The sections below, one for each
command, are made from the program's own help.

## Which service, and who you are

\`runlink login https://runs.example.org\` shows a code, opens a page of the service in your browser, and gets a key once
you approve that code there. The key is kept as a profile in \`$XDG_CONFIG_HOME/runlink/profiles.json\` (mode 0600); it is
listed and can be revoked in the settings, and \`runlink logout\` revokes it. Several services: one \`--profile\` each.
Without a browser, \`--with-key\` reads a key from standard input.

\`RUNLINK_BASE_URL\` (or \`--base-url\`) and \`RUNLINK_API_KEY\` go before profiles, as CI wants it. The address may lack
\`/api/v1\` and the scheme. A profile's key is sent to the profile's service alone.

## Naming things

- A run: its id or the first digits of it, \`@last\` (your newest), the address of its page, or that of a pull request.
- Environments, schedules, agents, keys, artifacts: a name, an id, or the start of either as far as only one begins so.
- \`run\` without \`--environment\` takes the one that has the git repository you stand in; \`--no-environment\` takes none.

## Following a run

\`runs watch\` and \`run --wait\` show messages, tools, the plan and the cost while the agent works. On a terminal what you
type goes to the agent with Enter, and Ctrl-C asks whether to leave the run working or to cancel it (\`--on-interrupt\`
says so beforehand). A run that ends BLOCKED shows its question and waits for what you type. In a pipe, a log or a dumb terminal the same comes
as plain lines. What agents and strangers wrote never reaches the terminal raw.

## In scripts

- \`--json\` prints one JSON document; \`--json=FIELDS\` only these fields, separated by commas; a
  line of a stream that has none of them is left out.
- Commands that stream (\`runs watch\`, \`run --wait\`, \`runs entries\`, \`runs watch --all\`) print one JSON document a line. Of a watched
  run, each entry comes once, complete; the last line is the run itself.
- With \`--json\` each line on standard error is JSON too: an error \`{"error": {"code", "message", "hint", "exit_code", …}}\` or a
  remark \`{"notice": "…"}\`.
- In a pipe lists are exact: whole ids, times as the service sent them, nothing cut, no colours.
- A service that cannot be reached is tried for 15 seconds; after two the command says so.

| exit code | meaning |
|---|---|
${codes.join('\n')}
| 130, 143 | ended by Ctrl-C or SIGTERM |
| 141 | whoever read the output has left |

Colours follow \`NO_COLOR\` and \`FORCE_COLOR\`; \`TERM=dumb\` and \`CI\` get plain lines, and ASCII where the terminal or
the locale (\`LANG=C\`) has no Unicode. Below 100 columns lists become cards.

${sections.join('\n')}`;
}

it('docs/cli.md is what the program says of itself (update: npm run generate)', async () => {
  await expect(await manual()).toMatchFileSnapshot('../../docs/cli.md');
});

it('every command says what it does, and shows it by an example', async () => {
  const silent = leaves(await createProgram()).filter(
    (command) => command.description() === '' || !/^Examples?:$/m.test(helpOf(command)),
  );
  expect(silent.map(pathOf)).toEqual([]);
});
