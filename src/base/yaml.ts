import { LineCounter, isMap, isNode, isPair, isScalar, isSeq, parseDocument, visit } from 'yaml';
import type { Document, Node, Pair } from 'yaml';
import type { z } from 'zod';
import { RunlinkError } from './error.ts';

/** Longest YAML text that is accepted, in UTF-16 units. What people write is far shorter. */
const YAML_MAX = 1024 * 1024;
/** Most aliases that one document may expand; with more, a small file could fill the memory. */
const ALIASES_MAX = 100;
/** Most errors reported for one file: nobody reads more, and finding each line takes time. */
const ISSUES_MAX = 100;

/** One error of a YAML text, with its line and column (from 1). */
export interface YamlIssue {
  line: number;
  column: number;
  /** Where in the data, such as `environments[0].id`; empty for the whole text. */
  path: string;
  message: string;
}

export type YamlResult<T> = { ok: true; value: T } | { ok: false; issues: YamlIssue[] };

type Path = readonly PropertyKey[];
type Locate = (offset: number) => { line: number; column: number };

/** Parses YAML by a schema. A text without content counts as an empty mapping. Never throws. */
export function parseYaml<S extends z.ZodType>(text: string, schema: S): YamlResult<z.output<S>> {
  if (text.length > YAML_MAX) {
    const message = `is longer than ${YAML_MAX} characters`;
    return { ok: false, issues: [{ line: 1, column: 1, path: '', message }] };
  }
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
  });
  const locate: Locate = (offset) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const faults = [...document.errors, ...document.warnings];
  const issues = faults.map(({ pos, message }) => {
    const isDeep = message.includes('call stack');
    return { ...locate(pos[0]), path: '', message: isDeep ? 'is nested too deep' : message };
  });
  const repeated = issues.length > 0 ? [] : repeatedKeys(document, locate);
  if (issues.length + repeated.length > 0) {
    return { ok: false, issues: [...issues, ...repeated].slice(0, ISSUES_MAX) };
  }
  let data: unknown;
  try {
    data = document.toJS({ maxAliasCount: ALIASES_MAX }) ?? {};
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, issues: [{ line: 1, column: 1, path: '', message }] };
  }
  const parsed = schema.safeParse(data);
  return parsed.success
    ? { ok: true, value: parsed.data }
    : { ok: false, issues: schemaIssues(parsed.error, document, locate) };
}

/** An issue as editors and terminals link it: `runlink.yaml:3:5: environments[0].id: …`. */
export function formatYamlIssue(file: string, issue: YamlIssue): string {
  const subject = issue.path === '' ? '' : `${issue.path}: `;
  return `${file}:${issue.line}:${issue.column}: ${subject}${issue.message}`;
}

/**
 * Parses YAML by a schema. Throws `invalid_yaml`, whose message has one line per error with file,
 * line and column.
 */
export function readYaml<S extends z.ZodType>(text: string, schema: S, file: string): z.output<S> {
  const result = parseYaml(text, schema);
  if (result.ok) return result.value;
  throw new RunlinkError(
    'invalid_yaml',
    result.issues.map((issue) => formatYamlIssue(file, issue)).join('\n'),
    { hint: `Correct ${file} and start again.` },
  );
}

function describePath(path: Path): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

function pairOf(node: unknown, key: PropertyKey): Pair | undefined {
  if (!isMap(node)) return undefined;
  return node.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === String(key));
}

/** The node at the path; if the value is missing, the node that should contain it. */
function nodeAt(document: Document, path: Path): Node | null {
  let node: unknown = document.contents;
  let place = document.contents;
  for (const key of path) {
    const next: unknown = isSeq(node) ? node.items[Number(key)] : pairOf(node, key);
    if (next === undefined) return place;
    const value: unknown = isPair(next) ? next.value : next;
    const empty = isScalar(value) && value.value === null;
    if (isNode(value) && !empty) place = value;
    else if (isPair(next) && isNode(next.key)) place = next.key;
    node = value;
  }
  return place;
}

function unknownKeyIssues(
  issue: z.core.$ZodIssueUnrecognizedKeys,
  document: Document,
  locate: Locate,
): YamlIssue[] {
  const map = nodeAt(document, issue.path);
  return issue.keys.slice(0, ISSUES_MAX).map((key) => {
    const name = pairOf(map, key)?.key;
    return {
      ...locate((isNode(name) ? name : map)?.range?.[0] ?? 0),
      path: describePath([...issue.path, key]),
      message: 'is not a known setting',
    };
  });
}

function schemaIssues(error: z.ZodError, document: Document, locate: Locate): YamlIssue[] {
  return error.issues.slice(0, ISSUES_MAX).flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? unknownKeyIssues(issue, document, locate)
      : [
          {
            ...locate(nodeAt(document, issue.path)?.range?.[0] ?? 0),
            path: describePath(issue.path),
            message: issue.message,
          },
        ],
  );
}

/**
 * Keys that a mapping has twice. The parser's own check is switched off, because it is quadratic.
 */
function repeatedKeys(document: Document, locate: Locate): YamlIssue[] {
  const issues: YamlIssue[] = [];
  visit(document, {
    Map(_, map) {
      const known = new Set<unknown>();
      for (const { key } of map.items) {
        if (!isScalar(key)) continue;
        if (known.has(key.value)) {
          issues.push({
            ...locate(key.range?.[0] ?? 0),
            path: '',
            message: 'this key appears twice',
          });
        }
        known.add(key.value);
      }
    },
  });
  return issues;
}
