import { generateKeyPairSync } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { prepareCliProcess } from '../support/cli-process.ts';
import { useTestDatabase } from '../support/database.ts';
import { temporaryDirectory } from '../support/standin.ts';

/** A proxy that reaches nobody, and who was asked for. */
async function startProxy(): Promise<{ url: string; asked: Set<string> }> {
  const asked = new Set<string>();
  const proxy = createServer((request, response) => {
    asked.add(new URL(request.url ?? '').host);
    response.writeHead(502).end();
  });
  proxy.on('connect', (request, socket) => {
    asked.add(request.url ?? '');
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void proxy.close());
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, asked };
}

it('serve reaches GitHub and repositories by the proxies of its environment, itself without', async () => {
  const { url: proxy, asked } = await startProxy();
  const directory = await temporaryDirectory();
  const config = join(directory, 'runlink.yaml');
  const clone_url = 'https://git.invalid/acme/web.git';
  await writeFile(
    config,
    JSON.stringify({
      github: { api_url: 'https://github.invalid/api/v3' },
      sign_in: [{ organization_id: 1, team: 'default', role: 'member' }],
      default_harness: 'demo',
      environments: [
        {
          id: 'Abcdefghij0123456789xy',
          name: 'web',
          repositories: [{ owner: 'acme', repo: 'web', clone_url }],
        },
      ],
    }),
  );
  const { url: database } = await useTestDatabase();
  const data = join(directory, 'data');
  const words = ['serve', '--port', '0', '--config', config, '--data', data];
  const serve = prepareCliProcess({
    name: 'serve',
    directory,
    words: [...words, '--database-url', database, '--sandbox', 'direct'],
    env: {
      HTTP_PROXY: proxy,
      HTTPS_PROXY: proxy,
      APP_ID: '1',
      PRIVATE_KEY: generateKeyPairSync('rsa', { modulusLength: 2048 })
        .privateKey.export({ type: 'pkcs8', format: 'pem' })
        .toString(),
      GITHUB_CLIENT_ID: 'client',
      GITHUB_CLIENT_SECRET: 'secret',
    },
  });
  onTestFinished(() => serve.kill());
  const { url, api_base_url } = await serve.start();

  const begun = await fetch(`${url}/login/github`, { redirect: 'manual' });
  const cookie = begun.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? '';
  const back = new URLSearchParams({ code: 'given', state });
  await fetch(`${url}/login/github/callback?${back.toString()}`, { headers: { cookie } });
  expect([...asked]).toContain('github.invalid:443');

  const key = (await readFile(join(data, 'owner.key'), 'utf8')).trim();
  const started = await fetch(`${api_base_url}/agent/runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: 'x', config: { environment_id: 'Abcdefghij0123456789xy' } }),
  });
  expect(started.status).toBe(200);
  await expect.poll(() => [...asked], { timeout: 60_000 }).toContain('git.invalid:443');
  expect([...asked].filter((host) => host.startsWith('127.'))).toEqual([]);
});
