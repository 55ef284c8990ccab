import type { Command } from 'commander';
import { RunlinkError } from '../base/error.ts';
import { connect, type Client } from '../client/connect.ts';
import { nodeHttp, proxyVariables } from '../client/node-http.ts';
import { baseUrlOption } from './read-option.ts';

/** What every command that talks to a service takes besides its own options. */
export interface RemoteOptions {
  baseUrl?: string;
  json?: boolean;
}

/** Adds the options of `RemoteOptions` to a command. */
export function addRemoteOptions(command: Command): Command {
  return command.addOption(baseUrlOption('service to ask')).option('--json', 'print JSON');
}

/** The service named by --base-url or RUNLINK_BASE_URL. */
export function requiredUrl({ baseUrl }: { baseUrl?: string }): string {
  if (baseUrl) return baseUrl;
  throw new RunlinkError('missing_base_url', 'No service is named.', {
    hint: 'Set RUNLINK_BASE_URL or give --base-url, such as http://127.0.0.1:8787/api/v1.',
  });
}

/** The client of the service that is named, with the key of RUNLINK_API_KEY. */
export function remoteClient(options: RemoteOptions): Client {
  return connect({
    baseUrl: requiredUrl(options),
    apiKey: requiredKey(),
    request: nodeHttp(proxyVariables(process.env)),
    headers: { 'user-agent': 'runlink-cli', 'x-oz-api-source': 'CLI' },
  });
}

/** The key of RUNLINK_API_KEY; keys are never taken from the command line, where others can read them. */
export function requiredKey(): string {
  const apiKey = process.env['RUNLINK_API_KEY'];
  if (apiKey) return apiKey;
  throw new RunlinkError('missing_api_key', 'No API key is set.', {
    hint: 'Set RUNLINK_API_KEY; "runlink keys create" or the settings page makes one.',
  });
}
