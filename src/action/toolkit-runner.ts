import { randomBytes } from 'node:crypto';
import * as core from '@actions/core';
import type { Runner } from './runner.ts';

/** The real runner, by GitHub's toolkit: it knows the escaping and the files of the protocol. */
export function createToolkitRunner(write: (text: string) => void): Runner {
  return {
    info: (line) => write(`${single(line)}\n`),
    debug: core.debug,
    notice: (line) => core.notice(single(line)),
    warning: (line) => core.warning(single(line)),
    error: (line) => core.error(single(line)),
    quote: (text) => {
      const token = randomBytes(16).toString('hex');
      write(`::stop-commands::${token}\n${text}\n::${token}::\n`);
    },
    secret: core.setSecret,
    output: core.setOutput,
    state: core.saveState,
    summary: async (markdown) => {
      await core.summary.addRaw(markdown, true).write();
    },
    fail: (line) => core.setFailed(single(line)),
  };
}

/** One line that the runner cannot take for a command. */
function single(line: string): string {
  return line
    .replaceAll(/[\r\n]+/g, ' ')
    .replace(/^(\s*)::/, '$1: :')
    .replace(/^(\s*)##\[/, '$1# #[');
}
