import type { Command } from 'commander';
import type { Client } from '../../client/connect.ts';
import { connect } from '../../client/connect.ts';
import { nodeHttp, proxyVariables } from '../../client/node-http.ts';
import { wrongUse } from '../exit-code.ts';
import { interruptSignal } from '../interrupt.ts';
import { baseUrlOption } from '../read-option.ts';
import {
  checkFields,
  harmlessJson,
  printJson,
  readFields,
  type JsonFields,
} from '../output/json.ts';
import { spelled } from '../output/letters.ts';
import { paint, screenOf, type Screen } from '../output/screen.ts';
import { renderList, type Column } from '../output/table.ts';
import { findId, readKind } from './find.ts';
import { CALL_DEADLINE_MS, persistent, retryLog } from './reach.ts';
import { requiredService, type ServiceChoice } from './service.ts';

/** Options of every command that talks to a service. */
export interface RemoteOptions extends ServiceChoice {
  /** Absent: print for people. */
  json?: JsonFields;
}

/** How a command prints. */
interface Printer {
  screen: Screen;
  /** Prints a value: as JSON if asked for, else as `text` renders it. */
  show: (value: unknown, text: () => string) => void;
  /** Prints a list as a table, or `none` if it is empty. */
  showList: <T>(items: readonly T[], columns: readonly Column<T>[], none: string) => void;
  /** Prints a remark on standard error. */
  say: (text: string) => void;
  /** Sends remarks elsewhere, as the live screen needs; returns a function that undoes it. */
  divertRemarks: (to: (text: string) => void) => () => void;
}

/** What a command needs to talk to the service and to print. */
export interface Remote<O = object> extends Printer {
  client: Client;
  baseUrl: string;
  options: O & RemoteOptions;
  signal: AbortSignal;
}

/** A client that says when it has to wait. */
export function openClient(
  { baseUrl, apiKey }: { baseUrl: string; apiKey: string },
  signal: AbortSignal,
  say: (text: string) => void,
): Client {
  return connect({
    baseUrl,
    apiKey,
    request: persistent(nodeHttp(proxyVariables(process.env)), say),
    headers: { 'user-agent': 'runlink-cli', 'x-oz-api-source': 'CLI' },
    log: retryLog(say),
    defaults: { signal, deadlineMs: CALL_DEADLINE_MS },
  });
}

export function printerOf(options: { json?: JsonFields }): Printer {
  const errors = screenOf(process.stderr);
  const screen = screenOf(process.stdout);
  let write = (text: string): void => {
    const json = (): string => harmlessJson(JSON.stringify({ notice: text }));
    const line = options.json ? json() : paint(errors, 'dim', spelled(process.stderr, text));
    process.stderr.write(`${line}\n`);
  };
  const say = (text: string): void => write(text);
  const show = (value: unknown, text: () => string): void => {
    if (options.json) printJson(value, options.json);
    else process.stdout.write(`${text()}\n`);
  };
  return {
    screen,
    say,
    show,
    showList(items, columns, none) {
      if (items.length === 0 && !options.json) return say(none);
      show(items, () => renderList(screen, columns, items));
    },
    divertRemarks(to) {
      const before = write;
      write = to;
      return () => void (write = before);
    },
  };
}

export async function openRemote<O>(options: O & RemoteOptions): Promise<Remote<O>> {
  const service = await requiredService(options);
  const { baseUrl } = service;
  const signal = interruptSignal();
  const printer = printerOf(options);
  return { ...printer, client: openClient(service, signal, printer.say), baseUrl, options, signal };
}

/**
 * Adds a command that talks to a service. If `usage` begins with a resource, such as `get <run>`,
 * the action gets its id. `fields` are the names that `--json=FIELDS` accepts.
 */
export function remoteCommand<O = object>(
  group: Command,
  usage: string,
  description: string,
  action: (remote: Remote<O>, ...words: never[]) => Promise<void>,
  fields: readonly string[] = [],
): Command {
  const kind = readKind(usage);
  return addServiceOptions(usage === 'list' ? listOf(group) : group.command(usage))
    .description(description)
    .action(async (...given: unknown[]) => {
      // commander passes the declared arguments, then the options, then the command.
      const [first, ...words] = given.slice(0, -2);
      const options = given.at(-2) as O & RemoteOptions;
      checkFields(options.json ?? [], fields);
      const remote = await openRemote(options);
      const named = kind ? await findId(remote.client, kind, String(first)) : first;
      await action(remote, ...([named, ...words] as never[]));
    });
}

/** The list that a group shows without a subcommand; an unknown word is reported as such. */
export function listOf(group: Command): Command {
  return group
    .command('list', { isDefault: true })
    .allowExcessArguments()
    .hook('preAction', ({ args: [word] }) => {
      if (word === undefined) return;
      const hint = `Commands: ${group.commands.map((command) => command.name()).join(', ')}.`;
      const isList = group.args[0] === 'list';
      const what = isList ? `list takes no "${word}"` : `${group.name()} has no command "${word}"`;
      throw wrongUse(`${what}.`, hint);
    });
}

export function addServiceOptions(command: Command): Command {
  return addJsonOption(
    command
      .addOption(baseUrlOption('service to ask (default: where you signed in)'))
      .option('--profile <name>', 'sign-in to use (default: RUNLINK_PROFILE, or the last one)'),
  );
}

export function addJsonOption(command: Command): Command {
  const text = 'print JSON; --json=FIELDS only these, separated by commas';
  return command.option('--json [fields]', text, readFields);
}
