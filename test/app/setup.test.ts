import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { Octokit } from '@octokit/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readAppVariables } from '../../src/app/environment-variables.ts';
import {
  readCredentials,
  saveCredentials,
  withKeptApp,
} from '../../src/app/setup/credentials-file.ts';
import { readManifestFile } from '../../src/app/setup/manifest.ts';
import { whyUnreachable } from '../../src/app/setup/reachable.ts';
import { createSetupPages } from '../../src/app/setup/setup-pages.ts';
import { silentLog } from '../../src/base/log.ts';
import { operatorConfig } from '../../src/config/operator-config.ts';
import { signInCredentials } from '../../src/service/sign-in/github.ts';
import { temporaryDirectory } from '../support/standin.ts';

const MANIFEST = resolve(import.meta.dirname, '../../app.yml');
const PEM = '-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\n';

async function listen(handler: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function stage(named?: string, pagesAt?: (url: string) => string) {
  const codes: string[] = [];
  const apiUrl = await listen((request, response) => {
    codes.push(request.url ?? '');
    response.writeHead(201, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        id: 77,
        pem: PEM,
        webhook_secret: 'made by GitHub',
        html_url: 'https://github.com/apps/runlink',
        client_id: 'Iv1.made',
        client_secret: 'made as well',
      }),
    );
  });
  const file = join(await temporaryDirectory(), 'data', 'app.env');
  const pages = createSetupPages({
    manifest: readManifestFile(MANIFEST),
    github: new Octokit({ baseUrl: apiUrl }),
    apiUrl: named ?? apiUrl,
    pagesAt,
    save: (credentials) => saveCredentials(file, credentials),
    log: silentLog,
  });
  const url = await listen((request, response) => {
    pages.answer(request, response).then(
      (answered) => (answered ? undefined : response.writeHead(404).end()),
      () => response.destroy(),
    );
  });
  return { url, file, codes, ...browserOf(url, pages.key) };
}

/** A browser that opened the printed address: it keeps the cookie that it got. */
function browserOf(url: string, key: string) {
  let cookie = '';
  const visit = async (path: string, more: Record<string, string> = {}): Promise<Response> => {
    const answer = await fetch(url + path, { redirect: 'manual', headers: { cookie, ...more } });
    const [set = ''] = answer.headers.getSetCookie();
    if (set !== '') cookie = set.split(';', 1)[0] ?? '';
    const location = answer.headers.get('location') ?? '';
    return location.startsWith('/') ? visit(location) : answer;
  };
  return { visit, open: async (more = '') => readForm(await visit(`/probot?key=${key}${more}`)) };
}

/** What GitHub is sent by the form of the page. */
async function readForm(page: Response) {
  const html = await page.text();
  const action = /action="([^"]+)"/.exec(html)?.[1] ?? '';
  const manifest = /name="manifest" value="([^"]+)"/.exec(html)?.[1] ?? '';
  return {
    action,
    state: new URL(action).searchParams.get('state') ?? '',
    manifest: JSON.parse(manifest.replaceAll('&quot;', '"')) as Record<string, unknown>,
  };
}

describe('setting the App up', () => {
  it('gives GitHub a manifest with this server’s webhook address', async () => {
    const { url, open } = await stage();
    const { manifest, action } = await open('&organization=acme');
    expect(action).toContain('/organizations/acme/settings/apps/new');
    expect(manifest).toMatchObject({
      hook_attributes: { url: `${url}/api/github/webhooks`, active: true },
      redirect_url: `${url}/probot/setup`,
      default_permissions: { checks: 'write' },
    });
    expect(manifest).not.toHaveProperty('callback_urls');
  });

  it('names the page that people come back to from signing in, where it is known', async () => {
    const { url, open } = await stage(undefined, (at) => at);
    expect((await open()).manifest['callback_urls']).toEqual([`${url}/login/github/callback`]);
  });

  it('keeps what GitHub hands out where only this user reads it, ready to start with', async () => {
    const { url, file, codes, open, visit } = await stage();
    const { state } = await open();
    const answer = await visit(`/probot/setup?code=abc&state=${state}`);
    expect(answer.headers.get('location')).toBe(
      'https://github.com/apps/runlink/installations/new',
    );
    const second = `/probot/setup?code=another&state=${state}`;
    expect([(await visit(second)).status, (await visit('/probot')).status]).toEqual([409, 409]);
    expect((await fetch(`${url}/health`)).status).toBe(200);
    expect(codes).toEqual(['/app-manifests/abc/conversions']);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(readAppVariables({ ...readCredentials(file), RUNLINK_API_KEY: 'rl_x' })).toMatchObject({
      credentials: { appId: 77, privateKey: PEM },
      secrets: ['made by GitHub', ''],
      settings: {},
    });
    const names = operatorConfig.parse({
      github: { client_id_variable: 'OUR_CLIENT' },
      sign_in: [{ organization_id: 1 }],
    });
    const ofService = (environment: Record<string, string>) =>
      signInCredentials({
        config: names,
        variables: withKeptApp(dirname(file), environment, names.github),
      });
    const made = { appId: '77', privateKey: PEM, clientId: 'Iv1.made' };
    expect(ofService({ APP_ID: '' })).toEqual({ ...made, clientSecret: 'made as well' });
    expect(ofService({ GITHUB_CLIENT_SECRET: 'renewed' })).toEqual({
      ...made,
      clientSecret: 'renewed',
    });
    expect(ofService({ APP_ID: '78', PRIVATE_KEY: PEM })).toBeUndefined();
    const path = `${file}.pem`;
    await writeFile(path, PEM);
    const named = { APP_ID: '78', OUR_CLIENT: 'Iv1.own', GITHUB_CLIENT_SECRET: 'own' };
    expect(ofService({ ...named, PRIVATE_KEY_PATH: path })).toMatchObject({ privateKey: PEM });
    const own = { ...readCredentials(file), RUNLINK_API_KEY: 'rl_x', TRIGGER_PHRASE: '/robot' };
    expect(readAppVariables(own).settings).toEqual({ phrase: '/robot' });
  });

  it('takes no answer that it did not ask for', async () => {
    const { file, codes, open, visit } = await stage();
    await open();
    expect((await visit('/probot/setup?code=abc&state=forged')).status).toBe(400);
    expect(codes).toEqual([]);
    await expect(readFile(file)).rejects.toThrow(/ENOENT/);
  });

  it.each([
    [{}, 'APP_ID is not set'],
    [{ APP_ID: 'abc' }, 'APP_ID is not a number'],
    [{ APP_ID: '1' }, 'PRIVATE_KEY is not set'],
    [{ APP_ID: '1', PRIVATE_KEY: 'nonsense' }, 'not a PEM key'],
    [{ APP_ID: '1', PRIVATE_KEY: PEM }, 'RUNLINK_API_KEY is not set'],
    [
      { APP_ID: '1', PRIVATE_KEY: PEM, RUNLINK_API_KEY: 'rl_x', TRIGGER_PHRASE: 'hey you' },
      'TRIGGER_PHRASE is not one word',
    ],
  ])('says which variable of %j is missing or wrong', (variables, message) => {
    expect(() => readAppVariables(variables)).toThrow(message);
  });
});

describe('the webhook address that GitHub is given', () => {
  const GITHUB = 'https://github.com';

  it.each([
    'http://127.0.0.1:8787',
    'http://localhost:8787',
    'http://runlink:8787',
    'https://agents.internal',
    'https://10.1.2.3',
    'https://192.168.0.5',
    'https://100.64.1.1',
    'http://[::1]:8787',
    'https://[fd00::1]',
    'https://[fe80::1]',
    'https://[fec0::1]',
    'https://[::ffff:192.168.0.5]',
    'http://0.0.0.0:8787',
    'http://2130706433:8787',
    'https://240.0.0.1',
    'http://localhost.:8787',
    'https://agents.local.',
    'https://agents.localdomain',
  ])('%s is warned of, for GitHub cannot reach it', (url) => {
    expect(whyUnreachable(url, GITHUB)).toContain(new URL(url).host);
    expect(whyUnreachable(url, 'http://127.0.0.1:3000')).toBeUndefined();
  });

  it.each([
    'https://agents.example.com',
    'https://203.0.113.7',
    'https://100.128.0.1',
    'https://[2001:db8::1]',
    'https://[::ffff:8.8.8.8]',
  ])('%s is not', (url) => {
    expect(whyUnreachable(url, GITHUB)).toBeUndefined();
  });

  it('is shown on the page before the App is created', async () => {
    const { url, visit, open } = await stage('https://api.github.com');
    await open();
    const page = await (await visit('/probot', { 'x-forwarded-host': 'no host:x' })).text();
    expect(page).toContain(`<code>${url}/api/github/webhooks</code>`);
    expect(page).toContain('GitHub could not deliver anything');
  });
});
