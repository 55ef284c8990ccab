import type { Command } from 'commander';
import { findId, type Kind } from '../remote/find.ts';
import { remoteCommand, type Remote } from '../remote/remote.ts';
import { describe, renderFields, renderList, type Column } from '../output/table.ts';

/** A kind of things: its list as a table, one of them as labelled lines, both as JSON as the service sent it. */
export interface Resource<T> {
  columns: readonly Column<T>[];
  read: (remote: Remote) => Promise<readonly T[]>;
  /** Said instead of an empty list. */
  none: string;
  /** Names that `--json=FIELDS` may have. */
  fields: readonly string[];
}

/** `list`, which is also what the group's own name does. */
export function addList<T>(group: Command, description: string, resource: Resource<T>): Command {
  const { columns, read, none, fields } = resource;
  return remoteCommand(
    group.command('list', { isDefault: true }),
    description,
    async (remote) => {
      const items = await read(remote);
      if (items.length === 0 && !remote.options.json) return remote.say(none);
      remote.show(items, () => renderList(remote.screen, columns, items));
    },
    fields,
  );
}

/** `get`: one of them, by id, name or the start of either. */
export function addGet<T extends object>(
  group: Command,
  kind: Exclude<Kind, 'run'>,
  fields: readonly string[],
  get: (remote: Remote, id: string) => Promise<T>,
): Command {
  return remoteCommand(
    group.command(`get <${kind}>`),
    `one ${kind}, by id, name or the start of either`,
    async (remote, word: string) => {
      const item = await get(remote, await findId(remote.client, kind, word));
      remote.show(item, () => renderFields(remote.screen, describe(item)));
    },
    fields,
  );
}
