import { parentPort, workerData } from 'node:worker_threads';
import { Pool } from 'undici';
import { z } from 'zod';

/**
 * Sends the same POSTs, one after another, from some clients until enough rounds were answered:
 * runs beside the server, in a thread. `{thread_id}` in a path is what the request before was
 * answered.
 */
const job = z.object({
  origin: z.string(),
  headers: z.record(z.string(), z.string()),
  steps: z.array(z.object({ path: z.string(), body: z.unknown() })),
  clients: z.int(),
  count: z.int(),
});
const { origin, headers, steps, clients, count } = job.parse(workerData);
const requests = steps.map(({ path, body }) => ({ path, body: JSON.stringify(body) }));
const pool = new Pool(origin, { connections: clients, pipelining: 1 });

async function post(path: string, body: string): Promise<string> {
  const answer = await pool.request({ method: 'POST', path, headers, body });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}: ${text}`);
  return text;
}

const threadAnswer = z.looseObject({ thread_id: z.string() });

async function round(): Promise<void> {
  let last = '';
  for (const { path, body } of requests) {
    const place = path.includes('{thread_id}')
      ? path.replace('{thread_id}', threadAnswer.parse(JSON.parse(last)).thread_id)
      : path;
    last = await post(place, body);
  }
}

const times: number[] = [];
let left = count;
const began = performance.now();
await Promise.all(
  Array.from({ length: clients }, async () => {
    while (left > 0) {
      left -= 1;
      const start = performance.now();
      await round();
      times.push(performance.now() - start);
    }
  }),
);
// A thread's port has no origin.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort?.postMessage({ times, perSecond: (count / (performance.now() - began)) * 1000 });
await pool.close();
