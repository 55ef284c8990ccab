import { Writable } from 'node:stream';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { LogEvent } from '../../src/contract/entry.ts';
import { toItem } from '../../src/contract/log-item.ts';
import { setClock } from '../../src/cli/output/clock.ts';
import { drawOver } from '../../src/cli/output/draw-over.ts';
import { harmlessJson } from '../../src/cli/output/json.ts';
import { terminalMarkdown } from '../../src/cli/output/markdown.ts';
import type { Screen } from '../../src/cli/output/screen.ts';
import { renderFields, renderList, shortId, when } from '../../src/cli/output/table.ts';
import { clean, fit, widthOf, wrap } from '../../src/cli/output/text.ts';
import { apiBaseUrl } from '../../src/cli/remote/base-url.ts';
import { persistent } from '../../src/cli/remote/reach.ts';
import { itemText } from '../../src/cli/watch/item-text.ts';
import { HOSTILE } from '../support/hostile.ts';
import { skipWaits } from '../support/skip-waits.ts';

const SIGNS = {
  ok: '✓',
  bad: '✗',
  ask: '?',
  stop: '⊘',
  wait: '○',
  work: '●',
  note: '·',
  bar: '│',
  cut: '…',
  cursor: '▏',
  spinner: ['-'],
  bars: ['_', '#'],
};
/** A terminal that takes colours and links. */
function screen(width: number, isTerminal = true): Screen {
  const stream = Object.assign(new Writable(), {
    isTTY: isTerminal,
    columns: width,
    getColorDepth: () => 8,
    hasColors: () => true,
  });
  return {
    stream: stream as unknown as NodeJS.WriteStream,
    isTerminal,
    canRedraw: isTerminal,
    width,
    signs: SIGNS,
    hasLinks: isTerminal,
  };
}

/**
 * What may come to a terminal: our own colours and links to the web, and no other control sequence.
 */
const OURS = /\u001B\[\d{1,3}(;\d{1,3})*m|\u001B\]8;;(https?:\/\/[\x21-\x7e]*)?(\u001B\\|\u0007)/g;
const STEERING = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/;

const ATTACKS = [
  ...HOSTILE,
  '\u001B[2J\u001B]0;title\u0007\u009B31m\u001BP$q"p\u001B\\',
  '&#27;[31m &#x1b;]0;evil&#7; &#155;31m',
  '[x](http://a.test/\u001B]0;a) <http://b.test/&#27;> [y]: http://c.test/\u009B',
  'a\rb\u0008\u0008\u0008cd \u202Eexe.txt',
];

function say(text: string): string[] {
  const at = '2026-11-21T08:00:00.000Z';
  const events: LogEvent[] = [
    { type: 'message', seq: 1, at, message_id: 'm', role: 'assistant', delta: text },
    { type: 'message', seq: 2, at, message_id: 'u', role: 'user', delta: text },
    { type: 'thought', seq: 3, at, message_id: 't', delta: text },
    {
      type: 'tool_call',
      seq: 4,
      at,
      call_id: 'c',
      kind: 'execute',
      title: text,
      input: { command: text },
      output_delta: text,
      status: 'failed',
      exit_code: 1,
    },
    { type: 'plan', seq: 5, at, entries: [{ content: text, status: 'in_progress' }] },
    { type: 'permission', seq: 6, at, title: text, decision: 'denied' },
    { type: 'notice', seq: 7, at, level: 'error', text },
    {
      type: 'setup',
      seq: 8,
      at,
      step: 'clone',
      title: text,
      started_at: at,
      is_error: true,
      output: text,
    },
    { type: 'agent_started', seq: 9, at, harness: text, version: text, sandbox: text },
    { type: 'followup', at, followup_id: 'f', message: text, creator: { display_name: text } },
  ];
  return events.flatMap((event, at_) => {
    const item = toItem({ position: at_ + 1, last_position: at_ + 1, attempt: 1, events: [event] });
    return item
      ? [itemText(screen(60), item, true), itemText(screen(Infinity, false), item, true)]
      : [];
  });
}

describe('text by agents and strangers', () => {
  const isHarmless = (text: string): boolean => !STEERING.test(text.replaceAll(OURS, ''));

  it('never steers a terminal, wherever it stands', () => {
    for (const attack of ATTACKS) {
      const cell = [{ title: 'A', cell: () => ({ text: attack, url: attack }) }];
      const shown = [
        ...say(attack),
        terminalMarkdown(screen(60), attack),
        renderList(screen(120), cell, [1]),
        renderList(screen(40), cell, [1]),
        renderFields(screen(60), [['a', { text: attack, url: attack }]]),
        clean(attack),
      ];
      for (const text of shown)
        expect({ attack, text, is: isHarmless(text) }).toMatchObject({ is: true });
      expect(JSON.parse(harmlessJson(JSON.stringify({ attack })))).toEqual({ attack });
      expect(harmlessJson(JSON.stringify({ attack }))).not.toMatch(STEERING);
    }
  });

  it('not by chance either', () => {
    const nasty = fc.string({
      unit: fc.constantFrom(
        '\u001B',
        '\u009B',
        ']',
        '[',
        '8',
        ';',
        'm',
        '\u0007',
        '*',
        '`',
        '&#27;',
        '\n',
        '(',
        ')',
        'http://a/',
        '|',
        '-',
        '> ',
        '漢',
      ),
    });
    fc.assert(
      fc.property(nasty, (text) => {
        expect(isHarmless(terminalMarkdown(screen(30), text))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('is parsed as Markdown only where that takes no time', () => {
    for (const text of ['_a*'.repeat(10_000), '1. '.repeat(10_000), '> '.repeat(5000)])
      expect(terminalMarkdown(screen(60), text)).toContain(text.slice(0, 20).trim());
  });
});

describe('Markdown on a terminal', () => {
  it('keeps its structure within the width, in columns', () => {
    const source = `# Result

Fixed the *flaky* **test** in \`src/login.ts\`; see [the PR](https://github.com/acme/app/pull/7).

1. one that is so long that it has to go on in a second line
2. 漢字かな漢字かな漢字かな漢字かな漢字かな漢字かな
   - [x] nested

> quoted

\`\`\`
code
\`\`\`

| a | b |
|---|---|
| 漢字 | 1 |`;
    const text = terminalMarkdown(screen(40), source);
    const bare = text.replaceAll(OURS, '');
    for (const line of bare.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(40);
    expect(bare).toContain('1. one that is so long that it has to go\n   on in a second line');
    expect(bare).toContain('   · [x] nested');
    expect(bare).toContain('│ quoted');
    expect(bare).toContain('    code');
    expect(bare).toContain('a    | b\n漢字 | 1');
    expect(bare).toContain('(https://github.com/acme/app/pull/7)');
    expect(text).toContain('\u001B]8;;https://github.com/acme/app/pull/7\u001B\\');
    expect(terminalMarkdown(screen(Infinity, false), source)).toBe(source);
  });
});

describe('lists', () => {
  const columns = [
    { title: 'RUN', isHead: true, cell: () => shortId('04db75ae-c3a1-4875-add0-911a3a9b2efe') },
    { title: 'TITLE', isHead: true, canShrink: true, cell: (title: string) => title },
    { title: 'UPDATED', cell: () => when(new Date(Date.now() - 3 * 60_000).toISOString()) },
  ];
  const titles = ['漢字'.repeat(60), 'fix\nit'];

  it('are tables on wide terminals, cut in columns; cards on narrow ones; exact in pipes', () => {
    const wide = renderList(screen(100), columns, titles).replaceAll(OURS, '').split('\n');
    expect(wide[0]).toMatch(/^RUN {7}TITLE +UPDATED$/);
    expect(widthOf(wide[1] ?? '')).toBe(100);
    expect(wide[2]).toMatch(/^04db75ae {2}fix it +3 minutes ago$/);

    const narrow = renderList(screen(40), columns, titles).replaceAll(OURS, '').split('\n');
    for (const line of narrow) expect(widthOf(line)).toBeLessThanOrEqual(40);
    expect(narrow.slice(2)).toEqual(['04db75ae  fix it', '    3 minutes ago']);

    const piped = renderList(screen(Infinity, false), columns, titles);
    expect(piped).toContain('04db75ae-c3a1-4875-add0-911a3a9b2efe');
    expect(piped).toContain('漢字'.repeat(60));
    expect(piped).not.toContain('ago');
    expect(piped).not.toMatch(STEERING);
  });

  it('cut and wrap by columns, never inside of a letter', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.integer({ min: 2, max: 30 }),
        (text, width) => {
          const line = clean(text).replaceAll('\n', ' ');
          expect(widthOf(fit(line, width, '…'))).toBeLessThanOrEqual(width);
          expect(fit(line, width, '…').isWellFormed()).toBe(true);
          for (const each of wrap(line, width + 8).split('\n'))
            expect(widthOf(each)).toBeLessThanOrEqual(width + 8);
        },
      ),
      { numRuns: 200 },
    );
  });
});

it('a follow-up from GitHub says who wrote it and what, without what was sent along', () => {
  const said = say('also this\n\nFrom ada, http://x/2#c1\nRepository: o/shop http://x').at(-1);
  expect(said).toMatch(/ada, by [^]*also this$/);
  expect(said).not.toContain('untrusted');
});

it('times are told by the clock of the service, however wrong ours is', () => {
  const at = new Date(Date.now() + 3_600_000);
  setClock(at.toUTCString());
  expect(when(at.toISOString()).text).toBe('just now');
  setClock(undefined);
  expect(when(at.toISOString()).text).toBe('just now');
  setClock(new Date(Date.now() + 5000).toUTCString());
  expect(when(at.toISOString()).text).toMatch(/^in (1 hour|60 minutes)$/);
});

it('what is drawn over leaves nothing behind where a narrower terminal broke its lines', () => {
  const written: string[] = [];
  const write = (text: string): boolean => written.push(text) > 0;
  const stream = Object.assign(new Writable(), { isTTY: true, columns: 80, rows: 24, write });
  const lower = drawOver(stream as unknown as NodeJS.WriteStream);
  const rowsErased = (): number => written.splice(0).join('').split('\u001B[1A').length - 1;
  for (const [columns, drawn, erased] of [
    [80, `${'漢'.repeat(35)}\n>`, 0],
    [40, 'one', 3],
    [80, 'x'.repeat(79), 1],
    [30, 'y', 3],
  ] as const) {
    stream.columns = columns;
    lower.draw(drawn);
    expect([columns, rowsErased()]).toEqual([columns, erased]);
  }
});

it('links stand on cards, too', () => {
  const url = 'https://github.com/acme/app/pull/7';
  const columns = [
    { title: 'RUN', isHead: true, cell: () => 'one' },
    { title: 'PULL REQUEST', cell: () => ({ text: 'acme/app#7', url }) },
  ];
  expect(renderList(screen(40), columns, [1])).toContain(`\u001B]8;;${url}\u001B\\acme/app#7`);
});

it('remarks are shown in full, and no changes as none', () => {
  const at = '2026-11-21T08:00:00.000Z';
  const shown = (event: LogEvent): string => {
    const item = toItem({ position: 1, last_position: 1, attempt: 1, events: [event] });
    return item ? itemText(screen(40), item) : '';
  };
  const text = `${'word '.repeat(20)}end`;
  const remark = shown({ type: 'notice', seq: 1, at, level: 'warn', text });
  expect(remark.replaceAll(/\s+/g, ' ')).toContain(text);
  expect(remark.split('\n').every((line) => widthOf(line) <= 40)).toBe(true);
  expect(shown({ type: 'changes', seq: 2, at, base_sha: 'b', files: [] })).toContain('No files');
});

describe('the address of a service', () => {
  it.each([
    ['http://127.0.0.1:8787', 'http://127.0.0.1:8787/api/v1'],
    ['127.0.0.1:8787/', 'http://127.0.0.1:8787/api/v1'],
    ['localhost:8787', 'http://localhost:8787/api/v1'],
    ['runs.example.org', 'https://runs.example.org/api/v1'],
    ['https://runs.example.org/api', 'https://runs.example.org/api/v1'],
    ['https://runs.example.org/api/v1/', 'https://runs.example.org/api/v1'],
    ['https://example.org/runlink/', 'https://example.org/runlink/api/v1'],
    ['https://app.warp.dev/api/v2?x#y', 'https://app.warp.dev/api/v2'],
  ])('%s is %s', (given, found) => expect(apiBaseUrl(given)).toBe(found));

  it.each(['', 'ftp://x', 'https://user:pass@x', 'http://'])('"%s" is none', (given) =>
    expect(() => apiBaseUrl(given)).toThrow('is not the address of a service'),
  );
});

it('gives up fifteen seconds after a service was lost, however long it may hold the request', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  skipWaits();
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const request = persistent(
    async () => {
      vi.advanceTimersByTime(1000);
      throw refused;
    },
    () => undefined,
  );
  const { signal } = new AbortController();
  const from = performance.now();
  await expect(request('http://127.0.0.1:9/', { signal })).rejects.toBe(refused);
  expect(performance.now() - from).toBeLessThanOrEqual(17_000);
});
