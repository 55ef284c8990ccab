import { text } from 'node:stream/consumers';
import { InvalidArgumentError, type Command } from 'commander';
import { RunlinkError } from '../../base/error.ts';
import type { AgentConfig } from '../../contract/agent-config.ts';
import type { CreateRunRequest } from '../../contract/run.ts';
import { interruptSignal } from '../interrupt.ts';
import { addRemoteOptions, remoteClient, type RemoteOptions } from '../remote.ts';
import { printJson } from '../terminal.ts';
import { followRun } from '../follow-run.ts';

interface RunOptions extends RemoteOptions {
  environment?: string;
  agent?: string;
  model?: string;
  skill?: string;
  title?: string;
  workerHost?: string;
  metadata?: Record<string, string>;
  wait?: boolean;
}

/** Collects repeated `key=value` options. */
function collectPair(word: string, pairs: Record<string, string> = {}): Record<string, string> {
  const at = word.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Write it as key=value.');
  return { ...pairs, [word.slice(0, at)]: word.slice(at + 1) };
}

async function readPrompt(words: readonly string[]): Promise<string | undefined> {
  if (words.length === 1 && words[0] === '-') return text(process.stdin);
  return words.length > 0 ? words.join(' ') : undefined;
}

function toConfig(options: RunOptions): AgentConfig | undefined {
  const config = {
    ...(options.environment && { environment_id: options.environment }),
    ...(options.agent && { harness: { type: options.agent } }),
    ...(options.model && { model_id: options.model }),
    ...(options.workerHost && { worker_host: options.workerHost }),
  };
  return Object.keys(config).length > 0 ? config : undefined;
}

function toRequest(prompt: string | undefined, options: RunOptions): CreateRunRequest {
  if (!prompt?.trim() && !options.skill) {
    throw new RunlinkError('missing_prompt', 'There is nothing to do: no prompt and no skill.', {
      hint: 'Give the prompt as words, "-" to read it from standard input, or --skill.',
    });
  }
  const { skill, title, metadata } = options;
  return { prompt, skill, title, metadata, config: toConfig(options) };
}

async function startRun(words: string[], options: RunOptions): Promise<void> {
  const client = remoteClient(options);
  const signal = interruptSignal();
  const created = await client.runs.create(toRequest(await readPrompt(words), options), { signal });
  if (options.wait) {
    process.exitCode = await followRun(client, created.run_id, {
      signal,
      json: options.json ?? false,
    });
    return;
  }
  if (options.json) printJson(created);
  else process.stdout.write(`${created.run_id}\n`);
}

export function addRunCommand(program: Command): void {
  addRemoteOptions(program.command('run [prompt...]'))
    .description('start a run; prints its id, or with --wait follows it to its end')
    .option('-e, --environment <id>', 'environment the agent works in')
    .option(
      '-a, --agent <name>',
      'harness: claude, codex, gemini, opencode, demo, or one of the operator’s',
    )
    .option('-m, --model <id>', 'model')
    .option('-s, --skill <spec>', 'skill, as owner/repo:path or repo:name')
    .option('--title <text>', 'title of the run')
    .option('--worker-host <name>', 'self-hosted worker that is to run it')
    .option('--metadata <key=value>', 'label the run; may be repeated', collectPair)
    .option('-w, --wait', 'follow the run; exit 0 only if it succeeds')
    .addHelpText(
      'after',
      `
Examples:
  $ runlink run "add a changelog entry for 1.4" --wait
  $ git diff | runlink run - --title "review my change" --agent codex`,
    )
    .action(startRun);
}
