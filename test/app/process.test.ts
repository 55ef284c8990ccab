import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { saveCredentials } from '../../src/app/setup/credentials-file.ts';
import { comment, commentsOn, deliver, reactionsOn } from '../support/app.ts';
import { useTestDatabase } from '../support/database.ts';
import { startFakeService } from '../support/fake-service.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { startStandIn, temporaryDirectory } from '../support/standin.ts';
import { cleanEnvironment } from '../support/clean-environment.ts';
import { programFile } from '../support/programs.ts';

const NODE = resolve(import.meta.dirname, '../../node_modules/.bin/node');
const CLI = programFile('src/cli/main.ts');
const soon = { timeout: 60_000, interval: 50 };

/** `runlink app` as a process of its own; answers what it printed once it has ended. */
function runApp(words: string[], env: Record<string, string>) {
  const child = spawn(NODE, [CLI, 'app', '--port', '0', ...words], {
    env: { ...cleanEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => (said += String(chunk)));
  }
  const ended = once(child, 'exit').then(([code]) => ({ code: code as number | null, said }));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { ended, stop: () => child.kill('SIGTERM') };
}

describe('runlink app', () => {
  it('on GitHub Enterprise’s addresses ends what it began when told to stop, and takes nothing new', async () => {
    const [github, service, database, directory] = await Promise.all([
      startStandIn(),
      startFakeService(),
      useTestDatabase(),
      temporaryDirectory(),
    ]);
    onTestFinished(() => service.close());
    expect(github.apiUrl).toMatch(/\/api\/v3$/);
    const readyFile = join(directory, 'ready.json');
    const words = ['--github-api-url', github.apiUrl, '--base-url', service.apiUrl];
    // What an earlier set-up left counts, also where a compose file hands on empty variables.
    const { id: appId, privateKey, webhookSecret } = github.app;
    await saveCredentials(join(directory, 'app.env'), { appId, privateKey, webhookSecret });
    const where = ['--database-url', database.url, '--data', directory];
    const app = runApp([...words, ...where, '--ready-file', readyFile], {
      APP_ID: '',
      WEBHOOK_SECRET: '',
      RUNLINK_API_KEY: 'test-key',
    });
    const { url } = await vi.waitFor(
      async () => JSON.parse(await readFile(readyFile, 'utf8')) as { url: string },
      soon,
    );
    expect((await fetch(`${url}/ready`)).status).toBe(200);
    const webhook = { webhookUrl: `${url}/api/github/webhooks` };
    github.setWebhookUrl(webhook.webhookUrl);
    service.faults.push({
      matches: ({ method }) => method === 'POST',
      fault: { kind: 'slow', ms: 1000 },
      times: 1,
    });
    const asked = await comment(github, github.maintainer, '/agent fix it');
    const isAsked = () => service.seen.some(({ method }) => method === 'POST');
    await vi.waitFor(() => expect(isAsked()).toBe(true), soon);
    app.stop();
    const { code, said } = await app.ended;
    expect({ code, said }).toMatchObject({ code: 0 });
    expect(service.runs).toHaveLength(1);
    expect(said).toMatch(/"reason":"started"[\s\S]*delivery handled/);
    await expect(deliver(webhook, 'x', 'push', {})).rejects.toThrow(/fetch failed/);
    const through = new URL(database.url);
    const network = await startTcpProxy({ host: through.hostname, port: Number(through.port) });
    onTestFinished(() => network.close());
    through.host = `127.0.0.1:${network.port}`;
    const again = runApp([...words, '--database-url', through.href], {
      APP_ID: String(github.app.id),
      PRIVATE_KEY: github.app.privateKey,
      WEBHOOK_SECRET: 'a new one',
      WEBHOOK_SECRET_PREVIOUS: github.app.webhookSecret,
      RUNLINK_API_KEY: 'test-key',
    });
    await vi.waitFor(async () => {
      expect((await commentsOn(github)).at(-1)?.body).toContain('`SUCCEEDED`');
      expect(await reactionsOn(github, asked)).toEqual(['rocket']);
    }, soon);
    expect(await commentsOn(github)).toHaveLength(2);
    // Nor does a database that is away keep it from ending.
    network.cut();
    again.stop();
    expect((await again.ended).code).toBe(0);
  });

  it('does not start with the webhook secret that everybody knows', async () => {
    const database = await useTestDatabase();
    const app = runApp(['--base-url', 'http://127.0.0.1:9', '--database-url', database.url], {
      APP_ID: '1',
      PRIVATE_KEY: '-----BEGIN RSA PRIVATE KEY-----',
      WEBHOOK_SECRET: 'development',
      RUNLINK_API_KEY: 'test-key',
    });
    const { code, said } = await app.ended;
    expect(code).not.toBe(0);
    expect(said).toContain('Set WEBHOOK_SECRET to the secret of the GitHub App');
  });
});
