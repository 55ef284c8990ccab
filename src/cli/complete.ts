import type { Command, Option } from 'commander';
import { AGENT_KINDS } from '../config/harness.ts';
import { oneLine } from './output/text.ts';
import { LISTS, type Kind, type Named } from './remote/find.ts';
import { apiBaseUrl } from './remote/base-url.ts';
import { openClient } from './remote/remote.ts';
import { findService } from './remote/service.ts';

/** Longest time that a Tab may take. */
const WITHIN_MS = 2500;

interface Candidate {
  word: string;
  help: string;
}

/** Completes the last of these words: one candidate a line, with its description. */
export async function completeLine(program: Command, words: readonly string[]): Promise<string> {
  const typed = words.at(-1) ?? '';
  const found = await candidates(program, words.slice(0, -1), typed);
  const fitting = found.filter(({ word }) => word.startsWith(typed));
  return fitting.map(({ word, help }) => `${word}${help && `\t${oneLine(help)}`}\n`).join('');
}

async function candidates(
  program: Command,
  before: readonly string[],
  typed: string,
): Promise<Candidate[]> {
  const { command, pending, operands } = placeOf(program, before);
  if (typed.startsWith('-'))
    return command.options.map(({ long, description: help }) => ({ word: long ?? '', help }));
  if (pending) return valuesOf(pending.argChoices, pending.flags);
  if (command.commands.length > 0 && operands === 0)
    return command.commands.map((child) => ({ word: child.name(), help: child.description() }));
  const argument = command.registeredArguments[operands] ?? command.registeredArguments.at(-1);
  return argument ? valuesOf(argument.argChoices, argument.name()) : [];
}

/**
 * The command that these words lead to, the option that still needs a value, and the arguments
 * given.
 */
function placeOf(program: Command, words: readonly string[]) {
  let [command, operands] = [program, 0];
  let pending: Option | undefined;
  for (const word of words) {
    const option = command.options.find(({ short, long }) => word === short || word === long);
    const child = command.commands.find((each) => each.name() === word);
    if (option) pending = option.required ? option : undefined;
    else if (pending) pending = pending.variadic ? pending : undefined;
    else if (child && operands === 0) command = child;
    else operands += 1;
  }
  return { command, pending, operands };
}

/** Options and arguments whose values come from the service. */
const KINDS: readonly (readonly [RegExp, Kind])[] = [
  [/^run$|<run>/, 'run'],
  [/^environment$|--environment/, 'environment'],
  [/^schedule$|--schedule/, 'schedule'],
  [/^agent$|--as /, 'agent'],
  [/^key$/, 'key'],
  [/^artifact$/, 'artifact'],
  [/--model/, 'model'],
  [/--skill/, 'skill'],
];

async function valuesOf(
  choices: readonly string[] | undefined,
  name: string,
): Promise<Candidate[]> {
  const words = /--harness/.test(name) ? AGENT_KINDS : choices;
  if (words) return words.map((word) => ({ word, help: '' }));
  const kind = KINDS.find(([pattern]) => pattern.test(name))?.[1];
  if (!kind) return [];
  const baseUrl = process.env['RUNLINK_BASE_URL'];
  const service = await findService(baseUrl ? { baseUrl: apiBaseUrl(baseUrl) } : {});
  if (!service?.apiKey) return [];
  const access = { baseUrl: service.baseUrl, apiKey: service.apiKey };
  const signal = AbortSignal.timeout(WITHIN_MS);
  const items = await LISTS[kind](openClient(access, signal, () => undefined));
  if (kind === 'run') return [{ word: '@last', help: 'your newest run' }, ...items.map(byId)];
  return items.map((item) =>
    kind === 'key' || kind === 'artifact' || !item.name ? byId(item) : byName(item),
  );
}

const byId = ({ id, name }: Named): Candidate => ({
  word: /^[0-9a-f]{8}-/.test(id) ? id.slice(0, 8) : id,
  help: name,
});
const byName = ({ id, name }: Named): Candidate =>
  /\s/.test(name) ? { word: id, help: name } : { word: oneLine(name), help: id };
