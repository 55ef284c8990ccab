import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aborted } from 'node:util';
import { RunlinkError } from '../../base/error.ts';
import { makeFolder } from '../../base/make-folder.ts';
import type { OperatorConfig } from '../../config/operator-config.ts';
import type { SandboxDriver } from '../../config/sandbox.ts';
import { diagnose, diagnoseAgents } from '../../worker/doctor/diagnose.ts';
import { keyVariablesOf } from '../../worker/model/upstream.ts';
import { findProfile } from '../../worker/profile/resolve.ts';
import { commandLog } from '../command-log.ts';
import { describeDiagnosis } from '../commands/doctor.ts';
import { wrongUse } from '../exit-code.ts';
import { interruptSignal } from '../interrupt.ts';
import { screenOf } from '../output/screen.ts';
import { askFor, canAsk, choose } from '../questions.ts';
import { gitRemotes } from '../remote/git.ts';
import { openClient, printerOf } from '../remote/remote.ts';
import { startServing } from '../serve/start-serving.ts';
import { useProxies } from '../serve/use-proxies.ts';
import { followToEnd } from '../watch/watch-run.ts';
import { checkConfig, renderConfig, givenByRemote } from './write-config.ts';

export interface InitOptions {
  repository?: string;
  harness?: string;
  keyVariable?: string;
  prompt: string;
  run: boolean;
  force?: boolean;
  config: string;
  data: string;
  dataDir: string;
  port: number;
  sandbox?: SandboxDriver;
}

/** The defaults of `serve`. */
const USUAL = { config: 'runlink.yaml', port: 8787 };

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Sets everything up for a first run and carries it out; returns the exit code. */
export async function init(options: InitOptions): Promise<number> {
  const file = options.config;
  await refuseExisting(file, options.force);
  const repository = options.repository ?? (await askRepository());
  const agent = options.harness ?? (await askAgent());
  const keyVariable = await chooseKey(agent, options.keyVariable);
  const canPush = Boolean(process.env['GITHUB_TOKEN']);
  const text = renderConfig({ repository, agent, keyVariable, canPush });
  const config = checkConfig(text, file);
  await writeFile(file, text, { mode: 0o644 });
  await keepOutOfGit(options.dataDir);
  say(`Wrote ${file}.`);
  if (!(await isUsable(config, agent, options))) {
    const again = [
      called(),
      'init',
      `'${repository}'`,
      '--harness',
      agent,
      '--force',
      ...given(options),
    ];
    const { bad } = screenOf(process.stdout).signs;
    say(`\nFix what is marked ${bad}, then: ${again.join(' ')}\nor: ${serveCommand(options)}`);
    return 1;
  }
  if (!options.run) {
    say(`\nNext: ${serveCommand(options)}`);
    return 0;
  }
  return firstRun(config, options);
}

async function refuseExisting(file: string, force: boolean | undefined): Promise<void> {
  const there = await readFile(file).catch(() => undefined);
  if (!there || force) return;
  throw new RunlinkError('file_exists', `${file} is there already.`, {
    hint: 'Edit it, or write it anew with --force.',
  });
}

/** The data directory holds keys and may lie inside the repository. */
async function keepOutOfGit(dataDir: string): Promise<void> {
  await makeFolder(dataDir);
  await writeFile(join(dataDir, '.gitignore'), '*\n');
}

async function askRepository(): Promise<string> {
  const [here] = await gitRemotes();
  const offered = here && givenByRemote(here);
  if (canAsk()) return askFor('Repository: owner/name, an address, or a path', offered ?? '.');
  if (offered) return offered;
  throw wrongUse(
    'No repository is named.',
    `Name it: ${called()} init owner/name, an address, or a path.`,
  );
}

async function askAgent(): Promise<string> {
  const agents = await diagnoseAgents({ environment: process.env }, undefined);
  const usable = agents.filter((agent) => agent.usable && agent.name !== 'demo');
  const [first] = usable;
  if (!canAsk()) return first?.name ?? 'demo';
  const offered = agents.filter(({ name }) => name !== 'acp' && name !== 'exec');
  return choose(
    'Agent',
    [...usable, ...offered.filter((agent) => !usable.includes(agent))].map(
      ({ name, usable: is, problems }) => ({
        value: name,
        label: is ? name : `${name} (${problems[0] ?? 'not usable'})`,
      }),
    ),
  );
}

/** The variable with the key of the agent's model; the agent decides which ones are possible. */
async function chooseKey(agent: string, asked: string | undefined): Promise<string | undefined> {
  const protocol = findProfile(agent, {}).profile.protocol(undefined);
  if (!protocol) return undefined;
  const names = keyVariablesOf(protocol);
  if (asked !== undefined && !names.includes(asked))
    throw wrongUse(
      `"${agent}" takes no key from ${asked}.`,
      `It takes it from ${names.join(' or ')}.`,
    );
  const set = names.find((name) => process.env[name]);
  if (asked ?? set ?? !canAsk()) return asked ?? set ?? names[0];
  return choose(
    'Variable that holds the key of its model',
    names.map((name) => ({ value: name, label: name })),
  );
}

async function isUsable(
  { harnesses, sandbox }: OperatorConfig,
  agent: string,
  options: InitOptions,
): Promise<boolean> {
  const diagnosis = await diagnose({
    harnesses,
    defaultHarness: agent,
    environment: process.env,
    sandbox: options.sandbox ?? sandbox.driver,
    engine: sandbox.engine,
    readOnly: sandbox.read_only,
  });
  const agents = diagnosis.agents.filter(({ name }) => name === agent);
  const view = { readOnly: [], links: [] };
  say(describeDiagnosis({ ...diagnosis, sandbox: { ...diagnosis.sandbox, view }, agents }));
  return diagnosis.git !== undefined && agents.some(({ usable }) => usable);
}

/** Serves, starts a run and follows it; on a terminal it then keeps serving until Ctrl-C. */
async function firstRun(config: OperatorConfig, options: InitOptions): Promise<number> {
  const { dataDir, port, sandbox } = options;
  const signal = interruptSignal();
  const serving = await startServing({
    host: '127.0.0.1',
    port,
    database: { dataDir, role: 'owner' },
    dataDir,
    config,
    variables: process.env,
    useProxy: await useProxies(process.env, '127.0.0.1'),
    worker: { ...(sandbox && { sandbox }) },
    log: await commandLog('init', 'warn'),
  });
  try {
    const apiKey = (await readFile(join(dataDir, 'owner.key'), 'utf8')).trim();
    const printer = printerOf({});
    const { apiBaseUrl: baseUrl } = serving;
    const client = openClient({ baseUrl, apiKey }, signal, printer.say);
    const [environment] = config.environments;
    const { run_id: id } = await client.runs.create({
      prompt: options.prompt,
      config: { environment_id: environment?.id },
    });
    say(`\nThe first run: ${serving.url}/runs/${id}`);
    const code = await followToEnd({ ...printer, client, baseUrl, options: {}, signal }, id);
    say(NEXT(options, serving.url));
    if (canAsk()) {
      say('\nIt serves until you press Ctrl-C.');
      await aborted(signal, signal);
    }
    return code;
  } finally {
    await serving.close();
  }
}

/** Options given to `init` that the suggested commands need as well. */
function given({ config, port, sandbox }: Pick<InitOptions, 'config' | 'port' | 'sandbox'>) {
  return [
    ...(config === USUAL.config ? [] : ['--config', config]),
    ...(port === USUAL.port ? [] : ['--port', String(port)]),
    ...(sandbox ? ['--sandbox', sandbox] : []),
  ];
}

const serveCommand = (options: InitOptions): string =>
  [called(), 'serve', '--data', options.data, ...given(options)].join(' ');

const NEXT = (options: InitOptions, url: string): string => `
Next:
  ${serveCommand({ ...options, port: Number(new URL(url).port) })}          # the service, as from now on
  ${called()} login ${url} --with-key < ${options.data}/owner.key
  ${called()} run "…" --wait`;

/** How to call this program: in a clone and by npx there is no command "runlink". */
function called(): string {
  if (process.env['npm_lifecycle_event'] === 'runlink') return 'npm run -s runlink --';
  return process.env['npm_command'] === 'exec' ? 'npx runlink' : 'runlink';
}
