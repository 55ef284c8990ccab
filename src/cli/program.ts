import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addExamples } from './examples.ts';
import { spelled } from './output/letters.ts';

type Adder = (program: Command) => void;

/** The commands in the order of the help, and what each is for. */
const COMMANDS: Record<string, string> = {
  init: 'from nothing to a first run on your repository: asks, writes runlink.yaml, checks it',
  start: 'try it all on this machine: service, worker, App and a stand-in for github.com',
  login: 'sign in to a service through your browser',
  logout: 'revoke the key of a sign-in and forget it',
  whoami: 'who is signed in, and where',
  run: 'start a run; prints its id, or with --wait follows it to its end',
  runs: 'list, watch and control runs',
  schedules: 'agents that run on a cron schedule',
  agents: 'agents of the team, which runs can act as',
  artifacts: 'files, plans and screenshots that runs made',
  environments: 'where runs work',
  models: 'models runs may name',
  skills: 'skills found in the environments’ repositories',
  workers: 'connected self-hosted workers',
  stats: 'where time and money went',
  keys: 'make, list and revoke API keys',
  serve: 'serve the API at /api/v1 and the pages at /, with a worker',
  worker: 'take runs of a service and carry them out; the key comes from RUNLINK_API_KEY',
  app: 'run the GitHub App; webhooks at /api/github/webhooks',
  backup: 'write everything a service keeps into one file, while it goes on',
  restore: 'fill an empty database from a backup; nothing goes on until --resume',
  migrate: 'bring the database up to date before a new release serves from it',
  completion: 'print a script for bash, zsh or fish that completes commands, ids and names',
  config: 'the operator’s configuration',
  doctor: 'which agents and sandbox this machine has, and what is missing',
};

/**
 * Each is imported only when it is called, because its modules take longer to load than everything
 * else.
 */
const LOAD: Record<string, () => Promise<Adder>> = {
  init: async () => (await import('./commands/init.ts')).addInitCommand,
  start: async () => (await import('./commands/start.ts')).addStartCommand,
  login: async () => (await import('./commands/login.ts')).addLoginCommand,
  logout: async () => (await import('./commands/login.ts')).addLogoutCommand,
  whoami: async () => (await import('./commands/login.ts')).addWhoamiCommand,
  run: async () => (await import('./commands/run.ts')).addRunCommand,
  runs: async () => (await import('./commands/runs.ts')).addRunsCommands,
  schedules: async () => (await import('./commands/schedules.ts')).addSchedulesCommands,
  agents: async () => (await import('./commands/agents.ts')).addAgentsCommands,
  artifacts: async () => (await import('./commands/artifacts.ts')).addArtifactsCommands,
  environments: async () => (await import('./commands/resources.ts')).addEnvironmentCommands,
  models: async () => (await import('./commands/resources.ts')).addModelCommands,
  skills: async () => (await import('./commands/resources.ts')).addSkillCommands,
  workers: async () => (await import('./commands/resources.ts')).addWorkerListCommands,
  stats: async () => (await import('./commands/stats.ts')).addStatsCommand,
  keys: async () => (await import('./commands/keys.ts')).addKeysCommands,
  serve: async () => (await import('./commands/serve.ts')).addServeCommand,
  worker: async () => (await import('./commands/worker.ts')).addWorkerCommand,
  app: async () => (await import('./commands/app.ts')).addAppCommand,
  backup: async () => (await import('./commands/backup.ts')).addBackupCommand,
  restore: async () => (await import('./commands/backup.ts')).addRestoreCommand,
  migrate: async () => (await import('./commands/migrate.ts')).addMigrateCommand,
  completion: async () => (await import('./commands/completion.ts')).addCompletionCommand,
  config: async () => (await import('./commands/config.ts')).addConfigCommands,
  doctor: async () => (await import('./commands/doctor.ts')).addDoctorCommand,
};

const HELP = `
Examples:
  $ runlink start                                   see the whole story on this machine
  $ runlink login https://runs.example.org          sign in to a service
  $ runlink run "fix the flaky login test" --wait   start an agent and follow it
  $ runlink runs list --state failed --since 7d     what failed lately
  $ runlink runs watch --all                        what is going on

A service and its key may also come from RUNLINK_BASE_URL and RUNLINK_API_KEY.`;

/**
 * The command line, as far as these words need it; all of it without words. Throws errors and never
 * prints them.
 */
export async function createProgram(words?: readonly string[]): Promise<Command> {
  const program = new Command('runlink')
    .description('Start cloud coding agents and lead every pull request back to its run.')
    .version(versionOf())
    .addHelpText('after', HELP)
    .configureOutput({
      writeOut: (text) => void process.stdout.write(spelled(process.stdout, text)),
      writeErr: (text) => void process.stderr.write(spelled(process.stderr, text)),
    })
    .exitOverride()
    .showSuggestionAfterError()
    .showHelpAfterError('(run with --help to see what it takes)');
  const meant = words?.find((word) => !word.startsWith('-'));
  for (const [name, description] of Object.entries(COMMANDS)) {
    const load = words && meant !== name ? undefined : LOAD[name];
    if (load) (await load())(program);
    else program.command(name);
    program.commands.at(-1)?.description(description);
  }
  addExamples(program.commands);
  return program;
}

/** The package's version; package.json is two folders up from the source and from the build. */
function versionOf(): string {
  const file = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return String((JSON.parse(file) as { version?: unknown }).version);
}
