import type { Command } from 'commander';
import type { z } from 'zod';
import type { Client } from '../../client/connect.ts';
import { editable, editInEditor } from '../edit.ts';
import { environmentCell } from '../output/run-text.ts';
import { describeFields, renderFields, type Cell, type Column } from '../output/table.ts';
import { isAgreed } from '../questions.ts';
import type { Kind } from '../remote/find.ts';
import { remoteCommand, type Remote } from '../remote/remote.ts';

/**
 * A kind of resource: a list of it is shown as a table, one of it as labelled lines, and both as
 * the service's JSON.
 */
export interface Resource<T> {
  columns: readonly Column<T>[];
  read: (remote: Remote<Record<string, unknown>>) => Promise<readonly T[]>;
  /** Printed instead of an empty list. */
  none: string;
  /** The names that `--json=FIELDS` accepts. */
  fields: readonly string[];
}

/** Adds `list`, which the group's name alone also runs. */
export function addList<T>(group: Command, description: string, resource: Resource<T>): Command {
  const { columns, read, none, fields } = resource;
  const list = async (remote: Remote<Record<string, unknown>>) =>
    remote.showList(await read(remote), columns, none);
  return remoteCommand(group, 'list', description, list, fields);
}

/** Adds `get`: shows one, found by id, name or the beginning of either. */
export function addGet<T extends object>(
  group: Command,
  kind: Kind,
  fields: readonly string[],
  get: (remote: Remote, id: string) => Promise<T>,
): Command {
  const show = async (remote: Remote, id: string): Promise<void> => {
    const item = await get(remote, id);
    if (remote.options.json) return remote.show(item, () => '');
    const facts = describeFields(item).map(async ([label, cell]): Promise<[string, Cell]> => {
      const isPlace = label.endsWith('environment id');
      return [label, isPlace ? await environmentCell(remote, cell.text) : cell];
    });
    const shown = await Promise.all(facts);
    remote.show(item, () => renderFields(remote.screen, shown));
  };
  return remoteCommand(
    group,
    `get <${kind}>`,
    `one ${kind}, by id, name or the start of either`,
    show,
    fields,
  );
}

/** A resource with a name that its owner may change and delete. */
export interface Changeable<T extends { name: string }, S extends z.ZodObject> {
  kind: Kind;
  of: (client: Client) => {
    get: (id: string) => Promise<T>;
    update: (id: string, changes: z.output<S>) => Promise<T>;
    delete: (id: string) => Promise<unknown>;
  };
  schema: S;
  fields: readonly string[];
}

/** Adds `edit`: changes what the options say, or opens an editor if there are none. */
export function addEdit<T extends { name: string }, S extends z.ZodObject, O>(
  group: Command,
  { kind, of, schema, fields }: Changeable<T, S>,
  toChanges: (remote: Remote<O>, before: T) => Promise<object>,
  show: (remote: Remote<O>, after: T) => void,
): Command {
  const edit = async (remote: Remote<O>, id: string): Promise<void> => {
    const things = of(remote.client);
    const before = await things.get(id);
    const changes = await toChanges(remote, before);
    const kept = editable(before, schema);
    const after =
      Object.keys(changes).length > 0
        ? schema.parse({ ...kept, ...changes })
        : await editInEditor(before.name, kept, schema);
    if (!after) return remote.say('Nothing was changed.');
    show(remote, await things.update(id, after));
  };
  const help = 'change one by options; without any, in your editor';
  return remoteCommand(group, `edit <${kind}>`, help, edit, fields).option(
    '--name <text>',
    'another name',
  );
}

/** Adds `delete`, which first asks and says what else it does. */
export function addDelete<T extends { name: string }, S extends z.ZodObject>(
  group: Command,
  { kind, of }: Changeable<T, S>,
  description: string,
  effect: string,
): Command {
  const remove = async (remote: Remote<{ yes?: boolean }>, id: string): Promise<void> => {
    const things = of(remote.client);
    const { name } = await things.get(id);
    if (!(await isAgreed(`Delete the ${kind} ${name}? ${effect}`, remote.options.yes)))
      return remote.say('Nothing was changed.');
    await things.delete(id);
    remote.show(id, () => `Deleted ${name}.`);
  };
  return remoteCommand(group, `delete <${kind}>`, description, remove).option(
    '-y, --yes',
    'do not ask',
  );
}
