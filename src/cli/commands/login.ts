import { hash, randomBytes } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { RunlinkError } from '../../base/error.ts';
import { sleep } from '../../base/time.ts';
import type { Client } from '../../client/connect.ts';
import { isProblem } from '../../client/error.ts';
import { whoami } from '../../contract/access.ts';
import { webUrl } from '../../pages/text.ts';
import { EXIT_CODES } from '../exit-code.ts';
import { interruptSignal } from '../interrupt.ts';
import { checkFields, printJson } from '../output/json.ts';
import { link, paint, screenOf } from '../output/screen.ts';
import { renderFields } from '../output/table.ts';
import { oneLine } from '../output/text.ts';
import { askFor, canAsk } from '../questions.ts';
import { apiBaseUrl } from '../remote/base-url.ts';
import { profilesFile, readProfiles, writeProfiles } from '../remote/profiles.ts';
import {
  addServiceOptions,
  openClient,
  printerOf,
  remoteCommand,
  type Remote,
  type RemoteOptions,
} from '../remote/remote.ts';
import { findService } from '../remote/service.ts';

const LOCAL = 'http://127.0.0.1:8787';
const DEFAULT_PROFILE = 'default';
/** Sent to endpoints that need no key. */
const NO_KEY = 'none';

interface LoginOptions extends RemoteOptions {
  browser: boolean;
  withKey?: boolean;
}

export function addLoginCommand(program: Command): void {
  addServiceOptions(program.command('login [url]'))
    .option('--no-browser', 'only print the address')
    .option('--with-key', 'read a key from standard input instead')
    .addHelpText(
      'after',
      `
The key is kept in a profile under your configuration directory (mode 0600). Several services: one
--profile each.

Examples:
  $ runlink login https://runs.example.org
  $ runlink login http://127.0.0.1:8787 --profile local
  $ runlink login https://runs.example.org --with-key < key.txt`,
    )
    .action(login);
}

export function addWhoamiCommand(program: Command): void {
  const fields = ['base_url', 'profile_name', ...Object.keys(whoami.shape)];
  remoteCommand(program, 'whoami', '', showWho, fields);
}

export function addLogoutCommand(program: Command): void {
  addServiceOptions(program.command('logout')).action(logout);
}

/** Requests a key, shows the code, opens the page, and waits for somebody's decision. */
async function byBrowser(
  client: Client,
  options: LoginOptions,
  signal: AbortSignal,
  say: (text: string) => void,
): Promise<string> {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = hash('sha256', verifier, 'base64url');
  const name = oneLine(`${userInfo().username}@${hostname()}`).slice(0, 200);
  const login = await client.access.beginLogin({ client: name, challenge });
  const screen = screenOf(process.stderr);
  const url = webUrl(login.approve_url) ?? '';
  say(`Your code: ${paint(screen, 'bold', oneLine(login.user_code))}`);
  say(`Approve it on this page: ${link(screen, paint(screen, 'underline', url), url)}`);
  if (options.browser && canAsk()) {
    const { default: open } = await import('open');
    await open(url).catch(() => undefined);
  }
  say('Waiting for your approval …');
  while (Date.parse(login.expires_at) > Date.now()) {
    await sleep(login.interval_seconds * 1000, signal);
    const { state, api_key: key } = await client.access.finishLogin(login.login_id, { verifier });
    if (state === 'approved' && key) return key;
    if (state === 'denied')
      throw new RunlinkError('login_denied', 'The sign-in was denied on the page.');
  }
  throw new RunlinkError('login_expired', 'Nobody approved the sign-in in time.', {
    hint: 'Run "runlink login" again.',
  });
}

async function login(url: string | undefined, options: LoginOptions): Promise<void> {
  checkFields(options.json ?? [], ['profile', 'base_url', ...Object.keys(whoami.shape)]);
  const signal = interruptSignal();
  const { say } = printerOf(options);
  const { profiles, name, baseUrl } = await chooseProfile(url, options);
  const key = options.withKey
    ? (await text(process.stdin)).trim()
    : await byBrowser(openClient({ baseUrl, apiKey: NO_KEY }, signal, say), options, signal, say);
  const who = await whoIs(openClient({ baseUrl, apiKey: key }, signal, say));
  const entry = { base_url: baseUrl, api_key: key, made_by_login: !options.withKey };
  await writeProfiles({ current: name, profiles: { ...profiles, [name]: entry } });
  if (options.json) return printJson({ profile: name, base_url: baseUrl, ...who }, options.json);
  const person = who ? ` as ${oneLine(`${who.profile.display_name} (${who.team.name})`)}` : '';
  say(`Signed in to ${baseUrl}${person}. Kept as profile "${name}" in ${profilesFile()}.`);
}

/** The profile to write; that of another service is kept, unless it was named. */
async function chooseProfile(url: string | undefined, options: LoginOptions) {
  const { profiles, current = DEFAULT_PROFILE } = await readProfiles();
  const wanted = options.profile ?? (process.env['RUNLINK_PROFILE'] || undefined);
  const before = profiles[wanted ?? current]?.base_url;
  const baseUrl = apiBaseUrl(url ?? options.baseUrl ?? (await askAddress(before)));
  const own = before === undefined || before === baseUrl ? current : new URL(baseUrl).host;
  return { profiles, baseUrl, name: wanted ?? own };
}

async function askAddress(before: string | undefined): Promise<string> {
  if (before) return before;
  return canAsk() ? askFor('Address of the service', LOCAL) : LOCAL;
}

/** Whom the key belongs to; undefined if the service does not say. Throws if the key is invalid. */
async function whoIs(client: Client) {
  try {
    return await client.access.whoami();
  } catch (error) {
    if (!isProblem(error, 'resource_not_found')) throw error;
    await client.models.list();
    return undefined;
  }
}

async function showWho({ client, baseUrl, options, show, screen }: Remote): Promise<void> {
  const who = await whoIs(client);
  const { profile: name } = (await findService(options)) ?? {};
  show({ base_url: baseUrl, profile_name: name ?? null, ...who }, () =>
    renderFields(screen, [
      ['name', who?.profile.display_name ?? 'this service does not say'],
      ['e-mail', who?.profile.email],
      ['team', who?.team.name],
      ['key', who?.kind],
      ['service', baseUrl],
      ['profile', name],
    ]),
  );
}

/** Forgets the key, and revokes it if the sign-in made it. */
async function logout(options: RemoteOptions): Promise<void> {
  checkFields(options.json ?? [], ['profile', 'base_url', 'revoked']);
  const { say } = printerOf(options);
  const { profiles, current } = await readProfiles();
  const name = options.profile ?? process.env['RUNLINK_PROFILE'] ?? current;
  const found = name === undefined ? undefined : profiles[name];
  if (!found || name === undefined) {
    say('You are not signed in.');
    process.exitCode = EXIT_CODES.signedOut[0];
    return;
  }
  const revoked =
    found.made_by_login === true && (await revokeOwn(found.base_url, found.api_key, say));
  const { [name]: _, ...rest } = profiles;
  const [next] = Object.keys(rest);
  await writeProfiles({ profiles: rest, ...(next && { current: next }) });
  if (options.json)
    return printJson({ profile: name, base_url: found.base_url, revoked }, options.json);
  say(`Signed out of ${found.base_url}.`);
  if (!revoked) say('Its key still works. Revoke it in the settings of the service.');
}

async function revokeOwn(
  baseUrl: string,
  apiKey: string,
  say: (text: string) => void,
): Promise<boolean> {
  const client = openClient({ baseUrl, apiKey }, interruptSignal(), say);
  try {
    await client.keys.revoke((await client.access.whoami()).key_id);
    return true;
  } catch (error) {
    // An invalid key needs no revoking; the profile is removed anyway.
    return isProblem(error, 'authentication_required');
  }
}
