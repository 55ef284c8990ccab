import type { Command } from 'commander';
import type { Client } from '../../client/connect.ts';
import { connect } from '../../client/connect.ts';
import { nodeHttp, proxyVariables } from '../../client/node-http.ts';
import { interruptSignal } from '../interrupt.ts';
import { baseUrlOption } from '../read-option.ts';
import { checkFields, printJson, readFields, type JsonFields } from '../output/json.ts';
import { paint, screenOf, type Screen } from '../output/screen.ts';
import { CALL_DEADLINE_MS, persistent, retryLog } from './reach.ts';
import { requiredService, type ServiceOptions } from './service.ts';

/** What every command that talks to a service takes besides its own options. */
export interface RemoteOptions extends ServiceOptions {
  /** Absent: for people. */
  json?: JsonFields;
}

/** A command's way to the service and to whoever reads what it prints. */
export interface Remote<O = object> {
  client: Client;
  baseUrl: string;
  options: O & RemoteOptions;
  signal: AbortSignal;
  screen: Screen;
  /** Prints a value: as JSON where asked for, else as `text` says it. */
  show: (value: unknown, text: () => string) => void;
  /** A remark beside the output, on standard error. */
  say: (text: string) => void;
  /** Takes over the remarks, as a screen that is drawn over does; answers what gives them back. */
  divertRemarks: (to: (text: string) => void) => () => void;
}

/** The client of a service, which says when it has to wait. */
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

export async function openRemote<O>(options: O & RemoteOptions): Promise<Remote<O>> {
  const service = await requiredService(options);
  const signal = interruptSignal();
  const errors = screenOf(process.stderr);
  const screen = screenOf(process.stdout);
  let write = (text: string): void => {
    const line = options.json ? JSON.stringify({ notice: text }) : paint(errors, 'dim', text);
    process.stderr.write(`${line}\n`);
  };
  const say = (text: string): void => write(text);
  return {
    client: openClient(service, signal, say),
    baseUrl: service.baseUrl,
    options,
    signal,
    screen,
    say,
    show(value, text) {
      if (options.json) printJson(value, options.json);
      else process.stdout.write(`${text()}\n`);
    },
    divertRemarks(to) {
      const before = write;
      write = to;
      return () => void (write = before);
    },
  };
}

/** A command that talks to a service. `fields` are those that `--json=FIELDS` may name. */
export function remoteCommand<O = object>(
  command: Command,
  description: string,
  action: (remote: Remote<O>, ...words: never[]) => Promise<void>,
  fields?: readonly string[],
): Command {
  return addServiceOptions(command)
    .description(description)
    .action(async (...given: unknown[]) => {
      // commander passes the arguments it declared, then the options, then itself.
      const words = given.slice(0, -2) as never[];
      const options = given.at(-2) as O & RemoteOptions;
      checkFields(options.json ?? [], fields);
      await action(await openRemote(options), ...words);
    });
}

export function addServiceOptions(command: Command): Command {
  return command
    .addOption(baseUrlOption('service to ask (default: where you signed in)'))
    .option('--profile <name>', 'sign-in to use (default: RUNLINK_PROFILE, or the last one)')
    .option(
      '--json [fields]',
      'print JSON; --json=FIELDS only these, separated by commas',
      readFields,
    );
}
