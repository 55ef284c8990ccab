import type { ConfinedProcess, Exit } from '../sandbox/sandbox.ts';
import { readLines } from './lines.ts';
import type { AgentSession, Prompt, Turn, TurnEnd } from './session.ts';
import { StderrTail } from './stderr-tail.ts';
import type { EntryDraft } from './translate.ts';

export interface ExecOptions {
  /** Starts the command anew: one process per prompt. */
  spawn(): Promise<ConfinedProcess>;
  workspace: Promise<unknown>;
  prefix: string;
  emit(drafts: EntryDraft[], raw: string | undefined): Promise<void>;
  alive(): void;
}

const FINAL_LINES = 20;

/**
 * A program without a protocol: it gets the prompt on stdin, its lines are messages, and its exit
 * code says whether it succeeded.
 */
export async function startExecSession(options: ExecOptions): Promise<AgentSession> {
  await options.workspace;
  return new ExecSession(options);
}

class ExecSession implements AgentSession {
  readonly sessionId = undefined;
  readonly version = undefined;
  readonly resumed = false;
  readonly #options: ExecOptions;
  #child: ConfinedProcess | undefined;
  #cancelled = false;
  #turns = 0;

  constructor(options: ExecOptions) {
    this.#options = options;
  }

  async prompt({ text }: Prompt): Promise<Turn> {
    this.#turns += 1;
    const child = await this.#options.spawn();
    this.#child = child;
    // The turn was cancelled while the program was being started.
    if (this.#cancelled) void child.destroy();
    const errors = new StderrTail(child.stderr);
    child.stdin.end(text);
    const last: string[] = [];
    const acts = await this.#readOutput(child, last);
    const exit = await child.exited;
    this.#child = undefined;
    await child.destroy();
    const end = this.#judge(exit, errors.explain(exit.summary));
    this.#cancelled = false;
    return {
      end,
      acts,
      finalMessage: last.join('\n').trim(),
      question: undefined,
      usage: undefined,
    };
  }

  async cancel(): Promise<void> {
    this.#cancelled = true;
    await this.#child?.destroy();
  }

  async #readOutput(child: ConfinedProcess, last: string[]): Promise<number> {
    const message_id = `${this.#options.prefix}-out-${this.#turns}`;
    let acts = 0;
    for await (const line of readLines(child.stdout)) {
      this.#options.alive();
      const text = `${line.text}\n`;
      const draft: EntryDraft = { type: 'message', message_id, role: 'assistant', delta: text };
      await this.#options.emit([draft], undefined);
      if (line.text.trim() !== '') acts += 1;
      last.push(line.text.slice(0, 4096));
      if (last.length > FINAL_LINES) last.shift();
    }
    return acts;
  }

  #judge({ code, isLost }: Exit, message: string): TurnEnd {
    if (this.#cancelled) return { kind: 'cancelled' };
    if (code === 0) return { kind: 'stopped', reason: 'end_turn' };
    if (isLost) return { kind: 'exited', message, isLost };
    return { kind: 'failed', message, status: undefined };
  }
}
