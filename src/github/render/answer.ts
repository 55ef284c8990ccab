import type { BrokenCommand } from '../decide/command.ts';
import { inertLine } from './inert-line.ts';
import { REASONS, type Reason } from '../decide/reason.ts';

/** A repository's own command, as the help shows it. */
export interface CustomHelp {
  name: string;
  description: string;
}

/** The answer to `help`. */
export function renderHelp(phrase: string, custom: readonly CustomHelp[] = []): string {
  const say = (words: string): string => `\`${phrase} ${words}\``;
  return [
    `Begin a line of a comment with \`${phrase}\`:`,
    '',
    `- ${say('<what to do>')}: start a run, or send more to the run on this thread`,
    `- ${say('new <what to do>')}: always start a new run`,
    `- ${say('follow <text>')}: send more to the run on this thread`,
    `- ${say('review')}: review this pull request on its lines; ${say('fix 3')}: fix finding 3 of the last review`,
    `- ${say('status')}, ${say('cancel')}, ${say('retry')}`,
    ...custom.map(({ name, description }) => `- ${say(name)}: ${inertLine(description)}`),
    '',
    'Options stand before the text, or at the end of its first line: `--model`, `--environment`, `--skill`. On a pull request, `--stack` puts the work into a new pull request onto its branch. If it is from a fork, `--sha` names the commit that you have read.',
  ].join('\n');
}

/** One line on what is wrong with a command, and one on what to do. */
export function renderProblem(problem: BrokenCommand['problem'], phrase: string): string {
  const help = `\`${phrase} help\` shows what there is.`;
  if (problem.reason === 'unknown_command') {
    return `There is no \`${tick(problem.word)}\`. Did you mean \`${phrase} ${problem.nearest}\`? ${help}`;
  }
  if (problem.reason === 'unknown_option') {
    return `There is no option \`${tick(problem.word)}\`. Did you mean \`${problem.nearest}\`? ${help}`;
  }
  if (problem.reason === 'option_without_value') {
    return `\`${problem.word}\` lacks its value, as in \`${phrase} ${problem.word} <value> <what to do>\`. ${help}`;
  }
  if (problem.reason === 'too_many_commands') {
    return `Only the first ${problem.max} commands of a text are carried out.`;
  }
  if (problem.reason === 'quoted_command') {
    return `A command in quotation marks does not count. Begin the line with \`${phrase}\`. ${help}`;
  }
  if (problem.reason === 'unreadable_text') {
    return `The Markdown of this text takes too long to read. Write one command in a comment that begins with \`${phrase}\`: that is always read. ${help}`;
  }
  return `Say what to do, as in \`${phrase} fix the failing test\`. ${help}`;
}

/** What the person who asked reads if a command is refused. */
export function renderRefusal(reason: Reason, detail = ''): string {
  const text = REASONS[reason].text;
  const more = detail === '' || detail.includes(text) ? '' : ` ${detail}`;
  return `Nothing was done: ${text}.${more}`;
}

function tick(word: string): string {
  return word.replaceAll('`', '');
}
