import { lookForCommands } from '../../src/github/decide/command-lines.ts';
import { readCommands } from '../../src/github/decide/command.ts';
import { cleanCode, cleanLine, cleanText } from '../../src/github/read/clean.ts';
import { cutMarkdown, fenced } from '../../src/github/render/cut.ts';
import { inertLine } from '../../src/github/render/inert-line.ts';
import { inert } from '../../src/github/render/inert.ts';
import { readRunMarker } from '../../src/github/render/marker.ts';
import { logLines } from '../../src/action/log-line.ts';
import { ansiSpans } from '../../src/pages/ansi.ts';
import { readGitDiff } from '../../src/pages/diff.ts';
import { htmlMarkdown } from '../../src/pages/markdown.ts';
import { splitMiddle, reveal, settleLines } from '../../src/pages/text.ts';
import { createMasker } from '../../src/worker/log/mask.ts';
import { slowTexts } from '../../test/support/slow-texts.ts';

/**
 * Each function that strangers' or agents' text goes through, over the worst texts: how long it
 * held the event loop at once, and how long its answer took. `node bench/text/worst.ts [characters]
 * [function]`
 */
const [size = '65536', only] = process.argv.slice(2);
const ALL = { filesMax: 200, linesMax: 2000 };
const secrets = createMasker(['rl_0123456789abcdef0123456789abcdef', 'ghs_'.padEnd(520, 'x')]);

const FUNCTIONS: Record<string, (text: string) => unknown> = {
  lookForCommands: (text) => lookForCommands(text, '/agent'),
  readCommands: async (text) => readCommands(text, { phrase: '/agent', custom: ['deploy'] }),
  inert: async (text) => inert(text, 65_000),
  inertLine: (text) => inertLine(text),
  fenced: (text) => fenced(text, 65_000),
  cutMarkdown: (text) => cutMarkdown(text, 20_000),
  cleanText: async (text) => cleanText(text, 30_000),
  cleanCode: (text) => cleanCode(text, 12_000),
  cleanLine: (text) => cleanLine(text),
  readRunMarker: (text) => readRunMarker(text),
  logLines: (text) => logLines(text),
  markdown: async (text) => htmlMarkdown(text),
  ansiSpans: (text) => ansiSpans(splitMiddle(text, 4000, 12_000).tail),
  settleLines: (text) => settleLines(text),
  reveal: (text) => reveal(text),
  readGitDiff: (text) => readGitDiff(text, ALL),
  mask: (text) => secrets.mask(text),
};

/**
 * The longest that the loop stood still while `act` ran, and how long `act` took, in milliseconds.
 */
async function timed(act: () => unknown): Promise<{ heldMs: number; tookMs: number }> {
  let [heldMs, last, over] = [0, performance.now(), false];
  const tick = (): void => {
    const now = performance.now();
    heldMs = Math.max(heldMs, now - last);
    last = now;
    if (!over) setImmediate(tick);
  };
  const begun = performance.now();
  setImmediate(tick);
  await act();
  const tookMs = performance.now() - begun;
  over = true;
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  return { heldMs, tookMs };
}

const texts = slowTexts(Number(size));
for (const [name, act] of Object.entries(FUNCTIONS)) {
  if (only !== undefined && only !== name) continue;
  await timed(() => act('warm `up`\n\n- a'));
  const worst = { held: { ms: 0, text: '' }, took: { ms: 0, text: '' } };
  for (const { name: text, text: body } of texts) {
    const { heldMs, tookMs } = await timed(() => act(body));
    if (heldMs > worst.held.ms) worst.held = { ms: heldMs, text };
    if (tookMs > worst.took.ms) worst.took = { ms: tookMs, text };
  }
  const show = ({ ms, text }: { ms: number; text: string }): string =>
    `${ms.toFixed(1)} ms (${JSON.stringify(text)})`;
  process.stdout.write(`${name}: held ${show(worst.held)}, took ${show(worst.took)}\n`);
}
