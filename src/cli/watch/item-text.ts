import { formatDuration } from '../../base/time.ts';
import type { LogEvent } from '../../contract/entry.ts';
import { compareTexts } from '../../pages/diff.ts';
import { formatSpan, plural } from '../../pages/format.ts';
import type { Item, Tool } from '../../contract/log-item.ts';
import { splitAsked, splitMiddle } from '../../pages/text.ts';
import { serviceNow } from '../output/clock.ts';
import { terminalMarkdown } from '../output/markdown.ts';
import { paint, type Screen, type Style } from '../output/screen.ts';
import { clean, fit, oneLine, wrap } from '../output/text.ts';

/** How much is shown of a message, and of a failed tool's output; the transcript has all of it. */
const TAIL_LINES = 10;
const MESSAGE_MAX = 20_000;
const SHOWN_FROM_MS = 100;

type Single = Extract<Item, { type: 'single' }>['event'];
type Event<T extends LogEvent['type']> = Extract<LogEvent, { type: T }>;
type ToolItem = Extract<Item, { type: 'tool' }>;
type Mark = 'ok' | 'bad' | 'note' | 'ask';
const MARK_STYLES: Record<Mark, Style> = { ok: 'green', bad: 'red', note: 'dim', ask: 'yellow' };

/** One item of a run's log as lines; empty if it is shown elsewhere. */
export function itemText(screen: Screen, item: Item, withPlan = false): string {
  switch (item.type) {
    case 'message':
      return messageText(screen, item.role === 'user' ? 'You' : undefined, item.text);
    case 'thought':
      return line(screen, 'note', item.text, '', 'dim');
    case 'tool':
      return toolText(screen, item);
    case 'plan':
      return withPlan ? planText(screen, item.entries, Infinity).join('\n') : '';
    case 'single':
      return singleText(screen, item.event);
    default:
      return item satisfies never;
  }
}

/**
 * The progress of a plan and its steps with symbols; at most `max` steps around the current one.
 */
export function planText(
  screen: Screen,
  steps: Extract<Item, { type: 'plan' }>['entries'],
  max: number,
): string[] {
  const done = steps.filter(({ status }) => status === 'completed').length;
  const now = Math.max(
    0,
    steps.findIndex(({ status }) => status !== 'completed'),
  );
  const from = Math.max(0, Math.min(now - 1, steps.length - max));
  const shown = steps.slice(from, from + max).map(({ content, status }) => {
    const isNow = status === 'in_progress';
    const sign =
      status === 'completed' ? screen.signs.ok : isNow ? screen.signs.work : screen.signs.wait;
    const text = fit(`  ${sign} ${oneLine(content)}`, screen.width, screen.signs.cut);
    return paint(screen, status === 'completed' ? 'dim' : isNow ? 'bold' : 'reset', text);
  });
  return [paint(screen, 'dim', `Plan ${done}/${steps.length}`), ...shown];
}

/** A tool in one line: a symbol, what it does, and how it went. */
export function toolLine(screen: Screen, { tool, at, endedAt }: ToolItem, sign?: string): string {
  const isOver = tool.status === 'completed' || tool.status === 'failed';
  const since = (isOver ? Date.parse(endedAt) : serviceNow().getTime()) - Date.parse(at);
  const meta = [
    tool.nested ? 'sub-agent' : '',
    tool.status === 'denied' ? 'not allowed' : '',
    hasFailed(tool) && tool.exitCode !== undefined ? `exit ${tool.exitCode}` : '',
    editCounts(tool),
    since >= SHOWN_FROM_MS ? formatDuration(since) : '',
  ].filter(Boolean);
  const mark = hasFailed(tool) ? 'bad' : tool.status === 'denied' ? 'ask' : isOver ? 'ok' : 'note';
  return line(screen, mark, headline(tool), meta.join(` ${screen.signs.note} `), undefined, sign);
}

function hasFailed({ status, exitCode }: Tool): boolean {
  return status === 'failed' || (exitCode !== undefined && exitCode !== 0);
}

function headline({ kind, command, title, paths, diffs }: Tool): string {
  if (kind === 'execute') return `$ ${command ?? title}`;
  const path = paths[0] ?? diffs[0]?.path;
  const isNamed = path === undefined || title.includes(path.slice(path.lastIndexOf('/') + 1));
  return isNamed ? title : `${title} ${path}`;
}

function editCounts({ diffs }: Tool): string {
  if (diffs.length === 0) return '';
  const lines = diffs.flatMap((diff) => compareTexts(diff.old_text ?? '', diff.new_text) ?? []);
  const count = (kind: 'add' | 'del'): number => lines.filter((each) => each.kind === kind).length;
  return `+${count('add')} -${count('del')}`;
}

function toolText(screen: Screen, item: ToolItem): string {
  const head = toolLine(screen, item);
  if (!hasFailed(item.tool)) return head;
  return [head, ...tailOf(screen, item.tool.output, TAIL_LINES)].join('\n');
}

/** The last lines of an output, indented. */
export function tailOf(screen: Screen, output: string, count: number): string[] {
  const lines = clean(output)
    .split('\n')
    .filter((each) => each.trim() !== '');
  const cut = (each: string): string => fit(`    ${each}`, screen.width, screen.signs.cut);
  return lines.slice(-count).map((each) => paint(screen, 'dim', cut(each)));
}

function messageText(screen: Screen, who: string | undefined, text: string): string {
  const { head, omitted } = splitMiddle(text, MESSAGE_MAX, 0);
  const rest = omitted > 0 ? `\n\n(${omitted} more characters are in the transcript)` : '';
  if (who === undefined) return `\n${terminalMarkdown(screen, head + rest)}\n`;
  const bar = paint(screen, 'cyan', screen.signs.bar);
  const body = wrap(clean(head + rest).trim(), screen.width - 2);
  const lines = [paint(screen, 'bold', oneLine(who)), ...body.split('\n')];
  return `\n${lines.map((each) => `${bar} ${each}`).join('\n')}`;
}

/** One line of the log: a symbol, the text made safe, and a note beside it. */
function line(
  screen: Screen,
  mark: Mark,
  text: string,
  meta = '',
  style?: Style,
  sign?: string,
): string {
  const head = paint(screen, MARK_STYLES[mark], sign ?? screen.signs[mark]);
  const room = screen.width - 2 - (meta ? meta.length + 2 : 0);
  const shown = fit(oneLine(text), Math.max(room, 8), screen.signs.cut);
  const tail = meta ? `  ${paint(screen, mark === 'bad' ? 'red' : 'dim', meta)}` : '';
  return `${head} ${style ? paint(screen, style, shown) : shown}${tail}`;
}

const NOTICES = { info: 'note', warn: 'ask', error: 'bad' } as const;

function singleText(screen: Screen, event: Single): string {
  switch (event.type) {
    case 'followup':
      return followupText(screen, event);
    case 'setup':
      return setupText(screen, event);
    case 'agent_started':
      return startText(screen, event);
    case 'permission':
      return permissionText(screen, event);
    case 'notice':
      return noticeText(screen, NOTICES[event.level], event.text);
    case 'changes':
      return changesText(screen, event);
    case 'lifecycle':
    case 'usage':
    case 'turn_end':
    case 'protocol':
      return '';
    default:
      return event satisfies never;
  }
}

/** A remark for people to read: in full, however many lines it takes. */
export function noticeText(screen: Screen, mark: Mark, text: string): string {
  const body = wrap(clean(text).trim(), screen.width - 2).replaceAll('\n', '\n  ');
  return `${paint(screen, MARK_STYLES[mark], screen.signs[mark])} ${body}`;
}

function startText(screen: Screen, { harness, version = '', sandbox }: Event<'agent_started'>) {
  const where = sandbox ? ` in ${sandbox}` : '';
  return line(screen, 'note', `${harness} ${version} started${where}`);
}

function permissionText(screen: Screen, { title, decision }: Event<'permission'>): string {
  return line(screen, decision === 'allowed' ? 'note' : 'ask', title, `permission ${decision}`);
}

function followupText(screen: Screen, { creator, message }: Event<'followup'>): string {
  const { asked, login } = splitAsked(message);
  const sender = creator?.display_name ?? 'Follow-up';
  return messageText(screen, login === undefined ? sender : `${login}, by ${sender}`, asked);
}

function changesText(screen: Screen, { files }: Event<'changes'>): string {
  const added = files.reduce((sum, file) => sum + file.additions, 0);
  const removed = files.reduce((sum, file) => sum + file.deletions, 0);
  if (files.length === 0) return line(screen, 'note', 'No files changed');
  return line(screen, 'note', `${plural(files.length, 'file')} changed`, `+${added} -${removed}`);
}

function setupText(screen: Screen, event: Event<'setup'>): string {
  const { title, started_at: from, finished_at: to, is_error: isError, output = '' } = event;
  const mark = isError ? 'bad' : to ? 'ok' : 'note';
  const head = line(screen, mark, title, to ? formatSpan(from, to) : '');
  return isError ? [head, ...tailOf(screen, output, TAIL_LINES)].join('\n') : head;
}
