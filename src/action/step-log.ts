import { endGroup, startGroup } from '@actions/core';
import { formatDuration } from '../base/time.ts';
import type { News } from '../client/feed-run.ts';
import { RunLog } from '../client/run-log.ts';
import type { Item } from '../contract/log-item.ts';
import { costText } from '../contract/time-and-cost.ts';
import type { RunRead } from '../contract/run.ts';
import { progressOf, type Progress } from '../github/render/progress.ts';
import { presentState } from '../github/render/state.ts';
import { logLine } from './log-line.ts';
import { info, quote } from './log.ts';
import type { Settings } from './read-inputs.ts';

/** Of longer text a tool's output keeps the end, a message the beginning. */
const OUTPUT_MAX = 20_000;
const TITLE_MAX = 200;
type Tool = Extract<Item, { type: 'tool' }>;
type Single = Extract<Item, { type: 'single' }>['event'];

/**
 * Prints a run into the step's log: what the agent says and does, as it comes, in groups and with
 * times.
 */
export class StepLog {
  #log = new RunLog();
  #state: string | undefined;
  #plan = '';
  #latest: Item | undefined;
  #started = performance.now();
  /** Entries of an older run from before this time are in the log of another step. */
  #since: number;
  #secrets: readonly string[];

  constructor(
    { apiKey = '', githubToken }: Pick<Settings, 'apiKey' | 'githubToken'>,
    before: RunRead | undefined,
  ) {
    this.#since = Date.parse(before?.finished_at ?? before?.updated_at ?? '');
    this.#secrets = [apiKey, githubToken].filter((secret) => secret !== '');
  }

  add({ run, entries }: News): void {
    this.#log.add(
      entries.filter(({ events }) => !(Date.parse(events.at(-1)?.at ?? '') <= this.#since)),
    );
    for (const { item } of this.#log.settle(run)) {
      if (item.type !== 'thought' && item.type !== 'plan') this.#latest = item;
      this.#print(item);
    }
    this.#latest =
      this.#log.open().findLast(({ item }) => item.type === 'tool')?.item ?? this.#latest;
    this.#printPlan();
    if (run.state === this.#state) return;
    this.#state = run.state;
    const after = formatDuration(performance.now() - this.#started);
    const cost = costText(run);
    info(`${presentState(run.state).words} (${run.state}) after ${after}${cost && `, ${cost}`}`);
  }

  /** How far the run is, for its comment. */
  progress(run: RunRead): Progress {
    return progressOf(this.#log.plan, this.#latest, costText(run));
  }

  #print(item: Item): void {
    const time = clock(item.at);
    if (item.type === 'message' && item.role === 'assistant') {
      this.#quote(`${time} ${cutEnd(item.text.trim())}`);
    }
    if (item.type === 'tool') this.#printTool(time, item);
    if (item.type === 'single') {
      const text = singleText(item.event);
      if (text !== '') this.#quote(`${time} ${text}`);
    }
  }

  #printTool(time: string, { tool, at, endedAt }: Tool): void {
    const { kind, command, title, status, exitCode, output } = tool;
    const what = kind === 'execute' ? `$ ${command ?? title}` : title;
    const how = [
      status === 'completed' ? '' : status,
      exitCode ? `exit ${exitCode}` : '',
      formatDuration(Math.max(0, Date.parse(endedAt) - Date.parse(at))),
    ].filter((part) => part !== '');
    const head = `${time} ${logLine(what).slice(0, TITLE_MAX).toWellFormed()} (${how.join(', ')})`;
    if (output.trim() === '') return this.#quote(head);
    startGroup(logLine(this.#mask(head)));
    this.#quote(cutStart(output.trimEnd()));
    endGroup();
  }

  #printPlan(): void {
    const { plan } = this.#log;
    const lines = (plan?.entries ?? []).map(({ content, status }) => {
      const sign = status === 'completed' ? 'x' : status === 'in_progress' ? '>' : ' ';
      return `  [${sign}] ${logLine(content).slice(0, TITLE_MAX).toWellFormed()}`;
    });
    const text = lines.join('\n');
    if (text === this.#plan || !plan) return;
    this.#plan = text;
    const done = plan.entries.filter(({ status }) => status === 'completed').length;
    const time = clock(new Date().toISOString());
    this.#quote(`${time} Plan, ${done} of ${lines.length} done:\n${text}`);
  }

  #quote(text: string): void {
    quote(this.#mask(text));
  }

  /** The runner masks secrets too, except those that it was told of too late (threats.md G9). */
  #mask(text: string): string {
    return this.#secrets.reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
  }
}

function singleText(event: Single): string {
  if (event.type === 'followup') return `Message sent: ${cutEnd(event.message)}`;
  if (event.type === 'notice') return event.text;
  if (event.type === 'permission') return `${event.title}: ${event.decision}`;
  if (event.type === 'agent_started') return `${event.harness} ${event.version ?? ''} started`;
  if (event.type !== 'setup') return '';
  return event.is_error ? `${event.title}: ${cutStart(event.output ?? '')}` : event.title;
}

function clock(at: string): string {
  return at.slice(11, 19);
}

function cutEnd(text: string): string {
  return text.length <= OUTPUT_MAX ? text : `${text.slice(0, OUTPUT_MAX).toWellFormed()}\n…`;
}

function cutStart(text: string): string {
  return text.length <= OUTPUT_MAX ? text : `…\n${text.slice(-OUTPUT_MAX).toWellFormed()}`;
}
