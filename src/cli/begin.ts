import { enableCompileCache } from 'node:module';
import { endUnread } from './interrupt.ts';

/** The reader closed the pipe, or the terminal is gone. */
const UNREAD = new Set(['EPIPE', 'EIO']);

function onOutputError(error: NodeJS.ErrnoException): void {
  if (!UNREAD.has(error.code ?? '')) throw error;
  endUnread();
}

process.stdout.on('error', onOutputError);
process.stderr.on('error', onOutputError);
enableCompileCache();
const { runCli } = await import('./run-cli.ts');
process.exitCode = await runCli(process.argv.slice(2));
