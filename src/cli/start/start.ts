import { join } from 'node:path';
import { aborted } from 'node:util';
import { RunlinkError } from '../../base/error.ts';
import { diagnoseAgents } from '../../worker/doctor/diagnose.ts';
import { chooseIsolation } from '../../worker/sandbox/choose.ts';
import { commandLog } from '../command-log.ts';
import { dataDirectory } from '../locate.ts';
import { CommandInterrupted, interruptSignal } from '../interrupt.ts';
import { explain } from '../explain.ts';
import { createNarrator, type Narrator } from './narrator.ts';
import { playStory } from './story.ts';
import { startWorld, type World } from './world.ts';

export interface StartOptions {
  data: string;
  host: string;
  port?: number;
  agent: string;
  once?: boolean;
}

const DEMO_AGENT_WITHIN_MS = 120_000;
const REAL_AGENT_WITHIN_MS = 30 * 60_000;

/** Starts everything, plays the story, then serves until Ctrl-C; returns the exit code. */
export async function start(options: StartOptions): Promise<number> {
  const signal = interruptSignal();
  const narrator = createNarrator(process.stdout);
  let world: World | undefined;
  await requireAgent(options.agent);
  try {
    world = await bringUp(options, narrator);
    const failure = await play(world, options, narrator, signal);
    if (options.once) return failure ? 1 : 0;
    await sayWhereThingsAre(world, options, narrator);
    await aborted(signal, signal);
    return failure ? 1 : 0;
  } catch (error) {
    if (error instanceof CommandInterrupted) return error.exitCode;
    throw error;
  } finally {
    if (world && !options.once) narrator.say('Stopping …');
    await world?.close();
  }
}

/** Reports a missing agent at once, instead of letting a run fail later. */
async function requireAgent(name: string): Promise<void> {
  const { refusal } = await chooseIsolation({});
  const agents = await diagnoseAgents({ environment: process.env }, refusal);
  const asked = agents.find((agent) => agent.name === name);
  if (asked?.usable) return;
  const names = agents.map((agent) => agent.name).join(', ');
  throw new RunlinkError(
    'agent_not_usable',
    `The agent "${name}" cannot be used on this machine.`,
    { hint: asked?.problems.join('\n') ?? `Known agents: ${names}.` },
  );
}

async function bringUp(options: StartOptions, narrator: Narrator): Promise<World> {
  const { host, port, agent } = options;
  const { world } = await narrator.step(
    'Runlink starts: database, service, worker, App, a GitHub to talk to',
    async () => {
      const log = await commandLog('start', 'silent');
      const started = await startWorld({ dataDir: dataDirectory(options), host, port, agent, log });
      return { world: started, link: started.github.repository.issueUrl };
    },
  );
  return world;
}

/** Plays the story. A failure is reported and becomes the exit code, unless the user ended it. */
async function play(
  world: World,
  options: StartOptions,
  narrator: Narrator,
  signal: AbortSignal,
): Promise<unknown> {
  const { repository, maintainer, app } = world.github;
  try {
    await playStory({
      github: world.maintainer,
      login: maintainer.login,
      botLogin: app.botLogin,
      repository: { owner: repository.owner, repo: repository.name },
      issue: repository.issueNumber,
      client: world.client,
      signal,
      narrator,
      agentWithinMs: options.agent === 'demo' ? DEMO_AGENT_WITHIN_MS : REAL_AGENT_WITHIN_MS,
    });
    return undefined;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    explain(error, false);
    return error;
  }
}

async function sayWhereThingsAre(
  world: World,
  options: StartOptions,
  narrator: Narrator,
): Promise<void> {
  const { issueUrl } = world.github.repository;
  narrator.say(`
Still here. Open it in a browser:
  the runs, signed in   ${await world.signInLink()}
                        (works once, within 15 minutes; after that sign in with GitHub as ${world.github.maintainer.login},
                        or with the key in ${join(dataDirectory(options), 'owner.key')})
  the issue             ${issueUrl}

Comment on the issue, in the box at its end, and the App answers; /agent review on the pull request has it
reviewed. To rehearse how an App is created (works once): ${world.serving.setupUrl ?? ''}
Ctrl-C ends everything.`);
}
