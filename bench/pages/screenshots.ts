import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Page } from 'playwright-core';
import { playStory } from '../../src/cli/start/story.ts';
import { startWorld, type World } from '../../src/cli/start/world.ts';
import { openBrowser } from '../../test/support/browser.ts';

/** Takes the pictures of README and docs from the demo: `npm run screenshots`. */

const OUT = join(import.meta.dirname, '../../docs/screens');
const SIZE = { width: 1120, height: 720 };
/** All of them together, so that a clone stays small. */
const MAX_BYTES = 300_000;

async function play({ github, maintainer, client }: World): Promise<void> {
  const { repository, app } = github;
  await playStory({
    github: maintainer,
    login: github.maintainer.login,
    botLogin: app.botLogin,
    repository: { owner: repository.owner, repo: repository.name },
    issue: repository.issueNumber,
    client,
    signal: new AbortController().signal,
    narrator: { say: () => undefined, step: (_, work) => work() },
    agentWithinMs: 240_000,
  });
}

async function take(page: Page, name: string): Promise<number> {
  const path = join(OUT, `${name}.png`);
  await page.screenshot({ path });
  return (await stat(path)).size;
}

const dataDir = await mkdtemp(join(tmpdir(), 'runlink-screens-'));
const log = pino({ level: 'silent' });
const world = await startWorld({ dataDir, host: '127.0.0.1', port: 0, agent: 'demo', log });
const browser = await openBrowser();
try {
  await mkdir(OUT, { recursive: true });
  await play(world);
  const page = await browser.newPage({ viewport: SIZE, colorScheme: 'light' });
  await page.goto(await world.signInLink());
  const { runs } = await world.client.runs.list({}, { deadlineMs: 20_000 });
  const run = `${world.serving.url}/runs/${runs[0]?.run_id}`;
  let bytes = 0;
  for (const [name, url] of [
    ['runs', `${world.serving.url}/runs`],
    ['run', run],
    ['changes', `${run}/changes`],
  ] as const) {
    await page.goto(url);
    bytes += await take(page, name);
  }
  process.stdout.write(`docs/screens: ${bytes} bytes\n`);
  if (bytes > MAX_BYTES) throw new Error(`The pictures have ${bytes} bytes, over ${MAX_BYTES}.`);
} finally {
  await browser.close();
  await world.close();
  await rm(dataDir, { recursive: true, force: true });
}
