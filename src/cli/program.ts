import { readFileSync } from 'node:fs';
import { Command } from 'commander';

interface Group {
  name: string;
  description: string;
  /** Adds the command; loaded when it is meant, since its rooms take longer than everything else. */
  load: () => Promise<(program: Command) => void>;
}

/** The commands in the order of the help. */
const GROUPS: readonly Group[] = [
  {
    name: 'start',
    description:
      'the whole story on this machine: service, worker, App and a stand-in for github.com',
    load: async () => (await import('./commands/start.ts')).addStartCommand,
  },
  {
    name: 'login',
    description: 'sign in to a service through your browser',
    load: async () => (await import('./commands/login.ts')).addLoginCommand,
  },
  {
    name: 'logout',
    description: 'revoke the key of a sign-in and forget it',
    load: async () => (await import('./commands/login.ts')).addLogoutCommand,
  },
  {
    name: 'whoami',
    description: 'who is signed in, and where',
    load: async () => (await import('./commands/login.ts')).addWhoamiCommand,
  },
  {
    name: 'run',
    description: 'start a run; prints its id, or with --wait follows it to its end',
    load: async () => (await import('./commands/run.ts')).addRunCommand,
  },
  {
    name: 'runs',
    description: 'look at runs and steer them',
    load: async () => (await import('./commands/runs.ts')).addRunsCommands,
  },
  {
    name: 'schedules',
    description: 'agents that run on a cron schedule',
    load: async () => (await import('./commands/schedules.ts')).addSchedulesCommands,
  },
  {
    name: 'agents',
    description: 'agent identities of the team, which runs can execute as',
    load: async () => (await import('./commands/agents.ts')).addAgentsCommands,
  },
  {
    name: 'artifacts',
    description: 'what runs left behind',
    load: async () => (await import('./commands/artifacts.ts')).addArtifactsCommands,
  },
  {
    name: 'environments',
    description: 'where runs work',
    load: async () => (await import('./commands/resources.ts')).addEnvironmentCommands,
  },
  {
    name: 'models',
    description: 'models runs may name',
    load: async () => (await import('./commands/resources.ts')).addModelCommands,
  },
  {
    name: 'skills',
    description: 'skills found in the environments’ repositories',
    load: async () => (await import('./commands/resources.ts')).addSkillCommands,
  },
  {
    name: 'workers',
    description: 'connected self-hosted workers',
    load: async () => (await import('./commands/resources.ts')).addWorkerListCommands,
  },
  {
    name: 'stats',
    description: 'where time and money went',
    load: async () => (await import('./commands/stats.ts')).addStatsCommand,
  },
  {
    name: 'keys',
    description: 'make, list and revoke API keys',
    load: async () => (await import('./commands/keys.ts')).addKeysCommands,
  },
  {
    name: 'serve',
    description: 'serve the API at /api/v1 and the pages at /, with a worker',
    load: async () => (await import('./commands/serve.ts')).addServeCommand,
  },
  {
    name: 'worker',
    description: 'take runs of a service and carry them out',
    load: async () => (await import('./commands/worker.ts')).addWorkerCommand,
  },
  {
    name: 'app',
    description: 'run the GitHub App',
    load: async () => (await import('./commands/app.ts')).addAppCommand,
  },
  {
    name: 'completion',
    description: 'words on Tab for bash, zsh and fish, live ids and names included',
    load: async () => (await import('./commands/completion.ts')).addCompletionCommand,
  },
  {
    name: 'config',
    description: 'the operator’s configuration',
    load: async () => (await import('./commands/config.ts')).addConfigCommands,
  },
  {
    name: 'doctor',
    description: 'which agents and which sandbox this machine has, and what is missing',
    load: async () => (await import('./commands/doctor.ts')).addDoctorCommand,
  },
];

const HELP = `
Examples:
  $ runlink start                                   see the whole story on this machine
  $ runlink login https://runs.example.org          sign in to a service
  $ runlink run "fix the flaky login test" --wait   start an agent and follow it
  $ runlink runs list --state failed --since 7d     what failed lately
  $ runlink runs watch --all                        what is going on

A service and its key may also come from RUNLINK_BASE_URL and RUNLINK_API_KEY.`;

/** The package's own, two folders up from the source as from the build. */
function versionOf(): string {
  const file = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return String((JSON.parse(file) as { version?: unknown }).version);
}

/** The command line as far as these words need it; all of it where none are given. Errors are thrown, never printed here. */
export async function createProgram(words?: readonly string[]): Promise<Command> {
  const program = new Command('runlink')
    .description('Start cloud coding agents and lead every pull request back to its run.')
    .version(versionOf())
    .addHelpText('after', HELP)
    .exitOverride()
    .showSuggestionAfterError()
    .showHelpAfterError('(run with --help to see what it takes)');
  const meant = words?.find((word) => !word.startsWith('-'));
  for (const { name, description, load } of GROUPS) {
    if (words && meant !== name) program.command(name).description(description);
    else {
      (await load())(program);
      program.commands.at(-1)?.description(description);
    }
  }
  return program;
}
