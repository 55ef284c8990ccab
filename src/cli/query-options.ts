import { InvalidArgumentError, Option, type Command } from 'commander';
import { z } from 'zod';
import { parseDurationMs } from '../base/time.ts';
import { timestamp } from '../contract/primitives.ts';
import { wrongUse } from './exit-code.ts';

/** How fields of a query are written on the command line; the others keep their names. */
export type Spellings = Partial<Record<string, { flags: string; help: string } | null>>;

/** An option for each field of a query, with the values that the contract allows. */
export function addQueryOptions(
  command: Command,
  query: z.ZodObject,
  spellings: Spellings,
): Command {
  for (const [field, schema] of Object.entries(query.shape)) {
    const spelling = spellings[field];
    if (spelling !== null) command.addOption(toOption(field, schema as z.ZodType, spelling));
  }
  return command;
}

function toOption(
  field: string,
  schema: z.ZodType,
  spelling: { flags: string; help: string } | undefined,
): Option {
  const inner = unwrap(schema);
  const isList = inner instanceof z.ZodArray;
  const item = isList ? unwrap(inner.element as z.ZodType) : inner;
  const name = field.replaceAll('_', '-');
  const flags = spelling?.flags ?? `--${name} <value${isList ? '...' : ''}>`;
  const choices = item instanceof z.ZodEnum ? item.options.map(String) : undefined;
  const option = new Option(flags, spelling?.help ?? `only this ${name.replaceAll('-', ' ')}`);
  if (choices)
    option.choices(choices.map((each) => each.toLowerCase())).argParser(oneOf(choices, isList));
  if (item === timestamp) option.argParser(readSince);
  if (item instanceof z.ZodRecord) option.argParser(collectPair);
  return option;
}

function unwrap(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return unwrap(schema.unwrap() as z.ZodType);
  return schema;
}

/** One of the contract's values, in upper or lower case. */
function oneOf(choices: readonly string[], isList: boolean) {
  return (word: string, before: unknown): string | string[] => {
    const found = choices.find((choice) => choice.toLowerCase() === word.toLowerCase());
    if (found === undefined) throw new InvalidArgumentError(`Give ${choices.join(', ')}.`);
    return isList ? [...(Array.isArray(before) ? before : []), found] : found;
  };
}

/** Reads an RFC 3339 time, or an age such as `7d`. */
function readSince(word: string): string {
  if (/^\d+(\.\d+)?(ms|s|m|h|d)$/i.test(word))
    return new Date(Date.now() - parseDurationMs(word)).toISOString();
  const date = new Date(word);
  if (!/^\d{4}-\d\d-\d\d/.test(word) || Number.isNaN(date.getTime()))
    throw new InvalidArgumentError('Give a time such as 7d, 12h or 2026-11-21T08:00:00Z.');
  return date.toISOString();
}

/** Collects repeated `key=value` options. */
export function collectPair(
  word: string,
  pairs: Record<string, string> = {},
): Record<string, string> {
  const at = word.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Write it as key=value.');
  return { ...pairs, [word.slice(0, at)]: word.slice(at + 1) };
}

/** The query that the options make. Throws with the name of the field that is invalid. */
export function readQuery<Q extends z.ZodObject>(
  schema: Q,
  spellings: Spellings,
  options: Record<string, unknown>,
): z.output<Q> {
  const given = Object.keys(schema.shape).flatMap((field) => {
    const flags = spellings[field]?.flags;
    const value = options[new Option(flags ?? `--${field.replaceAll('_', '-')}`).attributeName()];
    return value === undefined ? [] : [[field, value] as const];
  });
  const parsed = schema.safeParse(Object.fromEntries(given));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw wrongUse(
    `${issue?.path.join('.') ?? 'option'}: ${issue?.message ?? 'not valid'}`,
    'Run the command with --help to see what it takes.',
  );
}
