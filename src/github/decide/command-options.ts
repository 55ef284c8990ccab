import { closest, distance } from 'fastest-levenshtein';

/** Options of a command that take a value. */
export const OPTION_NAMES = ['model', 'environment', 'skill', 'sha'] as const;
export type OptionName = (typeof OPTION_NAMES)[number];
/** The option of a command that takes no value. */
const FLAG = '--stack';
export type Options = Partial<Record<OptionName, string>> & { stack?: true };

export type OptionProblem =
  | { reason: 'unknown_option'; word: string; nearest: string }
  | { reason: 'option_without_value'; word: string };

type Reading = { text: string; options: Options } | { problem: OptionProblem };

/** Phones turn `--` into one dash and straight quotes into curly ones. */
const ONE_DASH = /(?<=^|\s)[–—](?=(?:model|environment|skill|sha|stack)(?:[\s=]|$))/gi;
const ROUND_VALUE = /(--[a-z]{3,11}[ =])[“„”]([^“„”"\n]{1,256})[“”]/gi;
const OPTION = /^--([a-z][\w-]*)(?:=(.*))?$/i;
/** A word, or a quoted value that may contain spaces. */
const WORD = /--[\w-]+="[^"\n]*"|"[^"\n]*"|\S+/g;
/** Commands whose options may come after the verb as well as before it. */
const LEADING_WORD = /^(?:status|cancel|retry|follow|new|help|review)$/i;
const OPTION_DISTANCE = 2;
/** An answer quotes at most this many characters of an unknown option. */
const WORD_MAX = 60;

interface Word {
  text: string;
  start: number;
  end: number;
}

/**
 * Takes `--name value` pairs off the first line of a command: those before its text (or right after
 * its verb) and those at the very end of the line. A `--flag` in the middle is part of the person's
 * text; in backticks it always is.
 */
export function readOptions(text: string): Reading {
  const [written = ''] = text.split('\n', 1);
  const rest = text.slice(written.length);
  const line = written.replaceAll(ONE_DASH, '--').replaceAll(ROUND_VALUE, '$1"$2"');
  const words: Word[] = [...line.matchAll(WORD)].map((match) => ({
    text: match[0],
    start: match.index,
    end: match.index + match[0].length,
  }));
  const verb = words.length > 0 && LEADING_WORD.test(words[0]?.text ?? '') ? words[0] : undefined;
  const leading = takeLeading(verb ? words.slice(1) : words);
  if ('problem' in leading) return leading;
  const trailing = takeTrailing(leading.words);
  if ('problem' in trailing) return trailing;
  const [first, last] = [trailing.words[0], trailing.words.at(-1)];
  const prose = first && last ? line.slice(first.start, last.end) : '';
  return {
    text: (verb ? `${verb.text} ${prose}`.trimEnd() + rest : prose + rest).trim(),
    options: { ...leading.options, ...trailing.options },
  };
}

interface Taken {
  options: Options;
  words: Word[];
}

function takeLeading(words: Word[]): Taken | { problem: OptionProblem } {
  const options: Options = {};
  let at = 0;
  for (;;) {
    if (isFlag(words[at])) {
      options.stack = true;
      at += 1;
      continue;
    }
    const option = readOption(words[at]);
    if (!option) return { options, words: words.slice(at) };
    const name = toOptionName(option.name);
    if (name === undefined) return { problem: unknownOption(option.name) };
    const value = option.value ?? words[at + 1]?.text;
    if (!isValue(value)) return { problem: { reason: 'option_without_value', word: `--${name}` } };
    options[name] = unquote(value);
    at += option.value === undefined ? 2 : 1;
  }
}

/** Reads pairs backwards from the end of the line, until a word that is not part of an option. */
function takeTrailing(words: Word[]): Taken | { problem: OptionProblem } {
  const options: Options = {};
  let end = words.length;
  for (;;) {
    if (isFlag(words[end - 1])) {
      options.stack = true;
      end -= 1;
      continue;
    }
    const pair = lastPair(words[end - 2], words[end - 1]);
    if (!pair) return { options, words: words.slice(0, end) };
    if ('problem' in pair) return pair;
    options[pair.name] ??= pair.value;
    end -= pair.length;
  }
}

function isFlag(word: Word | undefined): boolean {
  return word?.text.toLowerCase() === FLAG;
}

type Pair = { name: OptionName; value: string; length: number };

/**
 * A `--name value` or `--name=value` in the last two words; undefined if they are ordinary text.
 */
function lastPair(
  before: Word | undefined,
  last: Word | undefined,
): Pair | { problem: OptionProblem } | undefined {
  const alone = readOption(last);
  if (alone) return toPair(alone.name, alone.value, 1);
  const named = readOption(before);
  return named && named.value === undefined ? toPair(named.name, last?.text, 2) : undefined;
}

function readOption(
  word: Word | undefined,
): { name: string; value: string | undefined } | undefined {
  const match = OPTION.exec(word?.text ?? '');
  return match?.[1] === undefined ? undefined : { name: match[1], value: match[2] };
}

function toPair(
  word: string,
  value: string | undefined,
  length: number,
): Pair | { problem: OptionProblem } | undefined {
  const name = toOptionName(word);
  if (name === undefined) return nearMiss(word);
  if (!isValue(value)) return { problem: { reason: 'option_without_value', word: `--${name}` } };
  return { name, value: unquote(value), length };
}

/**
 * At the end of a line, an unknown option is reported only if it is close to a known one; otherwise
 * it is text.
 */
function nearMiss(word: string): { problem: OptionProblem } | undefined {
  const problem = unknownOption(word);
  const isNear = distance(problem.word, problem.nearest) <= OPTION_DISTANCE;
  return isNear ? { problem } : undefined;
}

function unquote(value: string): string {
  return value.replaceAll(/^"|"$/g, '').trim();
}

function isValue(value: string | undefined): value is string {
  return value !== undefined && unquote(value) !== '' && !value.startsWith('--');
}

function toOptionName(word: string): OptionName | undefined {
  return OPTION_NAMES.find((name) => name === word.toLowerCase());
}

function unknownOption(name: string): { reason: 'unknown_option'; word: string; nearest: string } {
  const word = `--${name.slice(0, WORD_MAX)}`;
  const known = [...OPTION_NAMES.map((one) => `--${one}`), FLAG];
  return { reason: 'unknown_option', word, nearest: closest(word.toLowerCase(), known) };
}
