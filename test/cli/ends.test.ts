import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { findRunningServer } from '../../src/database/cluster.ts';
import { prepareCliProcess, runCliCommand } from '../support/cli-process.ts';
import { temporaryDirectory } from '../support/standin.ts';

const soon = { timeout: 60_000, interval: 20 };

it('serve leaves no database behind when its terminal closes, nor when it is told to end twice', async () => {
  const directory = await temporaryDirectory();
  const data = join(directory, 'data');
  const serve = prepareCliProcess({
    name: 'serve',
    directory,
    env: {},
    words: ['serve', '--data', data, '--port', '0', '--no-worker', '--grace', '10m'],
  });
  const running = (): Promise<unknown> => findRunningServer(data);

  await serve.start();
  expect(await running()).toBeDefined();
  expect(await serve.stop('SIGHUP')).toBe(0);
  expect(await running()).toBeUndefined();

  const { url } = await serve.start();
  const { hostname, port } = new URL(url);
  const halfAsked = connect(Number(port), hostname);
  await once(halfAsked, 'connect');
  halfAsked.on('error', () => undefined).write('GET / HTTP/1.1\r\n');
  const ended = serve.stop();
  await vi.waitFor(
    async () => expect(await readFile(serve.logFile, 'utf8')).toMatch(/"stopping".*"stopping"/s),
    soon,
  );
  void serve.stop();
  expect(await ended).toBe(143);
  await vi.waitFor(async () => expect(await running()).toBeUndefined(), soon);

  // What was stopped in the middle starts again, and keys are made for it without a service
  // running.
  const made = await runCliCommand([
    'keys',
    'create',
    '--data',
    data,
    '--team',
    'default',
    '--user',
    'ada',
  ]);
  expect(made).toEqual({ code: 0, stdout: expect.stringMatching(/^rl_\S+\n$/), stderr: '' });
  expect(await running()).toBeUndefined();
});
