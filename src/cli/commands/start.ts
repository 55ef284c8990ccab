import type { Command } from 'commander';
import { READY_AGENTS } from '../../config/harness.ts';
import type { StartOptions } from '../start/start.ts';
import { readPort } from '../read-option.ts';

export function addStartCommand(program: Command): void {
  program
    .command('start')
    .option('--once', 'end after the story: exit 0, or 1 and the reason')
    .option(
      '--harness <name>',
      `who does the work: ${READY_AGENTS.join(', ')}; demo needs no model and no account`,
      'demo',
    )
    .option('--data <dir>', 'data directory; a second start goes on from it', '.runlink-demo')
    .option('--host <address>', 'address the pages listen on', '127.0.0.1')
    .option('--port <number>', 'port of the pages (default: 8787, or any free one)', readPort)
    .addHelpText(
      'after',
      `
Examples:
  $ runlink start
  $ runlink start --once --data /tmp/try-runlink
  $ runlink start --harness claude`,
    )
    .action(run);
}

async function run(options: Omit<StartOptions, 'agent'> & { harness: string }): Promise<void> {
  const { start } = await import('../start/start.ts');
  process.exitCode = await start({ ...options, agent: options.harness });
}
