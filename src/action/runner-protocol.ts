import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { EOL } from 'node:os';
import { RunlinkError } from '../base/error.ts';
import { logLine, logLines } from './log-line.ts';
import type { Runner } from './runner.ts';

/**
 * The runner's protocol: commands on stdout and files named by the environment, as GitHub documents
 * them. The toolkit does the same (a test holds both together) but loads an HTTP client for it, which
 * costs 40 ms and 1.7 MB.
 */
export function createRunner(env: NodeJS.ProcessEnv, write: (text: string) => void): Runner {
  const command = (name: string, message: string): void =>
    write(`::${name}::${escapeData(message)}${EOL}`);
  const append = (file: string, key: string, value: string): void => {
    const path = env[file];
    if (path) appendFileSync(path, `${keyValue(key, value)}${EOL}`);
  };
  return {
    info: (line) => write(`${logLine(line)}${EOL}`),
    debug: (line) => {
      if (env['RUNNER_DEBUG'] === '1') command('debug', line);
    },
    notice: (line) => command('notice', line),
    warning: (line) => command('warning', line),
    error: (line) => command('error', line),
    quote: (text) => {
      const token = randomUUID();
      const lines = [`::stop-commands::${token}`, ...logLines(text), `::${token}::`];
      write(`${lines.join(EOL)}${EOL}`);
    },
    secret: (value) => command('add-mask', value),
    output: (name, value) => append('GITHUB_OUTPUT', name, value),
    state: (name, value) => append('GITHUB_STATE', name, value),
    summary: (markdown) => {
      const path = env['GITHUB_STEP_SUMMARY'];
      if (path) appendFileSync(path, `${markdown}${EOL}`);
    },
    fail: (line) => {
      process.exitCode = 1;
      command('error', line);
    },
  };
}

/** The value of an input, as the runner puts it into the environment. */
export function readInput(env: NodeJS.ProcessEnv, name: string): string {
  return env[`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`] ?? '';
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** The delimiter is random, so that no value can end itself and set another output (threats.md G11). */
function keyValue(key: string, value: string): string {
  const delimiter = `ghadelimiter_${randomUUID()}`;
  if (value.includes(delimiter)) {
    throw new RunlinkError('internal_error', 'A value holds its own random delimiter.');
  }
  return `${key}<<${delimiter}${EOL}${value}${EOL}${delimiter}`;
}
