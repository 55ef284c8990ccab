import { parentPort, workerData } from 'node:worker_threads';
import { Pool } from 'undici';
import { z } from 'zod';

/** Sends the same POST from some clients until enough were answered: runs beside the server, in a thread. */
const job = z.object({
  origin: z.string(),
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  clients: z.int(),
  count: z.int(),
});
const { origin, path, headers, body, clients, count } = job.parse(workerData);
const pool = new Pool(origin, { connections: clients, pipelining: 1 });
const times: number[] = [];
let left = count;
const began = performance.now();
await Promise.all(
  Array.from({ length: clients }, async () => {
    while (left > 0) {
      left -= 1;
      const start = performance.now();
      const answer = await pool.request({ method: 'POST', path, headers, body });
      await answer.body.text();
      if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`);
      times.push(performance.now() - start);
    }
  }),
);
// A thread's port has no origin.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort?.postMessage({ times, perSecond: (count / (performance.now() - began)) * 1000 });
await pool.close();
