import { errorMessage } from '../../base/error.ts';
import { CommandInterrupted } from '../interrupt.ts';
import { outcomeText } from '../output/outcome-text.ts';
import type { Remote } from '../remote/remote.ts';
import { noticeText } from './item-text.ts';
import type { LiveScreen } from './live-screen.ts';
import { readTyping, type Typing } from './typing.ts';
import type { WatchFlags } from './watch-options.ts';

/**
 * A person at a terminal who watches a run: what they type goes to the agent, and Ctrl-C asks how
 * to leave.
 */
export class TerminalViewer {
  readonly #remote: Remote<WatchFlags>;
  readonly #runId: string;
  readonly #screen: LiveScreen;
  readonly #leaving = new AbortController();
  readonly #typing: Typing | undefined;
  #isAsked = false;
  #wake = (): void => undefined;
  /** The messages being sent, and whether the last one reopened an ended run. */
  #sending: Promise<void> = Promise.resolve();
  #isAgain = false;
  /** Aborted when the person leaves, by a key or a signal. */
  readonly signal: AbortSignal;

  constructor(remote: Remote<WatchFlags>, runId: string, screen: LiveScreen) {
    this.#remote = remote;
    this.#runId = runId;
    this.#screen = screen;
    this.signal = AbortSignal.any([this.#leaving.signal, remote.signal]);
    if (!process.stdin.isTTY) return;
    this.#typing = readTyping({
      message: (text) => {
        this.#sending = this.#sending.then(() => this.#send(text));
      },
      key: (name) => this.#answer(name),
      interrupt: () => this.#interrupt(),
      change: () => screen.draw(),
    });
  }

  get canType(): boolean {
    return this.#typing !== undefined;
  }

  readonly typed = (): string | undefined => this.#typing?.line(this.#remote.screen.signs.cursor);
  readonly question = (): string | undefined =>
    this.#isAsked ? 'd: leave it working  c: cancel the run  any other key: stay' : undefined;

  /** Resolves when every message was sent. */
  async sent(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#wake = resolve;
      this.signal.addEventListener('abort', () => reject(this.signal.reason), { once: true });
    });
    this.#isAgain = false;
  }

  /** Whether a message that was entered as the run ended reopened it. */
  async goesOn(): Promise<boolean> {
    this.#typing?.flush();
    await this.#sending;
    const isAgain = this.#isAgain;
    this.#isAgain = false;
    return isAgain;
  }

  /** Stops, and returns what was typed but not sent. */
  close(): string {
    return this.#typing?.close() ?? '';
  }

  #interrupt(): void {
    const { onInterrupt = 'ask' } = this.#remote.options;
    if (onInterrupt === 'cancel') return void this.#cancel();
    if (onInterrupt === 'detach' || this.#isAsked) return this.#leave();
    this.#isAsked = true;
    this.#screen.draw();
  }

  /** True if the key answered the question, so that it must not be typed. */
  #answer(name: string): boolean {
    if (!this.#isAsked) return false;
    this.#isAsked = false;
    if (name === 'd') this.#leave();
    if (name === 'c') void this.#cancel();
    return true;
  }

  #leave(): void {
    this.#leaving.abort(new CommandInterrupted('SIGINT'));
  }

  async #cancel(): Promise<void> {
    await this.#tell(async () => {
      await this.#remote.client.runs.cancel(this.#runId);
      return 'The run is being cancelled.';
    });
  }

  async #send(message: string): Promise<void> {
    const isSent = await this.#tell(async () => {
      const { outcome } = await this.#remote.client.runs.followup(this.#runId, { message });
      this.#isAgain = outcome === 'handoff_execution';
      this.#wake();
      return outcomeText(outcome);
    });
    if (isSent) return;
    this.#screen.print(noticeText(this.#remote.screen, 'bad', `Not sent: ${message}`));
  }

  /** Remarks on the outcome; false if the work failed. */
  async #tell(work: () => Promise<string>): Promise<boolean> {
    const said = await work().catch((error: unknown) => ({ failure: errorMessage(error) }));
    this.#screen.remark(typeof said === 'string' ? said : said.failure);
    return typeof said === 'string';
  }
}
