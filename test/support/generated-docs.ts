import { z } from 'zod';
import { KEY_KINDS, type Caller } from '../../src/contract/endpoint.ts';
import { ERROR_CATALOGUE } from '../../src/contract/problem.ts';
import { listEndpoints } from '../../src/contract/endpoints.ts';
import { operatorConfig } from '../../src/config/operator-config.ts';
import { REASONS } from '../../src/github/decide/reason.ts';
import { UPSTREAMS } from '../../src/worker/model/upstream.ts';
import { BUILT_IN } from '../../src/worker/profile/built-in.ts';
import { packagesToInstall, testedWith } from '../../src/worker/profile/agent-packages.ts';

import { inputsOf, type SdkMethod } from './sdk-types.ts';

type Schema = z.core.JSONSchema.BaseSchema;
type Row = readonly string[];

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

function table(head: Row, rows: readonly Row[]): string {
  const line = (row: Row): string => `| ${row.map(cell).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum)
    return listOf(schema.enum)
      .map((value) => JSON.stringify(value))
      .join(', ');
  if (schema.type === 'array' && isSchema(schema.items) && !Array.isArray(schema.items))
    return `list of ${typeOf(schema.items)}`;
  if (schema.type === 'integer') return 'whole number';
  return typeof schema.type === 'string' ? schema.type : 'object';
}

function defaultOf(schema: Schema, required: boolean): string {
  if (schema.default !== undefined) return `\`${JSON.stringify(schema.default)}\``;
  return required ? 'required' : '';
}

/** The settings inside one, each with its path. */
function inner(path: string, schema: Schema): Row[] {
  const variants = [...listOf(schema.oneOf), ...listOf(schema.anyOf)].filter(isSchema);
  if (variants.length > 0) {
    const rows = variants.flatMap((variant) => inner(path, variant));
    return [...new Map(rows.map((row) => [`${row[0]} ${row[1]}`, row])).values()];
  }
  if (isSchema(schema.items) && !Array.isArray(schema.items))
    return inner(`${path}[]`, schema.items);
  if (isSchema(schema.additionalProperties))
    return inner(`${path}.NAME`, schema.additionalProperties);
  return settings(schema, `${path}.`);
}

function settings(schema: Schema, prefix: string): Row[] {
  const required = listOf(schema.required);
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    if (!isSchema(property)) return [];
    const path = prefix + name;
    const below = inner(path, property);
    const shownDefault =
      below.length > 0 && property.type === 'object'
        ? ''
        : defaultOf(property, required.includes(name));
    return [[`\`${path}\``, typeOf(property), shownDefault, property.description ?? ''], ...below];
  });
}

/** Every setting of runlink.yaml, from its schema. */
export function settingsTable(): string {
  const schema = z.toJSONSchema(operatorConfig, { io: 'input' });
  return table(['Setting', 'Type', 'Default', 'Meaning'], settings(schema, ''));
}

/** Every endpoint, from the contract. */
export function endpointsTable(): string {
  const rows = listEndpoints().map(({ endpoint }) => {
    const codes = endpoint.errors.map((code) => `${ERROR_CATALOGUE[code].status} ${code}`);
    return [
      `\`${endpoint.method} ${endpoint.path}\``,
      endpoint.summary +
        (endpoint.deprecated ? ' (deprecated)' : '') +
        (endpoint.waits ? ' Waits.' : ''),
      [endpoint.status, endpoint.alsoStatus].filter(Boolean).join(', '),
      codes.toSorted().join(', '),
    ];
  });
  return table(['Endpoint', 'What it does', 'Answers', 'Refuses with'], rows);
}

/** Which kind of key may call which endpoint, from the contract. */
export function callersTable(): string {
  const kinds: Caller[] = [...KEY_KINDS, 'anyone'];
  const rows = listEndpoints().map(({ endpoint: { method, path, callers } }) => [
    `\`${method} ${path}\``,
    ...kinds.map((kind) => (callers.includes(kind) ? '✓' : '')),
  ]);
  return table(['Endpoint', 'Person', 'Agent', 'Workflow', 'Worker', 'Run', 'No key'], rows);
}

export interface Input {
  /** `GET /agent/runs/{}`, as the SDK has it too. */
  endpoint: string;
  /** Dotted, lists as `[]`, maps as `NAME`. */
  path: string;
  /** Why it is not served, where it is not. */
  reason?: string;
  /** Why it changes nothing, where it is taken all the same. */
  kept?: string;
}

function keptOf({ description = '' }: Schema): Pick<Input, 'kept'> {
  const kept = /^Kept: (.*)\.$/.exec(description)?.[1];
  return kept === undefined ? {} : { kept };
}

/** What may be sent below a schema, each with the reason where it is not served. */
function inputsIn(schema: Schema, path: string): Omit<Input, 'endpoint'>[] {
  const reason = /^Not served: (.*)\.$/.exec(schema.description ?? '')?.[1];
  if (reason !== undefined) return [{ path, reason }];
  const below = (name: string): string => (path === '' ? name : `${path}.${name}`);
  const inside = [
    ...[...listOf(schema.oneOf), ...listOf(schema.anyOf), ...listOf(schema.allOf)]
      .filter(isSchema)
      .filter((variant) => variant.type !== 'null' && Object.keys(variant).length > 0)
      .flatMap((variant) => inputsIn(variant, path)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
      isSchema(property) ? inputsIn(property, below(name)) : [],
    ),
    ...(isSchema(schema.additionalProperties)
      ? inputsIn(schema.additionalProperties, below('NAME'))
      : []),
    ...(isSchema(schema.items) && !Array.isArray(schema.items)
      ? inputsIn(schema.items, `${path}[]`)
      : []),
  ];
  if (inside.length === 0) return path === '' ? [] : [{ path, ...keptOf(schema) }];
  return [...new Map(inside.map((input) => [input.path, input])).values()];
}

const anyPath = (path: string): string => path.replaceAll(/\{\w+\}/g, '{}');

/** Every input of the public interface, from the contract. */
export function publicInputs(): Input[] {
  return listEndpoints().flatMap(({ endpoint: { method, path, query, body, deprecated, ours } }) =>
    [query, body].flatMap((schema) => {
      if (!schema || deprecated || ours || path.startsWith('/worker')) return [];
      const json = z.toJSONSchema(schema, { io: 'input', reused: 'inline' });
      const endpoint = `${method} ${anyPath(path)}`;
      return inputsIn(json, '').map((input) => ({ ...input, endpoint }));
    }),
  );
}

/**
 * The inputs of the public SDK as they stand in `publicInputs`; it still creates runs by the older
 * path.
 */
export function sdkInputs(sdk: readonly SdkMethod[]): Pick<Input, 'endpoint' | 'path'>[] {
  return sdk.flatMap(({ method, path, params }) => {
    const endpoint = `${method} ${path.replace(/\/run$/, '/runs')}`;
    return params ? inputsOf(params).map((input) => ({ endpoint, path: input })) : [];
  });
}

/** The name of an input: some lists are single values in the SDK. */
export const inputKey = ({ endpoint, path }: Pick<Input, 'endpoint' | 'path'>): string =>
  `${endpoint} ${path.replace(/\[\]$/, '')}`;

function becomes({ reason, kept }: Input): string {
  if (kept !== undefined) return `no effect: ${kept}`;
  return reason === undefined ? 'carried out' : `422, if asked for: ${reason}`;
}

/** What becomes of every input of the interface and of the public SDK. */
export function inputsTable(sdk: readonly SdkMethod[]): string {
  const declared = new Set(sdkInputs(sdk).map(inputKey));
  const shown = publicInputs().map((input) => ({
    ...input,
    sdk: declared.has(inputKey(input)) ? '✓' : '',
    here: becomes(input),
  }));
  const groups = Map.groupBy(shown, ({ path, sdk: has, here }) => `${path} ${has} ${here}`);
  const rows = [...groups.values()].map((inputs) => [
    `\`${inputs[0]?.path ?? ''}\``,
    inputs.map(({ endpoint }) => `\`${endpoint}\``).join(', '),
    inputs[0]?.sdk ?? '',
    inputs[0]?.here ?? '',
  ]);
  return table(['Input', 'Of', 'SDK', 'Here'], rows);
}

/** Every error code, from the catalogue. */
export function errorsTable(): string {
  const rows = Object.entries(ERROR_CATALOGUE).map(([code, entry]) => [
    `\`${code}\``,
    String(entry.status),
    entry.retryable ? 'yes' : 'no',
    entry.runState,
    entry.title,
  ]);
  return table(['Code', 'Status', 'Retry', 'A run that ends with it is', 'Meaning'], rows);
}

const KINDS = ['done', 'skip', 'refusal', 'failure', 'rejected'] as const;

/** Every reason code of both faces, by kind. */
export function reasonsTable(): string {
  const all = Object.entries(REASONS);
  const rows = KINDS.flatMap((kind) =>
    all
      .filter(([, reason]) => reason.kind === kind)
      .map(([code, reason]) => [`\`${code}\``, kind, reason.text]),
  );
  return table(['Code', 'Kind', 'Meaning'], rows);
}

/** Every agent, from the workers' profiles. */
export function agentsTable(): string {
  const rows = Object.values(BUILT_IN).map((profile) => {
    const protocol = profile.protocol(undefined);
    const keys = protocol ? UPSTREAMS[protocol].keys.map(([variable]) => `\`${variable}\``) : [];
    const install = packagesToInstall(profile).join(' ');
    return [
      `\`${profile.name}\``,
      testedWith(profile),
      install && `\`npm install -g ${install}\``,
      keys.join(' or '),
      Object.entries(profile.lacks)
        .map(([ability, reason]) => `${ability}: ${reason}`)
        .join('; '),
    ];
  });
  const head = ['Agent', 'Tested with', 'To install', 'Key of its model', 'What it cannot do'];
  return table(head, rows);
}

/** A document with the part between its markers made anew. */
export function regenerate(text: string, name: string, generated: string): string {
  const [open, close] = [`<!-- generated: ${name} -->`, `<!-- end: ${name} -->`];
  const [from, to] = [text.indexOf(open), text.indexOf(close)];
  if (from < 0 || to < from) throw new Error(`there are no markers for ${name}`);
  return `${text.slice(0, from)}${open}\n\n${generated}\n\n${text.slice(to)}`;
}
