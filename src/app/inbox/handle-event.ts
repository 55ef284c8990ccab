import { type GithubEvent, sameName } from '../../github/read/event.ts';
import { repositoryName } from '../../github/read/event.ts';
import { readCommands } from '../../github/decide/command.ts';
import { NEW_TEXT, newText } from '../../github/decide/trigger.ts';
import { handleCommand, type Asked } from '../commands/handle-command.ts';
import type { Scene } from '../commands/scene.ts';
import { loadConfig } from '../config/load.ts';
import { reportBrokenConfig, reportOnHead } from '../config/report-broken.ts';
import type { ConfigTrigger } from '../config/schema.ts';
import type { AppContext } from '../context.ts';
import { handleButton } from './handle-button.ts';
import { handlePull } from './handle-pull.ts';
import { threadOfChecks } from './thread-of-checks.ts';

/** Acts on one event and answers the reason code of what came of it. */
export async function handleEvent(
  context: AppContext,
  event: GithubEvent,
  { installationId, payload, guid }: { installationId: number; payload: unknown; guid: string },
): Promise<string> {
  const github = await context.github(installationId);
  if (event.name === 'push') return reportBrokenConfig(context, github, event, installationId);
  if (event.name === 'check_run' || event.action === 'rerequested') {
    return handleButton(context, github, event, { installationId, payload, guid });
  }
  const shown = event.name === 'pull_request' ? await handlePull(context, event) : undefined;
  const told = await handleAsked(context, event, installationId);
  return told ?? shown ?? 'not_a_command';
}

async function handleAsked(
  context: AppContext,
  event: GithubEvent,
  installationId: number,
): Promise<string | undefined> {
  if (await isOwnCheck(context, event)) return 'own_check';
  const github = await context.github(installationId);
  const thread = event.thread ?? (await threadOfChecks(github, event));
  if (!thread) return undefined;
  const { config, broken } = await loadConfig(context.db, github, repositoryName(event.repository));
  const scene: Scene = {
    event: { ...event, thread },
    thread,
    installationId,
    github,
    config,
    broken,
  };
  const all = await findAsked(context, scene);
  if (all.length > 0 && broken.length > 0) await reportOnHead(context, scene);
  const reasons: string[] = [];
  for (const asked of all) reasons.push(await handleCommand(context, scene, asked));
  return reasons.length === 0 ? undefined : reasons.join(',');
}

/** A failing run fails our own suite: to act on that would go round in circles. */
async function isOwnCheck(context: AppContext, { checks }: GithubEvent): Promise<boolean> {
  return checks !== undefined && sameName(`${checks.app}[bot]`, (await context.identity()).login);
}

async function findAsked(context: AppContext, { event, config }: Scene): Promise<Asked[]> {
  if (NEW_TEXT[event.name] === event.action) {
    const grammar = { phrase: context.settings.phrase, custom: Object.keys(config.commands) };
    const commands = await readCommands(newText(event), grammar);
    if (commands.length > 0) return commands.map((command) => ({ command, trigger: 'command' }));
  }
  return config.triggers.filter((trigger) => isFor(trigger, event)).map(triggered);
}

/** Actions by the names the configuration has for what they trigger. */
const ACTIONS: Record<ConfigTrigger['on'], string> = {
  label: 'labeled',
  assignment: 'assigned',
  opened: 'opened',
  ready: 'ready_for_review',
  synchronized: 'synchronize',
  'failing-checks': 'completed',
};

function isFor(trigger: ConfigTrigger, event: GithubEvent): boolean {
  if (event.action !== ACTIONS[trigger.on]) return false;
  if (trigger.on === 'label') return sameName(event.label, trigger.label);
  if (trigger.on === 'assignment') return sameName(event.assignee, trigger.assignee);
  if (trigger.on !== 'failing-checks') return event.name === 'pull_request';
  const { checks } = event;
  if (event.name !== 'check_suite' || checks?.conclusion !== 'failure') return false;
  return trigger.app === undefined || sameName(checks.app, trigger.app);
}

const ORIGINS = {
  label: 'label',
  assignment: 'assignee',
  opened: 'event',
  ready: 'event',
  synchronized: 'event',
  'failing-checks': 'event',
} as const;

/** A trigger gives a command of the repository's own; positions keep several of one event apart. */
function triggered(trigger: ConfigTrigger, position: number): Asked {
  return {
    trigger: ORIGINS[trigger.on],
    command: {
      index: position + 1,
      verb: 'custom',
      name: trigger.command,
      prompt: '',
      options: {},
    },
  };
}
