import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { serve, type ServerType } from '@hono/node-server';
import type { Hono } from 'hono';
import { chromium, type Browser, type Page } from 'playwright-core';
import { expect } from 'vitest';

/** In this order, as in `test/needs.sh`: the shell alone does half of the work. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

function findChromium(): string | undefined {
  const named = process.env['CHROMIUM_PATH'];
  if (named) return named;
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);
}

/** The machine's Chromium, or the one that CHROMIUM_PATH names. */
export async function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: findChromium() ?? 'chromium',
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  });
}

let shared: Browser | undefined;

/** One for all test files of this process, which close the contexts that they opened. */
export async function shareBrowser(): Promise<Browser> {
  if (!shared?.isConnected()) shared = await openBrowser();
  return shared;
}

export async function closeContexts(browser: Browser): Promise<void> {
  await Promise.all(browser.contexts().map((context) => context.close()));
}

/** Signs in as the form does, without the cost of loading it; to be followed by `page.goto`. */
export async function signInQuietly(page: Page, origin: string, key: string): Promise<void> {
  await page.context().clearCookies();
  const answer = await page.request.post(`${origin}/login`, {
    form: { key, next: '/runs' },
    headers: { origin },
  });
  expect(answer.url()).toBe(`${origin}/runs`);
}

export interface Served {
  origin: string;
  close(): Promise<void>;
}

/** Serves an app on a free port of the loopback interface; it is made when the port is known. */
export async function serveApp(make: (origin: string) => Pick<Hono, 'fetch'>): Promise<Served> {
  let app: Pick<Hono, 'fetch'> | undefined;
  const server = await new Promise<ServerType>((resolve) => {
    const opened = serve(
      {
        fetch: (request) => app?.fetch(request) ?? new Response(null, { status: 503 }),
        port: 0,
        hostname: '127.0.0.1',
      },
      () => resolve(opened),
    );
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const origin = `http://127.0.0.1:${port}`;
  app = make(origin);
  return {
    origin,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}
