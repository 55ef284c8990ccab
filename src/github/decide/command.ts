import { closest, distance } from 'fastest-levenshtein';
import { onThread } from '../markdown-jobs.ts';
import { LOOK_BEHIND, beginsWith, lookForCommands } from './command-lines.ts';
import { readOptions, type OptionProblem, type Options } from './command-options.ts';

/**
 * Runlink's own commands. A bare one takes no text: followed by more words, it is just the first
 * word of a prompt. One that does work gives an agent something to do, so the rules for forks and
 * limits apply.
 */
export const VERBS = {
  status: { isBare: true, doesWork: false },
  cancel: { isBare: true, doesWork: false },
  retry: { isBare: true, doesWork: true },
  follow: { isBare: false, doesWork: true },
  new: { isBare: false, doesWork: true },
  help: { isBare: true, doesWork: false },
} as const;
export type Verb = keyof typeof VERBS;
/** Commands that start named work. A repository may define its own command with the same name. */
export const WORK_VERBS = ['review', 'fix'] as const;

/**
 * Each command costs requests to GitHub, even if its author is refused. Nobody needs more in one
 * text.
 */
const COMMANDS_MAX = 20;
/** A longer word is not taken for a misspelt command. */
const WORD_MAX = 60;
/**
 * Texts up to this length are parsed for everybody: that takes the thread 0.3 s at the very worst.
 */
const PARSED_FOR_ALL = 1000;
/** `fix 3`, `fix 1, 3 and 4`, `fix 2-5`, `fix finding #2`: findings of a review, by number. */
const FIX = /^fix (?:findings? )?#?\d{1,4}(?:(?:,? and |, ?| to | ?[-–] ?| )#?\d{1,4}){0,50}\.?$/i;
/** People also write `cancel!` and `new: …`. */
const SIGN = /(?<=\w)[.,:;!?]{1,3}$/;
/** A word in bold or italics, as code or in quotation marks. */
const MARKED_WORD = /^([*_`"']{1,3})(\w.{0,59})\1(?=[.,:;!?]{0,3}$)/;
/** Invisible characters that get pasted along or come from right-to-left text. */
const PASTED = /^\p{Cf}{1,9}/gmu;
/** Names that other tools use for commands. Alone, such a word is never meant as a prompt. */
const ELSEWHERE: ReadonlyMap<string, Verb> = new Map([
  ['stop', 'cancel'],
  ['abort', 'cancel'],
  ['rerun', 'retry'],
]);
/**
 * A word with at most this many typing errors is taken for a command, not for a one-word prompt.
 */
const VERB_DISTANCE = 2;

export interface ReadCommand {
  /** Position in the text, from 1. */
  index: number;
  /** `run` is a plain `/agent <prompt>`; `custom` one of the repository's own commands. */
  verb: Verb | (typeof WORK_VERBS)[number] | 'run' | 'custom';
  /** Name of the repository's own command, if `verb` is `custom`. */
  name: string | undefined;
  /** The text for the agent; empty for commands that take none. */
  prompt: string;
  options: Options;
}

export interface BrokenCommand {
  index: number;
  problem:
    | OptionProblem
    | { reason: 'unknown_command'; word: string; nearest: string }
    | { reason: 'no_prompt' }
    | { reason: 'quoted_command' }
    | { reason: 'unreadable_text' }
    | { reason: 'too_many_commands'; max: number };
}

export type Command = ReadCommand | BrokenCommand;

export interface Grammar {
  /** What a line must begin with, such as `/agent`; matched in any case. */
  phrase: string;
  /** Names of the repository's own commands. */
  custom?: readonly string[];
}

export function isVerb(word: string): word is Verb {
  return Object.hasOwn(VERBS, word);
}

/**
 * The commands of a comment, review or issue text, in order. A command is the phrase as first word
 * of a line of the author's own text, up to the next command or the end (github.md, "Commands").
 * Most texts are read line by line. A long text that needs a Markdown parser is parsed only if
 * `mayParse` returns true; otherwise it has no commands (threats.md G15).
 */
export async function readCommands(
  body: string,
  grammar: Grammar,
  mayParse: () => Promise<boolean> = async () => true,
): Promise<Command[]> {
  const texts = await findTexts(body, grammar.phrase.trim(), mayParse);
  if (texts === 'unreadable') return [{ index: 1, problem: { reason: 'unreadable_text' } }];
  const commands = texts
    .slice(0, COMMANDS_MAX)
    .map((text, position) => readCommand(text, position + 1, grammar));
  if (texts.length <= COMMANDS_MAX) return commands;
  const problem = { reason: 'too_many_commands', max: COMMANDS_MAX } as const;
  return [...commands, { index: COMMANDS_MAX + 1, problem }];
}

/**
 * Normalises the line ends, drops invisible characters at the start of lines, and turns the slash
 * of East Asian keyboards into `/` where the phrase begins.
 */
export function plainLines(body: string, phrase: string): string {
  const text = body.replaceAll(/\r\n?/g, '\n').replaceAll(PASTED, '');
  return text.replaceAll(/^／/gm, (slash, at: number) => {
    const word = `/${text.slice(at + 1, at + phrase.length + LOOK_BEHIND)}`;
    return beginsWith(word, phrase) ? '/' : slash;
  });
}

async function findTexts(
  body: string,
  phrase: string,
  mayParse: () => Promise<boolean>,
): Promise<(string | undefined)[] | 'unreadable'> {
  if (phrase === '') return [];
  const source = plainLines(body, phrase);
  const seen = lookForCommands(source, phrase);
  if (seen) return seen;
  if (source.length > PARSED_FOR_ALL && !(await mayParse())) return [];
  const job = await onThread('read', { findCommandText: source, phrase });
  return 'answer' in job && job.answer && 'texts' in job.answer ? job.answer.texts : 'unreadable';
}

function readCommand(text: string | undefined, index: number, grammar: Grammar): Command {
  if (text === undefined) return { index, problem: { reason: 'quoted_command' } };
  const read = readOptions(text);
  if ('problem' in read) return { index, problem: read.problem };
  const [, word = '', rest = ''] = /^(\S*)([\s\S]*)$/.exec(read.text) ?? [];
  const asked = readMeaning(word, rest.trim(), rest, grammar.custom ?? []);
  if ('reason' in asked) return { index, problem: asked };
  const prompt = asked.verb === 'run' ? read.text : asked.prompt;
  if (prompt === '' && needsPrompt(asked.verb, read.options)) {
    return { index, problem: { reason: 'no_prompt' } };
  }
  return { index, options: read.options, ...asked, prompt };
}

type Meaning = Pick<ReadCommand, 'verb' | 'name' | 'prompt'>;

function readMeaning(
  word: string,
  prompt: string,
  rest: string,
  names: readonly string[],
): Meaning | Extract<BrokenCommand['problem'], { reason: 'unknown_command' }> {
  const said = word.toLowerCase().replace(MARKED_WORD, '$2').replace(SIGN, '');
  const custom = names.find((one) => [said, word.toLowerCase()].includes(one.toLowerCase()));
  if (custom) return { verb: 'custom', name: custom, prompt };
  const verb = readVerb(said, rest);
  if (verb) return { verb, name: undefined, prompt: VERBS[verb].isBare ? '' : prompt };
  if (said === 'review') return { verb: 'review', name: undefined, prompt };
  if (FIX.test(`${word}${rest}`.trim())) return { verb: 'fix', name: undefined, prompt };
  const isName = prompt === '' && word.length <= WORD_MAX;
  const nearest = isName ? nearestVerb(word, names) : undefined;
  if (nearest) return { reason: 'unknown_command', word, nearest };
  return { verb: 'run', name: undefined, prompt };
}

function needsPrompt(verb: ReadCommand['verb'], options: Options): boolean {
  if (verb === 'run' || verb === 'new') return options.skill === undefined;
  return verb === 'follow';
}

/** The verb of a command; undefined if the word only begins a sentence. */
function readVerb(name: string, rest: string): Verb | undefined {
  const [sameLine = ''] = rest.split('\n', 1);
  if (!isVerb(name)) return undefined;
  return VERBS[name].isBare && sameLine.trim() !== '' ? undefined : name;
}

/** The command that a single word was probably meant to be. */
function nearestVerb(word: string, custom: readonly string[]): string | undefined {
  const name = word.toLowerCase().replace(SIGN, '');
  const meant = ELSEWHERE.get(name);
  if (meant) return meant;
  const nearest = closest(name, [...Object.keys(VERBS), 'review', ...custom]);
  const allowed = Math.min(VERB_DISTANCE, Math.floor(nearest.length / 2));
  return name !== '' && distance(name, nearest) <= allowed ? nearest : undefined;
}
