import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { z } from 'zod';
import { addAgentsCommands } from './commands/agents.ts';
import { addArtifactsCommands } from './commands/artifacts.ts';
import { addConfigCommands } from './commands/config.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addSchedulesCommands } from './commands/schedules.ts';
import { addListCommands } from './commands/lists.ts';
import { addAppCommand } from './commands/app.ts';
import { addKeysCommands } from './commands/keys.ts';
import { addRunCommand } from './commands/run.ts';
import { addRunsCommands } from './commands/runs.ts';
import { addServeCommand } from './commands/serve.ts';
import { addStartCommand } from './commands/start.ts';
import { addWorkerCommand } from './commands/worker.ts';

const HELP = `
Examples:
  $ runlink start                                   see the whole story on this machine
  $ runlink serve --data .runlink                   your own service, pages included
  $ runlink run "fix the flaky login test" --wait   start an agent and wait for it
  $ runlink runs list --state FAILED --json         what failed, for a script

RUNLINK_BASE_URL and RUNLINK_API_KEY name the service and the key.`;

/** The package's own, two folders up from the source as from the build. */
function versionOf(): string {
  const file = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(file)).version;
}

/** The whole command line. Errors are thrown, never printed here. */
export function createProgram(): Command {
  const program = new Command('runlink')
    .description('Start cloud coding agents and lead every pull request back to its run.')
    .version(versionOf())
    .addHelpText('after', HELP)
    .exitOverride()
    .showSuggestionAfterError()
    .showHelpAfterError('(run with --help to see what it takes)');
  addStartCommand(program);
  addServeCommand(program);
  addWorkerCommand(program);
  addAppCommand(program);
  addKeysCommands(program);
  addRunCommand(program);
  addRunsCommands(program);
  addSchedulesCommands(program);
  addAgentsCommands(program);
  addArtifactsCommands(program);
  addListCommands(program);
  addConfigCommands(program);
  addDoctorCommand(program);
  return program;
}
