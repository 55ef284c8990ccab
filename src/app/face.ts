import { inertLine } from '../github/render/inert-line.ts';
import { formatYamlIssue } from '../base/yaml.ts';
import type { Face, Setup } from '../commands/face.ts';
import { isFinal } from '../commands/failure.ts';
import { askerName, repositoryName } from '../github/read/event.ts';
import { placeName } from '../commands/run-posts.ts';
import { CONFIG_PATH, type CustomCommand, type RepositoryConfig } from './config/schema.ts';
import type { AppContext } from './context.ts';
import { createMemory } from './memory.ts';
import { putThrough } from './put-through.ts';
import { adoptRun } from './publish/adopt-run.ts';
import { MENTION_KEY } from './publish/publish-run.ts';
import { refreshRun } from './publish/refresh-run.ts';
import { runReport } from './publish/run-report.ts';
import { serviceDownSince } from './publish/service-down.ts';
import type { Scene } from './scene.ts';
import { pullsOfRun } from './store/pulls.ts';
import { findStoredRun } from './store/runs.ts';

const READ_WITHIN_MS = 10_000;

/** The App as commands see it, for one thread. Posts and what is remembered go to PostgreSQL. */
export async function createAppFace(context: AppContext, scene: Scene): Promise<Face> {
  const { db, client, settings, log } = context;
  const { event, thread, installationId, github, config } = scene;
  const { login } = await context.identity();
  return {
    event,
    service: client,
    github,
    phrase: settings.phrase,
    whenBusy: config['when-busy'],
    help: helpOf(scene),
    authors: async () => [login, ...config.bots],
    login: async () => login,
    setup: (name) => setupOf(config, name, login),
    patience: (ms) => ({ deadlineMs: ms }),
    within: (ms) => ({ deadlineMs: ms }),
    warn: (what, why) => log.warn({ error: why }, what),
    put: putThrough(context, installationId),
    show: (runId) => refreshRun(context, runId),
    report: async (runId) => {
      await refreshRun(context, runId);
      const stored =
        (await findStoredRun(db, runId)) ??
        (await adoptRun(
          context,
          { ...scene, actor: askerName(event) ?? '' },
          await client.runs.get(runId, { deadlineMs: READ_WITHIN_MS }),
        ));
      const replyTo = event.comment?.replyTo ?? null;
      const place = {
        repository: repositoryName(event.repository),
        number: thread.number,
        replyTo,
      };
      return runReport(stored, placeName(place), stored.actor, {
        pulls: await pullsOfRun(db, runId),
        phrase: settings.phrase,
        downSince: await serviceDownSince(db),
        now: new Date(),
      });
    },
    remember: createMemory(context, scene),
    triesAgain: (error) => !isFinal(error),
    rehearse: undefined,
  };
}

/** The settings of one of the repository's own commands, or those of all other commands. */
function setupOf(config: RepositoryConfig, name: string | undefined, login: string): Setup {
  const isOwn = name !== undefined && Object.hasOwn(config.commands, name);
  const custom: Partial<CustomCommand> = (isOwn && config.commands[name]) || {};
  const { permission = 'write', users = [], teams = [], ...how } = { ...config, ...custom };
  const { harness } = how;
  return {
    rules: {
      permission,
      allowedBots: config.bots,
      allowedUsers: [],
      allowForks: config['allow-forks'],
      ownLogins: [login],
      only: { users, teams },
    },
    instruction: '',
    template: custom.prompt,
    description: custom.description,
    environment: how.environment,
    model: how.model,
    skill: how.skill,
    agent: how.agent,
    closesIssue: config['closes-issue'],
    onPullRequest: how['on-pull-request'] ?? 'push',
    config: harness === undefined ? {} : { harness: { type: harness } },
    metadata: config.mention ? {} : { [MENTION_KEY]: 'no' },
  };
}

function helpOf({ config, broken }: Scene): Face['help'] {
  const custom = Object.entries(config.commands).map(([name, one]) => ({
    name,
    description: one.description ?? one.prompt?.split('\n', 1)[0] ?? one.skill ?? '',
  }));
  const [fault] = broken;
  const note = fault
    ? `\n\n\`${CONFIG_PATH}\` is not in force: ${inertLine(formatYamlIssue(CONFIG_PATH, fault), 500)}`
    : '';
  return { custom, note };
}
