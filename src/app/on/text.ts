import { toAsked } from '../../commands/asked.ts';
import { carryOutAll } from '../../commands/carry-out.ts';
import type { Asked } from '../../commands/face.ts';
import { gatherReview } from '../../commands/gather-review.ts';
import type { Command } from '../../github/decide/command.ts';
import { gateActor } from '../../github/decide/gate.ts';
import type { Reason, SkipReason } from '../../github/decide/reason.ts';
import { findCommands } from '../../github/decide/trigger.ts';
import { isFailing } from '../../github/read/failed-jobs.ts';
import {
  repositoryName,
  sameName,
  type GithubEvent,
  type Thread,
} from '../../github/read/event.ts';
import { loadRepositoryConfig } from '../config/load.ts';
import type { ConfigTrigger } from '../config/schema.ts';
import type { AppContext } from '../context.ts';
import { createAppFace } from '../face.ts';
import type { Scene } from '../scene.ts';
import type { Delivered } from './event.ts';
import { reportOnHead } from './push.ts';

/** Somebody commented, labelled or assigned: carries out what that asks for. */
export async function onText(context: AppContext, delivered: Delivered): Promise<Reason[]> {
  const { thread, action } = delivered.event;
  if (!thread) return ['not_a_command'];
  return carryOutOn(context, delivered, thread, action === 'edited' ? 'not_created' : undefined);
}

/** Carries out the commands of an event. `otherwise` is the outcome if there are none. */
export async function carryOutOn(
  context: AppContext,
  { event, installationId, github }: Delivered,
  thread: Thread,
  otherwise: Reason = 'not_a_command',
): Promise<Reason[]> {
  const loaded = await loadRepositoryConfig(context.db, github, repositoryName(event.repository));
  const scene: Scene = { ...loaded, event: { ...event, thread }, thread, installationId, github };
  const found = await findAsked(context, scene);
  if ('ignored' in found) return [found.ignored];
  const { event: asking, all } = found;
  if (all.length === 0) return [otherwise];
  if (scene.broken.length > 0) await reportOnHead(context, scene);
  const handled = await carryOutAll(await createAppFace(context, { ...scene, event: asking }), all);
  return handled.map(({ reason }) => reason);
}

async function findAsked(
  context: AppContext,
  scene: Scene,
): Promise<{ event: GithubEvent; all: Asked[] } | { ignored: SkipReason }> {
  const { event, config, github } = scene;
  const grammar = { phrase: context.settings.phrase, custom: Object.keys(config.commands) };
  const onEdit = config['on-edit'];
  const found = await findCommands(event, { ...grammar, onEdit }, () => mayCommand(context, scene));
  if (found && 'commands' in found && found.commands.length > 0) {
    const asked = await gatherReview(github, event, found.commands, grammar);
    const all = asked.commands.map((command) => toAsked(asked.event, 'command', command));
    return { event: asked.event, all };
  }
  const triggers = config.triggers.filter((trigger) => isFor(trigger, event));
  if (found && 'ignored' in found && triggers.length === 0) return found;
  const all = triggers.map((trigger, position) =>
    toAsked(event, ORIGINS[trigger.on], triggered(trigger, position, config)),
  );
  return { event, all };
}

/**
 * Whether any command of this person would be carried out; checked before spending much on a text.
 */
async function mayCommand(context: AppContext, scene: Scene): Promise<boolean> {
  const face = await createAppFace(context, scene);
  for (const name of [undefined, ...Object.keys(scene.config.commands)]) {
    const { allowed } = await gateActor(face.github, face.event, face.setup(name).rules);
    if (allowed) return true;
  }
  return false;
}

/** GitHub's actions, with their names in the configuration. */
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
  if (event.name !== 'check_suite' || !checks || !isFailing(checks)) return false;
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

/**
 * A configured trigger becomes one of the repository's own commands. The position tells apart
 * several triggers of one event.
 */
function triggered(
  { command: name }: ConfigTrigger,
  position: number,
  { commands }: Scene['config'],
): Command {
  const plain = { index: position + 1, prompt: '', options: {} };
  return Object.hasOwn(commands, name)
    ? { ...plain, verb: 'custom', name }
    : { ...plain, verb: 'review', name: undefined };
}
