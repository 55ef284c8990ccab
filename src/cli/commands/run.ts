import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { text } from 'node:stream/consumers';
import { Option, type Command } from 'commander';
import { RunlinkError } from '../../base/error.ts';
import { AGENT_KINDS } from '../../config/harness.ts';
import { runEntry } from '../../contract/entry.ts';
import {
  ATTACHMENTS_MAX,
  createRunRequest,
  runMode,
  runRead,
  type CreateRunRequest,
} from '../../contract/run.ts';
import { wrongUse } from '../exit-code.ts';
import { askFor, canAsk } from '../questions.ts';
import { collectPair } from '../query-options.ts';
import { environmentFor } from '../remote/environment.ts';
import { findId } from '../remote/find.ts';
import { remoteCommand, type Remote } from '../remote/remote.ts';
import { addWatchOptions, type WatchFlags } from '../watch/watch-options.ts';

/** Options for how an agent works, shared by `run`, `runs retry` and schedules. */
export interface WorkOptions {
  environment?: string | false;
  harness?: string;
  model?: string;
  skill?: string;
  workerHost?: string;
  mode?: CreateRunRequest['mode'];
  as?: string;
  metadata?: Record<string, string>;
}

export interface RunOptions extends WorkOptions, WatchFlags {
  title?: string;
  personal?: boolean;
  attach?: string[];
  wait?: boolean;
}

/** The `config` of a run or schedule that these options ask for. */
export function toConfig(options: WorkOptions, environmentId: string | undefined) {
  const { harness, model, workerHost } = options;
  return {
    ...(environmentId && { environment_id: environmentId }),
    ...(harness && { harness: { type: harness } }),
    ...(model && { model_id: model }),
    ...(workerHost && { worker_host: workerHost }),
  };
}

async function readPrompt(
  words: readonly string[],
  options: RunOptions,
): Promise<string | undefined> {
  if (words.length === 1 && words[0] === '-') return text(process.stdin);
  if (words.length > 0) return words.join(' ');
  if (options.skill !== undefined || !canAsk()) return undefined;
  return askFor('What is the agent to do?', '');
}

const image = createRunRequest.shape.attachments.unwrap().element;
type Image = NonNullable<CreateRunRequest['attachments']>[number];

/** Recognises images by their first bytes, because a name can claim anything. */
const SIGNATURES: readonly (readonly [Image['mime_type'], RegExp])[] = [
  ['image/png', /^\x89PNG/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8/],
  ['image/webp', /^RIFF....WEBP/s],
];

async function readImage(file: string): Promise<Image> {
  const content = await readFile(file).catch((error: unknown) => {
    throw new RunlinkError('invalid_option', `${file} cannot be read.`, { cause: error });
  });
  const head = content.subarray(0, 16).toString('latin1');
  const found = SIGNATURES.find(([, signature]) => signature.test(head));
  const parsed = image.safeParse({
    file_name: basename(file),
    mime_type: found?.[0],
    data: content.toString('base64'),
  });
  if (parsed.success) return parsed.data;
  const types = image.shape.mime_type.out.options.join(', ');
  throw wrongUse(`${file} cannot be attached.`, `Images of up to 10 MB can be: ${types}.`);
}

async function readImages(
  files: readonly string[],
): Promise<Pick<CreateRunRequest, 'attachments'>> {
  if (files.length > ATTACHMENTS_MAX)
    throw wrongUse(`A run takes at most ${ATTACHMENTS_MAX} images.`);
  return files.length > 0 ? { attachments: await Promise.all(files.map(readImage)) } : {};
}

/**
 * The environment and harness that the options name or that were found; without either, those of
 * the earlier run.
 */
async function configOf(
  remote: Remote<RunOptions>,
  earlier: CreateRunRequest,
): Promise<Pick<CreateRunRequest, 'config'>> {
  const { environment } = remote.options;
  const isKept = earlier.prompt !== undefined && environment === undefined;
  const found = isKept ? undefined : await environmentFor(remote, environment);
  const { environment_id: kept, ...rest } = earlier.config ?? {};
  const config = {
    ...rest,
    ...(isKept && kept && { environment_id: kept }),
    ...toConfig(remote.options, found),
  };
  return Object.keys(config).length > 0 ? { config } : {};
}

function said(options: Pick<CreateRunRequest, 'title' | 'mode' | 'team'>) {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** The request for these options; an earlier run fills in what they leave out. */
export async function toRequest(
  remote: Remote<RunOptions>,
  words: readonly string[],
  earlier: CreateRunRequest = {},
): Promise<CreateRunRequest> {
  const { client, options } = remote;
  const { title, skill, mode, metadata, as, personal } = options;
  const prompt = (await readPrompt(words, options)) ?? earlier.prompt;
  if (!prompt?.trim() && !skill) {
    throw new RunlinkError('missing_prompt', 'There is nothing to do: no prompt and no skill.', {
      hint: options.attach
        ? 'Every word after --attach is a file: write the prompt before it.'
        : 'Give the prompt as words, "-" to read it from standard input, or --skill.',
    });
  }
  return {
    ...earlier,
    prompt,
    ...(skill && { skill }),
    ...said({ title, mode, team: personal ? false : undefined }),
    ...(metadata && { metadata: { ...earlier.metadata, ...metadata } }),
    ...(as && { agent_identity_uid: await findId(client, 'agent', as) }),
    ...(await readImages(options.attach ?? [])),
    ...(await configOf(remote, earlier)),
  };
}

/** Uploads get more time than it takes to notice that a service is unreachable. */
const UPLOAD_DEADLINE_MS = 5 * 60_000;

/** Starts a run, and prints its id or follows it to its end. */
export async function startRun(
  remote: Remote<RunOptions>,
  request: CreateRunRequest,
): Promise<void> {
  const { client, options } = remote;
  const created = await client.runs.create(request, {
    ...(request.attachments && {
      deadlineMs: UPLOAD_DEADLINE_MS,
      tryTimeoutMs: UPLOAD_DEADLINE_MS,
    }),
  });
  if (!options.wait) return remote.show(created, () => created.run_id);
  const { followToEnd: watchRun } = await import('../watch/watch-run.ts');
  process.exitCode = await watchRun(remote, created.run_id);
}

const FOUND = 'the one that has this git repository, or the only one';

/** `standard` says which environment it is without the option. */
export function addWorkOptions(command: Command, standard = FOUND): Command {
  return command
    .option('-e, --environment <name>', `environment it works in (default: ${standard})`)
    .option('--no-environment', 'start in an empty workspace')
    .option(
      '--harness <name>',
      `program that works: ${AGENT_KINDS.join(', ')}, or one of the operator’s`,
    )
    .option('-m, --model <id>', 'model')
    .option('-s, --skill <spec>', 'skill, as owner/repo:path or repo:name')
    .addOption(new Option('--mode <mode>', 'how it works').choices(runMode.options))
    .option('--as <agent>', 'agent of the team to run as')
    .option('--worker-host <name>', 'self-hosted worker to run it')
    .option('--metadata <key=value>', 'label it; may be repeated', collectPair);
}

export function addRunOptions(command: Command, environment?: string): Command {
  return addWatchOptions(
    addWorkOptions(command, environment)
      .option('--title <text>', 'title of the run')
      .option('--personal', 'nobody else of the team sees it')
      .option('--attach <file...>', `images for the agent, at most ${ATTACHMENTS_MAX}`)
      .option('-w, --wait', 'follow the run to its end; the exit code says how it ended'),
  );
}

/** What `run` prints of the run that it started, and of one that it follows. */
export const STARTED_FIELDS: readonly string[] = [
  'run_id',
  'task_id',
  'state',
  'at_capacity',
  ...Object.keys(runRead.shape),
  ...Object.keys(runEntry.shape),
];

export function addRunCommand(program: Command): void {
  const command = remoteCommand(
    program,
    'run [prompt...]',
    '',
    async (remote: Remote<RunOptions>, words: string[]) =>
      startRun(remote, await toRequest(remote, words)),
    STARTED_FIELDS,
  );
  addRunOptions(command).addHelpText(
    'after',
    `
Examples:
  $ runlink run "add a changelog entry for 1.4" --wait
  $ runlink run "make it look like this" --attach design.png --environment web
  $ git diff | runlink run - --title "review my change" --harness codex --no-environment`,
  );
}
