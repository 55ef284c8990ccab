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

it('answers headers that are too large on a connection that was used before, too', async () => {
  const listening = await serveHttp(() => new Response('done'), { host: '127.0.0.1', port: 0 });
  const socket = connect(Number(new URL(listening.url).port), '127.0.0.1');
  let answers = '';
  socket.on('error', () => undefined);
  socket.on('data', (data) => {
    answers += data.toString();
    if (answers.endsWith('done'))
      socket.write(`GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`);
  });
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(socket, 'close');
  expect(answers).toMatch(/^HTTP\/1.1 200 .*doneHTTP\/1.1 400 .*The headers are too large/s);
  await listening.close(0);
});
