/**
 * A process of claimers that know nothing but the worker protocol: each takes runs and ends them
 * until the process is killed. Options come as JSON in the first argument; each end that the
 * service has confirmed is sent to the parent.
 */
import { LEASE_HEADER, type Lease } from '../../src/contract/lease.ts';

export interface ClaimerOptions {
  baseUrl: string;
  key: string;
  name: string;
  claimers: number;
  /** The agents it says that it has. */
  harnesses?: string[];
}

/** An end that the service has confirmed. */
export interface Confirmed {
  runId: string;
  attempt: number;
  state: string;
}

const options = JSON.parse(process.argv[2] ?? '{}') as ClaimerOptions;

async function post(
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(options.baseUrl + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${options.key}`,
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.json() };
}

/**
 * Says twice at once that the execution has ended, as a worker does whose first answer was lost.
 */
async function execute(lease: Lease): Promise<void> {
  const report = (action: string, body: unknown) =>
    post(`/worker/runs/${lease.run_id}/${action}`, body, { [LEASE_HEADER]: lease.token });
  if ((await report('acknowledge', {})).status !== 200) return;
  const at = new Date().toISOString();
  const event = { seq: 1, at, type: 'message', message_id: 'm', role: 'assistant', delta: 'x' };
  await report('events', { events: [event] });
  const end = { state: 'SUCCEEDED', message: 'done', last_signal: 0 };
  const answers = await Promise.all([report('complete', end), report('complete', end)]);
  for (const { status, body } of answers)
    if (status === 200)
      process.send?.({
        runId: lease.run_id,
        attempt: lease.attempt,
        ...(body as { state: string }),
      });
}

async function claim(workerId: string): Promise<void> {
  for (;;) {
    const asked = { worker_id: workerId, capacity: 1, harnesses: options.harnesses ?? [] };
    const { body } = await post('/worker/claim', asked, { prefer: 'wait=5' });
    const { lease } = body as { lease: Lease | null };
    if (lease) await execute(lease);
  }
}

await Promise.all(
  Array.from({ length: options.claimers }, (_, index) => claim(`${options.name}-${index}`)),
);
