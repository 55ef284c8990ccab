import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { serveHttp } from '../../src/service/http/serve-http.ts';

/** Longer than any test waits. */
const LONG_MS = 600_000;

it('ends although whoever was answered keeps the connection and asks again', async () => {
  const [asked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const answer = async (): Promise<Response> => {
    asked.resolve();
    await release.promise;
    return new Response('done');
  };
  const listening = await serveHttp(answer, { host: '127.0.0.1', port: 0 });
  const socket = connect(Number(new URL(listening.url).port), '127.0.0.1');
  const ask = () => socket.writable && socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  let answers = '';
  socket.on('error', () => undefined);
  socket.on('data', (data) => {
    answers += data.toString();
    ask();
  });
  ask();
  await asked.promise;
  const closed = listening.close(LONG_MS);
  const ended = once(socket, 'close');
  release.resolve();
  await closed;
  await ended;
  expect(answers).toContain('done');
});
