import { randomBytes } from 'node:crypto';
import type { Hono } from 'hono';
import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import { z } from 'zod';
import type { StandInContext } from './context.ts';
import { DEMO_APP } from './seed.ts';

type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

const manifest = z.looseObject({
  name: z.string(),
  redirect_url: z.url({ protocol: /^https?$/ }),
  hook_attributes: z.looseObject({ url: z.url({ protocol: /^https?$/ }) }),
  default_events: z.array(z.string()),
  default_permissions: z.record(z.string(), z.string()),
});

/**
 * GitHub's pages to create an App from a manifest. The stand-in has only one App, so the result is
 * that App, with its key and the manifest's webhook URL.
 */
export function manifestPages(
  app: Hono,
  { state }: StandInContext,
  layout: (title: string, content: Html) => Html,
): void {
  for (const path of ['/settings/apps/new', '/organizations/:organisation/settings/apps/new']) {
    app.post(path, async (c) => {
      const { manifest: text } = await c.req.parseBody();
      const read = manifest.safeParse(readJson(text));
      if (!read.success) {
        const [issue] = read.error.issues;
        const where = issue?.path.join('.') || 'the manifest';
        const refusal = html`<h1>Invalid GitHub App configuration</h1>
          <p>${where}: ${issue?.message ?? ''}</p>`;
        return c.html(layout('Invalid manifest', refusal), 422);
      }
      const { name, redirect_url, hook_attributes: hook, ...asks } = read.data;
      const code = randomBytes(20).toString('hex');
      state.manifestCodes.set(code, hook.url);
      const back = new URL(redirect_url);
      back.searchParams.set('code', code);
      back.searchParams.set('state', c.req.query('state') ?? '');
      const content = html`<h1>Create GitHub App</h1>
        <p><b>${name}</b> will be sent events at <code>${hook.url}</code>.</p>
        <h2>Permissions</h2>
        <ul>
          ${Object.entries(asks.default_permissions).map(
            ([what, how]) => html`<li>${what}: ${how}</li>`,
          )}
        </ul>
        <h2>Events</h2>
        <p>${asks.default_events.join(', ')}</p>
        <p><a class="button" href="${back.href}">Create GitHub App</a></p>`;
      return c.html(layout('Create GitHub App', content));
    });
  }
  app.get('/apps/:slug/installations/new', (c) =>
    c.html(
      layout(
        'Install the App',
        html`<h1>Install ${DEMO_APP.name}</h1>
          <p>
            It is installed on <a href="/acme/widgets">acme/widgets</a>: comment there and it
            answers.
          </p>`,
      ),
    ),
  );
}

function readJson(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}
