import { addAbortListener } from 'node:events';
import { RunlinkError, isDiskFull } from '../../../base/error.ts';
import { StderrTail } from '../../agent/stderr-tail.ts';
import { BoundedText } from '../../log/bounded-text.ts';
import type { View } from '../../sandbox/confinement.ts';
import { assertKept } from '../../sandbox/sandbox.ts';
import { agentEnvironment } from '../agent/agent-environment.ts';
import { confine } from '../confine.ts';
import { logStep, networkOf, workingDirectory, type RunContext } from '../run-context.ts';
import { placesOf } from '../run-directories.ts';

const CUT_OFF =
  'It had no network. List the hosts that it needs as `network` of the environment in runlink.yaml.';
const NO_SHELL = 'Set-up commands need a shell: take an image that has one, or list none.';
const OUTPUT_END_CHARS = 16_384;
const RAN_OUT = /its processes ran out of memory/i;
const STARVED = 'Let it need less, for instance with fewer jobs at once.';

/**
 * Runs the environment's commands one after the other. Throws `setup_failed` at the first that
 * fails.
 */
export async function runSetupCommands(
  run: RunContext,
  commands: readonly string[],
  view: View,
): Promise<void> {
  for (const command of commands)
    await logStep(run, 'setup_command', command, () => runCommand(run, command, view));
}

async function runCommand(run: RunContext, command: string, view: View): Promise<void> {
  const child = await run.worker.sandbox.spawn(
    confine(run.worker, {
      image: run.image,
      // Both into one stream, so that they stay in order.
      command: ['/bin/sh', '-c', `exec 2>&1\n${command}`],
      cwd: workingDirectory(run),
      env: agentEnvironment(run),
      views: [view],
      writable: placesOf(run),
      network: networkOf(run),
      doors: run.egress ? [run.egress] : [],
      // A marker of their own, so that they can be ended while the agent is already starting up.
      processMarker: `${run.file.process_marker}.setup`,
    }),
  );
  child.stdin.end();
  const output = new BoundedText(undefined, OUTPUT_END_CHARS);
  const read = async (stream: NodeJS.ReadableStream): Promise<string> => {
    let head = '';
    stream.setEncoding('utf8');
    for await (const chunk of stream) head += output.push(String(chunk));
    return head;
  };
  const limit = AbortSignal.timeout(run.worker.limits.setupMs);
  const halt = AbortSignal.any([limit, run.stop.signal]);
  using _ = addAbortListener(halt, () => void child.destroy());
  try {
    const before = new StderrTail(child.stderr);
    const [exit, head] = await Promise.all([child.exited, read(child.stdout)]);
    run.stop.signal.throwIfAborted();
    const said = before.explain(head + output.end());
    const isCutOff = networkOf(run) === 'none' && run.egress === undefined;
    assertKept(exit);
    if (limit.aborted) throw failure(command, 'it took too long', said, isCutOff);
    if (exit.code !== 0) {
      const how = exit.signal === null ? `exit code ${exit.code}` : exit.signal;
      const isStarved = RAN_OUT.test(`${said} ${exit.summary}`);
      throw failure(command, isStarved ? 'its processes ran out of memory' : how, said, isCutOff);
    }
  } finally {
    await child.destroy();
  }
}

function failure(command: string, how: string, output: string, isCutOff: boolean): RunlinkError {
  const tail = output.trim().slice(-2000);
  const message = `The set-up command "${command}" failed (${how}).${tail && `\n${tail}`}`;
  if (tail.startsWith('"/bin/sh" could not be started'))
    return new RunlinkError('setup_failed', message, { hint: NO_SHELL });
  if (RAN_OUT.test(how)) return new RunlinkError('setup_failed', message, { hint: STARVED });
  const hint = isCutOff && !isDiskFull(tail) ? { hint: CUT_OFF } : {};
  return new RunlinkError('setup_failed', message, hint);
}
