import type { OperatorConfig, OperatorEnvironment } from '../../config/operator-config.ts';
import { LEASE_SECONDS, type Lease } from '../../contract/lease.ts';
import type { ServiceContext } from '../context.ts';
import { cloneUrl } from '../environments/clone-url.ts';
import { isBuiltIn, type Principal } from '../keys/principal.ts';
import type { RunRow } from '../runs/find-run.ts';
import { ownConversation } from '../runs/create/new-run.ts';
import { CONTINUE } from '../runs/life/follow-up.ts';
import { summarise, summariseConversation } from '../runs/log/summarise.ts';
import { runKeyText } from '../keys/key-text.ts';
import { startingMessages } from './followups.ts';

/** A committed claim. */
export interface Claimed {
  run: RunRow;
  /** The raw token, which only the worker gets. */
  token: string;
}

/** Everything that a worker needs to execute the run it has just claimed. */
export async function buildLease(
  context: ServiceContext,
  { run, token }: Claimed,
  worker: Principal,
): Promise<Lease> {
  const { base_prompt } = run.config;
  const { messages, attachments } = await startingMessages(context.db, run);
  return {
    run_id: run.id,
    attempt: run.attempt,
    token,
    expires_at: new Date(Date.now() + LEASE_SECONDS * 1000).toISOString(),
    title: run.title,
    prompt: messages.length > 0 ? messages.join('\n\n') : await firstPrompt(context, run),
    ...(base_prompt === undefined ? {} : { base_prompt }),
    ...(run.skill ? { skills: skillsOf(run.skill) } : {}),
    mode: run.mode,
    config: run.config,
    attachments: messages.length > 0 ? attachments : run.attachments,
    run_key: runKeyText(context.secrets.runKey, run.id, run.attempt),
    session_link: `${context.publicUrl()}/runs/${run.id}`,
    metadata: run.metadata,
    ...requesterOf(run),
    ...(await environmentOf(context, run.environment_id, isBuiltIn(worker))),
    ...(run.usage ? { used: run.usage } : {}),
    ...(await resumeOf(context, run)),
  };
}

function skillsOf(skill: NonNullable<RunRow['skill']>): NonNullable<Lease['skills']> {
  return [skill, ...(skill.others ?? [])].map(({ name, path, content }) => ({
    name,
    path,
    content,
  }));
}

function repositoriesOf(environment: OperatorEnvironment, github: OperatorConfig['github']) {
  return environment.repositories.map((repository) => ({
    owner: repository.owner,
    name: repository.repo,
    clone_url: cloneUrl(repository, github),
    ...(repository.ref === undefined ? {} : { ref: repository.ref }),
  }));
}

function variablesOf(
  environment: OperatorEnvironment,
  variables: ServiceContext['variables'],
): Record<string, string> {
  const known = environment.variables.flatMap((name) => {
    const value = variables[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(known);
}

async function environmentOf(
  context: ServiceContext,
  id: string | null,
  builtIn: boolean,
): Promise<Pick<Lease, 'environment' | 'git'>> {
  const environment = context.config.environments.find((item) => item.id === id);
  if (!environment) return {};
  const repositories = repositoriesOf(environment, context.config.github);
  return {
    environment: {
      id: environment.id,
      name: environment.name,
      image: environment.image,
      repositories,
      setup_commands: environment.setup_commands,
      network: environment.network,
      pull_request: environment.pull_request,
      push: environment.push,
      draft: environment.draft,
      sign_off: environment.sign_off,
      variables: variablesOf(environment, context.variables),
    },
    git: await context.git.grant(repositories, { builtIn }),
  };
}

/**
 * Who asked for the run, for `Co-authored-by:`; the Action and the App put it into the metadata
 * (run-lifecycle.md, "Where a run works").
 */
function requesterOf(run: RunRow): Pick<Lease, 'requester'> {
  const actor = run.metadata['runlink.actor'];
  if (actor) {
    const name = actor.replace(/^@/, '');
    return { requester: { name, email: `${name}@users.noreply.github.com` } };
  }
  const { display_name: name, email } = run.creator;
  return name && email ? { requester: { name, email } } : {};
}

/**
 * The first prompt. A run that continues a conversation has a session and workspace of its own, so
 * its agent is told what happened before.
 */
async function firstPrompt({ db }: ServiceContext, run: RunRow): Promise<string> {
  if (run.reopened > 0 || run.conversation_id === ownConversation(run.id)) return run.prompt;
  const earlier = await summariseConversation(db, run);
  const before = earlier && `What happened in this conversation so far:\n\n${earlier}`;
  return [before, run.prompt || CONTINUE].filter(Boolean).join('\n\n');
}

async function resumeOf(context: ServiceContext, run: RunRow): Promise<Pick<Lease, 'resume'>> {
  if (run.reopened === 0) return {};
  const { session_id, branch, pull_request_url, worker_id } = run.resume ?? {};
  return {
    resume: {
      ...(session_id === undefined ? {} : { session_id }),
      ...(branch === undefined ? {} : { branch }),
      ...(pull_request_url === undefined ? {} : { pull_request_url }),
      ...(worker_id === undefined ? {} : { worker_id }),
      summary: await summarise(context.db, run),
    },
  };
}
