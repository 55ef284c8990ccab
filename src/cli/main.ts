#!/usr/bin/env -S node --max-semi-space-size=8 --heap-growing-percent=50
import { enableCompileCache } from 'node:module';

/** Whoever read the output has left, as `head` does: ends as SIGPIPE ends other programs (128 + 13). */
function endUnread(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(141);
}

process.stdout.on('error', endUnread);
process.stderr.on('error', endUnread);
enableCompileCache();
const { runCli } = await import('./run-cli.ts');
process.exitCode = await runCli(process.argv.slice(2));
