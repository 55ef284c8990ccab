import { createClient } from '../../src/client/client.ts';
import { startBenchServer } from './server.ts';
import { ms, summarise } from './measure.ts';

/**
 * From the answer to POST /agent/runs to the moment a waiting worker holds the lease, idle system.
 */
const COUNT = Number(process.argv[2] ?? 300);

const server = await startBenchServer();
const person = createClient({ baseUrl: server.baseUrl, apiKey: server.key });
const worker = createClient({ baseUrl: server.baseUrl, apiKey: server.workerKey });
const claim = { worker_id: 'bench', capacity: 1, harnesses: ['demo'] };
const times: number[] = [];
for (let round = 0; round < COUNT; round += 1) {
  const claimed = worker.worker.claim(claim, { waitSeconds: 25 }).then(({ lease }) => ({
    lease,
    at: performance.now(),
  }));
  await new Promise((resolve) => setTimeout(resolve, 20));
  await person.runs.create({ prompt: 'x' });
  const created = performance.now();
  const { lease, at } = await claimed;
  times.push(Math.max(0, at - created));
  if (!lease) throw new Error('no lease');
  await worker.worker.acknowledge(lease.run_id, { lease: lease.token });
  await worker.worker.complete(
    lease.run_id,
    { state: 'SUCCEEDED', message: 'done', last_signal: 0 },
    { lease: lease.token },
  );
}
const { count, p50, p99, max } = summarise(times.slice(10));
console.log(`dispatch: ${count} runs, p50 ${ms(p50)} ms, p99 ${ms(p99)} ms, max ${ms(max)} ms`);
await server.close();
