import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, type Class, type Program, type TSType, type TSTypeName } from 'oxc-parser';

/** A type as JSON Schema. */
export interface TypeSchema {
  type?: string;
  const?: unknown;
  anyOf?: TypeSchema[];
  items?: TypeSchema;
  properties?: Record<string, TypeSchema>;
  required?: string[];
  additionalProperties?: TypeSchema;
}

/** A method of the public SDK, as its declarations and its code have it. */
export interface SdkMethod {
  /** Where it hangs below the client, such as `agent.runs`. */
  resource: string;
  name: string;
  method: string;
  /** Relative to the base URL, its parameters as `{}`. */
  path: string;
  /** What it takes beside path parameters; undefined where nothing. */
  params: TypeSchema | undefined;
  answer: TypeSchema;
}

const ROOT = dirname(fileURLToPath(import.meta.resolve('oz-agent-sdk')));
const RESOURCES = join(ROOT, 'resources');
const CALL = /^ {4}(\w+)\([^)]*\) \{\n\s+return this\._client\.(\w+)\((?:path )?['`]([^'`]+)['`]/gm;

type Statement = Program['body'][number];
/** Declared types by qualified name. */
type Types = Map<string, { read: () => TypeSchema }>;

const PLAIN: Record<string, TypeSchema> = {
  TSStringKeyword: { type: 'string' },
  TSNumberKeyword: { type: 'number' },
  TSBooleanKeyword: { type: 'boolean' },
  TSNullKeyword: { type: 'null' },
  TSUnknownKeyword: {},
};

/** The methods of every resource of the SDK that is installed. */
export async function readSdk(): Promise<SdkMethod[]> {
  const types: Types = new Map();
  const classes: { file: string; body: Class }[] = [];
  for (const file of await readdir(RESOURCES, { recursive: true })) {
    if (!file.endsWith('.d.mts')) continue;
    const { program } = parseSync(file, await readFile(join(RESOURCES, file), 'utf8'), {
      lang: 'dts',
      sourceType: 'module',
    });
    collect(program.body, [], types, (body) => classes.push({ file, body }));
  }
  const methods = await Promise.all(classes.map((it) => methodsOf(it.file, it.body, types)));
  return methods.flat();
}

function collect(
  body: readonly Statement[],
  scope: string[],
  types: Types,
  onClass: (body: Class) => void,
): void {
  for (const statement of body) {
    const node = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (!node) continue;
    if (node.type === 'ClassDeclaration') onClass(node);
    if (node.type === 'TSInterfaceDeclaration' || node.type === 'TSTypeAliasDeclaration')
      declare(node, [...scope, node.id.name], types);
    if (node.type === 'TSModuleDeclaration' && node.id.type === 'Identifier' && node.body)
      collect(node.body.body, [...scope, node.id.name], types, onClass);
  }
}

type Declared = Extract<Statement, { type: 'TSInterfaceDeclaration' | 'TSTypeAliasDeclaration' }>;

function declare(node: Declared, inside: string[], types: Types): void {
  const read = (): TypeSchema =>
    node.type === 'TSInterfaceDeclaration'
      ? objectOf(node.body.body, inside, types)
      : schemaOf(node.typeAnnotation, inside, types);
  types.set(inside.join('.'), { read });
}

type Members = Extract<Statement, { type: 'TSInterfaceDeclaration' }>['body']['body'];

function objectOf(members: Members, scope: string[], types: Types): TypeSchema {
  const schema: TypeSchema = { type: 'object', properties: {}, required: [] };
  for (const member of members) {
    if (member.type === 'TSIndexSignature')
      schema.additionalProperties = schemaOf(member.typeAnnotation.typeAnnotation, scope, types);
    if (member.type !== 'TSPropertySignature' || !member.typeAnnotation) continue;
    const name = member.key.type === 'Identifier' ? member.key.name : '';
    const value = schemaOf(member.typeAnnotation.typeAnnotation, scope, types);
    schema.properties = { ...schema.properties, [name]: value };
    if (!member.optional) schema.required = [...(schema.required ?? []), name];
  }
  return schema;
}

function nameOf(name: TSTypeName): string[] {
  if (name.type === 'Identifier') return [name.name];
  return name.type === 'TSQualifiedName' ? [...nameOf(name.left), name.right.name] : [];
}

/** A type by the name that it has in a namespace, or in another file's (`RunsAPI.RunItem`). */
function find(name: string[], scope: string[], types: Types): TypeSchema {
  for (let depth = scope.length; depth >= 0; depth -= 1) {
    const found = types.get([...scope.slice(0, depth), ...name].join('.'));
    if (found) return found.read();
  }
  const [, ...rest] = name;
  if (rest.length > 0) return find(rest, [], types);
  throw new Error(`the SDK declares no type ${name.join('.')}`);
}

function schemaOf(type: TSType, scope: string[], types: Types): TypeSchema {
  const plain = PLAIN[type.type];
  if (plain) return plain;
  if (type.type === 'TSLiteralType' && type.literal.type === 'Literal')
    return { const: type.literal.value };
  if (type.type === 'TSTypeLiteral') return objectOf(type.members, scope, types);
  if (type.type === 'TSUnionType') {
    const given = type.types.filter((it) => it.type !== 'TSUndefinedKeyword');
    return only({ anyOf: given.map((it) => schemaOf(it, scope, types)) });
  }
  if (type.type !== 'TSTypeReference') throw new Error(`a type of the SDK is new: ${type.type}`);
  return referred(nameOf(type.typeName), type.typeArguments?.params[0], scope, types);
}

function referred(
  name: string[],
  argument: TSType | undefined,
  scope: string[],
  types: Types,
): TypeSchema {
  if (!argument) return find(name, scope, types);
  const inner = schemaOf(argument, scope, types);
  return name[0] === 'Array' ? { type: 'array', items: inner } : inner;
}

/** A choice of one is that one. */
function only({ anyOf = [] }: TypeSchema): TypeSchema {
  const [first, ...more] = anyOf;
  return first && more.length === 0 ? first : { anyOf };
}

/** `agent/runs.d.mts` → `agent.runs`; `agent/agent.d.mts` → `agent`. */
function resourceOf(file: string): string {
  const parts = file.replace(/\.d\.mts$/, '').split('/');
  return parts.at(-1) === parts.at(-2) ? parts.slice(0, -1).join('.') : parts.join('.');
}

async function methodsOf(file: string, body: Class, types: Types): Promise<SdkMethod[]> {
  const code = await readFile(join(RESOURCES, file.replace('.d.mts', '.mjs')), 'utf8');
  const calls = new Map([...code.matchAll(CALL)].map(([, name = '', ...rest]) => [name, rest]));
  return body.body.body.flatMap((member) => {
    if (member.type !== 'MethodDefinition' || member.key.type !== 'Identifier') return [];
    const { name } = member.key;
    const [method, path] = calls.get(name) ?? [];
    const answer = member.value.returnType?.typeAnnotation;
    if (!method || !path || !answer) throw new Error(`the SDK's ${name} is not understood`);
    const given = member.value.params.find(
      (it) => it.type === 'Identifier' && (it.name === 'query' || it.name === 'body'),
    );
    const type = given?.type === 'Identifier' ? given.typeAnnotation?.typeAnnotation : undefined;
    return [
      {
        resource: resourceOf(file),
        name,
        method: method.toUpperCase(),
        path: path.replaceAll(/\$\{\w+\}/g, '{}'),
        params: type && withoutNull(schemaOf(type, [], types)),
        answer: schemaOf(answer, [], types),
      },
    ];
  });
}

function withoutNull(schema: TypeSchema): TypeSchema {
  const left = schema.anyOf?.filter(({ type }) => type !== 'null');
  return left ? only({ anyOf: left }) : schema;
}

/** The inputs below a type, lists and maps once: `config.mcp_servers.NAME.url`. */
export function inputsOf(schema: TypeSchema, prefix = ''): string[] {
  const below = Object.entries(schema.properties ?? {}).flatMap(([name, value]) =>
    inputsOf(value, prefix === '' ? name : `${prefix}.${name}`),
  );
  if (schema.additionalProperties) return inputsOf(schema.additionalProperties, `${prefix}.NAME`);
  if (schema.items) return inputsOf(schema.items, `${prefix}[]`);
  if (below.length > 0) return below;
  return prefix === '' ? [] : [prefix];
}
