import { EVENT_RAW_MAX, EVENT_TEXT_MAX } from '../../contract/event.ts';
import type { EntryDraft } from '../agent/translate.ts';
import { cutMiddle, splitPoint, storable } from './bounded-text.ts';
import type { Masker } from './mask.ts';

type ToolDraft = Extract<EntryDraft, { type: 'tool_call' }>;

const SHORT_MAX = 4096;
const INPUT_STRING_MAX = 16_384;
const INPUT_MAX = 262_144;
const PATHS_MAX = 256;

/** `value` with every string masked, made storable and cut to a limit. */
export function cleanDeep(value: unknown, masker: Masker, depth = 0): unknown {
  if (typeof value === 'string') return cutMiddle(storable(masker.mask(value)), INPUT_STRING_MAX);
  if (depth > 20) return '…';
  if (Array.isArray(value)) return value.map((each) => cleanDeep(each, masker, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      storable(masker.mask(key)).slice(0, 1024),
      cleanDeep(each, masker, depth + 1),
    ]),
  );
}

/** The same value with every string in it masked, for values whose strings are all short. */
export function maskAll<T>(value: T, masker: Masker): T {
  return cleanDeep(value, masker) as T;
}

function cleanInput(input: Record<string, unknown>, masker: Masker): Record<string, unknown> {
  const cleaned = cleanDeep(input, masker) as Record<string, unknown>;
  const json = JSON.stringify(cleaned);
  return json.length <= INPUT_MAX ? cleaned : { truncated: cutMiddle(json, INPUT_STRING_MAX) };
}

export function cleanRaw(raw: string, masker: Masker): string {
  return storable(cutMiddle(masker.mask(raw), EVENT_RAW_MAX));
}

/**
 * Masks everything of an entry but its streamed text, makes it storable, and cuts it to the
 * contract's limits.
 */
export function cleanDraft(draft: EntryDraft, masker: Masker): EntryDraft {
  if (draft.type === 'tool_call') return cleanTool(draft, masker);
  const { short, long } = cleaners(masker);
  if (draft.type === 'permission')
    return { ...draft, title: short(draft.title), ...optional('call_id', draft.call_id, short) };
  if (draft.type === 'message' || draft.type === 'thought')
    return { ...draft, message_id: short(draft.message_id) };
  if (draft.type === 'agent_started')
    return { ...draft, ...optional('version', draft.version, short) };
  if (draft.type === 'usage') return { ...draft, usage: maskAll(draft.usage, masker) };
  if (draft.type === 'notice') return { ...draft, text: long(draft.text) };
  if (draft.type === 'setup')
    return { ...draft, title: short(draft.title), ...optional('output', draft.output, long) };
  if (draft.type === 'plan')
    return {
      ...draft,
      entries: draft.entries.map((entry) => ({ ...entry, content: long(entry.content) })),
    };
  if (draft.type === 'changes')
    return {
      ...draft,
      files: draft.files.map((file) => ({ ...file, path: short(file.path) })),
      ...optional('diff', draft.diff, (text) => masker.mask(text)),
    };
  return draft;
}

function cleaners(masker: Masker): Record<'short' | 'long', (text: string) => string> {
  return {
    short: (text) => cutMiddle(storable(masker.mask(text)), SHORT_MAX),
    long: (text) => cutMiddle(storable(masker.mask(text)), EVENT_TEXT_MAX),
  };
}

function cleanTool(draft: ToolDraft, masker: Masker): ToolDraft {
  const { short, long } = cleaners(masker);
  return {
    ...draft,
    call_id: short(draft.call_id),
    ...optional('parent_call_id', draft.parent_call_id, short),
    ...optional('title', draft.title, short),
    ...optional('name', draft.name, short),
    ...optional('input', draft.input, (input) => cleanInput(input, masker)),
    ...optional('paths', draft.paths, (paths) => paths.slice(0, PATHS_MAX).map(short)),
    ...optional('diff', draft.diff, ({ path, old_text, new_text }) => ({
      path: short(path),
      old_text: old_text === null ? null : long(old_text),
      new_text: long(new_text),
    })),
  };
}

/** `{[name]: clean(value)}`; empty if there is no value. */
function optional<Name extends string, T>(
  name: Name,
  value: T | undefined,
  clean: (value: T) => T,
): { [K in Name]?: T } {
  return value === undefined ? {} : ({ [name]: clean(value) } as { [K in Name]: T });
}

/** Splits `text` into pieces that each fit one entry. */
export function pieces(text: string): string[] {
  const result: string[] = [];
  for (let rest = text; rest !== '';) {
    const at = splitPoint(rest, EVENT_TEXT_MAX);
    result.push(rest.slice(0, at));
    rest = rest.slice(at);
  }
  return result;
}
