/**
 * A worker as a process of its own, so that a test can kill it. Options come as JSON in
 * WORKER_OPTIONS.
 */
import { createLog } from '../../src/base/log.ts';
import { startWorker } from '../../src/worker/main.ts';
import type { WorkerOptions } from '../../src/worker/worker-options.ts';

const options = JSON.parse(process.env['WORKER_OPTIONS'] ?? '{}') as WorkerOptions;
const worker = await startWorker({
  ...options,
  environment: { PATH: process.env['PATH'] },
  log: createLog('worker', { level: process.env['WORKER_LOG'] ?? 'fatal' }),
});
process.on('SIGTERM', () => {
  void worker.drain(200).then(() => process.exit(0));
});
process.stdout.write('ready\n');
