import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PROBE_TIMEOUT_MS = 5000;

/** True if this command runs and succeeds here. */
export async function hasTool(command: readonly string[]): Promise<boolean> {
  const [program = '', ...args] = command;
  try {
    await run(program, args, { timeout: PROBE_TIMEOUT_MS, killSignal: 'SIGKILL' });
    return true;
  } catch {
    return false;
  }
}
