import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDriver, type RunDriver } from '../support/run-driver.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let runs: RunDriver;

beforeAll(async () => {
  ({ service, runs } = await startDriver(startTestService));
});
afterAll(() => service.close());

it('a conversation is found from its session and the other way round, and spoken to by its own id', async () => {
  const image = { file_name: 'a.png', mime_type: 'image/png', data: 'aGk=' };
  const id = await runs.create({ attachments: [image] });
  const { conversation_id: conversation = '' } = await runs.get(id);
  const read = async <T>(path: string) => (await runs.ask<T>('GET', `/agent/${path}`)).body;
  expect(await read(`sessions/${id}/redirect`)).toEqual({ conversation_id: conversation });
  expect(await read(`conversations/${conversation}/redirect`)).toEqual({ session_id: id });
  const path = `/agent/conversations/${conversation}/followups`;
  const answer = await runs.ask('POST', path, { message: 'And this.' });
  expect(answer.body).toEqual({ followup_id: null, outcome: 'queued_prompt', run_id: id });
  expect((await runs.get(id)).prompt).toContain('And this.');
  const { attachments } = await read<{ attachments: { download_url: string }[] }>(
    `runs/${id}/handoff/attachments`,
  );
  expect(attachments).toMatchObject([{ filename: 'a.png', mime_type: 'image/png' }]);
  expect(await (await fetch(attachments[0]?.download_url ?? '')).text()).toBe('hi');
  for (const unknown of ['sessions', 'conversations'])
    expect((await runs.ask('GET', `/agent/${unknown}/${randomUUID()}/redirect`)).status).toBe(404);
});
