import { INPUTS, INPUT_GROUPS, type InputDefinition } from '../../src/action/inputs.ts';
import { OUTPUTS } from '../../src/action/outputs.ts';

const inputs: [string, InputDefinition][] = Object.entries(INPUTS);

/** The text of action.yml, so that it can never say another thing than the code does. */
export function renderActionFile(): string {
  const lines = [
    'name: Runlink',
    'description: Start a cloud coding agent from any event, wait for it, and lead its pull request back to the run.',
    'author: Runlink',
    'branding:',
    '  icon: link-2',
    '  color: purple',
    'inputs:',
    ...inputs.flatMap(([name, input]) => [
      `  ${name}:`,
      `    description: ${JSON.stringify(input.description)}`,
      ...(input.default === undefined ? [] : [`    default: ${JSON.stringify(input.default)}`]),
    ]),
    'outputs:',
    ...Object.entries(OUTPUTS).flatMap(([name, description]) => [
      `  ${name}:`,
      `    description: ${JSON.stringify(description)}`,
    ]),
    'runs:',
    '  using: node24',
    '  main: dist/index.js',
    '  post: dist/index.js',
    '',
  ];
  return lines.join('\n');
}

/** The tables of docs/action.md. */
export function renderTables(): string {
  const groups = INPUT_GROUPS.flatMap((group) => [
    `### ${group}`,
    '',
    '| Input | Default | What it does |',
    '|---|---|---|',
    ...inputs
      .filter(([, input]) => input.group === group)
      .map(
        ([name, input]) =>
          `| \`${name}\` | ${cell(input.default)} | ${escape(input.description)} |`,
      ),
    '',
  ]);
  const outputs = Object.entries(OUTPUTS).map(
    ([name, description]) => `| \`${name}\` | ${escape(description)} |`,
  );
  return [...groups, '### Outputs', '', '| Output | Meaning |', '|---|---|', ...outputs, ''].join(
    '\n',
  );
}

function cell(value: string | undefined): string {
  return value === undefined ? '' : `\`${value}\``;
}

function escape(text: string): string {
  return text.replaceAll('|', '\\|');
}
