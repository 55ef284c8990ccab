import type { Command } from 'commander';
import { READY_AGENTS } from '../../config/harness.ts';
import type { SandboxDriver } from '../../config/sandbox.ts';
import type { InitOptions } from '../init/init.ts';
import { dataDirectory } from '../locate.ts';
import { readPort, sandboxOption } from '../read-option.ts';

const PROMPT =
  'Read this repository. Say in a few sentences what it is for, how its tests are run, and what you would mend first. Change nothing.';

export function addInitCommand(program: Command): void {
  program
    .command('init [repository]')
    .option('--harness <name>', `who works: ${READY_AGENTS.join(', ')}`)
    .option('--key-variable <name>', 'environment variable with the key of its model')
    .option('--prompt <text>', 'what the first run is asked', PROMPT)
    .option('--no-run', 'write and check the configuration only')
    .option('--force', 'write the configuration anew')
    .option('--config <file>', 'configuration to write', 'runlink.yaml')
    .option('--data <dir>', 'data directory of the service', '.runlink')
    .option('--port <number>', 'port of the service; 0 means any free one', readPort, 8787)
    .addOption(sandboxOption())
    .addHelpText(
      'after',
      `
What is not given is asked on a terminal. The repository is owner/name, an address, or a path.

Examples:
  $ runlink init
  $ ANTHROPIC_API_KEY=… runlink init acme/web --harness claude
  $ runlink init . --harness demo --no-run`,
    )
    .action(run);
}

async function run(
  repository: string | undefined,
  options: Omit<InitOptions, 'dataDir'> & { sandbox?: SandboxDriver },
): Promise<void> {
  const dataDir = dataDirectory(options);
  const { init } = await import('../init/init.ts');
  process.exitCode = await init({ ...options, ...(repository && { repository }), dataDir });
}
