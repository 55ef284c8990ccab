import type { RunRead } from '../../contract/run.ts';
import { runCost, runDuration, stateCell } from '../output/run-text.ts';
import { drawOver, type DrawnOver } from '../output/draw-over.ts';
import { spelled } from '../output/letters.ts';
import { paint, type Screen } from '../output/screen.ts';
import { clean, oneLine, wrap } from '../output/text.ts';
import { planText, tailOf, toolLine, itemText } from './item-text.ts';
import type { Logged, RunLog } from '../../client/run-log.ts';

const FRAME_MS = 125;
const REMARK_MS = 4000;
const PLAN_LINES = 6;
const TOOL_LINES = 3;
const MESSAGE_LINES = 6;
/** How many items under way are shown; of more, the last ones. */
const OPEN_SHOWN = 4;

export interface Footer {
  run: RunRead;
  log: RunLog;
  /** The line being typed, with a cursor; undefined if typing is not possible. */
  typed: () => string | undefined;
  /** Shown instead of the key hints. */
  question: () => string | undefined;
}

/**
 * Scrolls finished lines up and redraws below them what is under way, the plan, state and cost, and
 * the line being typed.
 */
export class LiveScreen {
  readonly #lower: DrawnOver;
  #timer: NodeJS.Timeout;
  #screen: Screen;
  #footer: Footer | undefined;
  #remark = '';
  #remarkAt = 0;
  #frame = 0;

  constructor(screen: Screen) {
    this.#screen = screen;
    this.#lower = drawOver(screen.stream);
    this.#timer = setInterval(() => {
      this.#frame += 1;
      this.draw();
    }, FRAME_MS);
  }

  show(footer: Footer): void {
    this.#footer = footer;
    if (performance.now() - this.#remarkAt > REMARK_MS) this.#remark = '';
    this.draw();
  }

  /** Shows a remark until it has been there long enough to read and there is news. */
  remark(text: string): void {
    this.#remark = spelled(this.#screen.stream, text);
    this.#remarkAt = performance.now();
    this.draw();
  }

  /** Prints lines that stay. */
  print(text: string): void {
    this.#lower.keep(text);
    this.draw();
  }

  draw(): void {
    if (this.#footer) this.#lower.draw(this.#lines(this.#footer).join('\n'));
  }

  close(): void {
    clearInterval(this.#timer);
    this.#footer = undefined;
    this.#lower.close();
  }

  #lines({ run, log, typed, question }: Footer): string[] {
    const screen = { ...this.#screen, width: this.#screen.width - 1 };
    const open = log
      .open()
      .slice(-OPEN_SHOWN)
      .flatMap((logged) => this.#openLines(screen, logged));
    const plan = log.plan ? planText(screen, log.plan.entries, PLAN_LINES) : [];
    const state = stateCell(run.state, screen);
    const { cost, tokens } = runCost(run);
    const why = oneLine(run.waiting?.message ?? '');
    const facts = [state.text, why, runDuration(run), tokens, cost].filter(Boolean).join('  ');
    const help =
      question() ??
      (this.#remark || (typed() === undefined ? 'Ctrl-C: leave' : 'Enter: send  Ctrl-C: leave'));
    const status = [
      paint(screen, state.style ?? 'cyan', facts),
      paint(screen, question() ? 'bold' : 'dim', help),
    ];
    const line = typed();
    return [
      ...open,
      ...plan,
      wrap(status.join('  '), screen.width),
      ...(line === undefined
        ? []
        : [wrap(`${paint(screen, 'cyan', '>')} ${clean(line)}`, screen.width)]),
    ];
  }

  #openLines(screen: Screen, { item }: Logged): string[] {
    if (item.type === 'tool') {
      const { spinner } = screen.signs;
      const sign = spinner[this.#frame % spinner.length];
      return [toolLine(screen, item, sign), ...tailOf(screen, item.tool.output, TOOL_LINES)];
    }
    if (item.type === 'message') {
      const text = wrap(clean(item.text).trim(), screen.width);
      return text.split('\n').slice(-MESSAGE_LINES);
    }
    const text = itemText(screen, item);
    return text === '' ? [] : text.split('\n');
  }
}
