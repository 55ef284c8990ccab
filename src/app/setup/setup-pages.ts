import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { githubOrigin } from '../../contract/github-origin.ts';
import { errorMessage } from '../../base/error.ts';
import type { Log } from '../../base/log.ts';
import type { Github } from '../../github/read/octokit.ts';
import { answerJson } from '../http/answer.ts';
import {
  CALLBACK_PATH,
  SETUP_PATH,
  creationUrl,
  manifestFor,
  type ManifestFile,
} from './manifest.ts';
import { whyUnreachable } from './reachable.ts';

/** What GitHub hands out, once, after an App was created from a manifest. */
const conversion = z.looseObject({
  id: z.int(),
  pem: z.string(),
  webhook_secret: z.string(),
  html_url: z.string(),
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
});

export interface NewCredentials {
  appId: number;
  privateKey: string;
  webhookSecret: string;
  /** For the sign-in to our pages. */
  clientId?: string | undefined;
  clientSecret?: string | undefined;
}

export interface SetupParts {
  manifest: ManifestFile;
  /** GitHub without authentication. */
  github: Github;
  apiUrl: string;
  /** Where people reach this server; if absent, each request says. */
  publicUrl?: string | undefined;
  /** Where the service's pages are for a server reached at this address; unknown if undefined. */
  pagesAt?: ((publicUrl: string) => string) | undefined;
  save: (credentials: NewCredentials) => Promise<void>;
  log: Log;
}

export interface SetupPages {
  /** Opens the pages, once: whoever has it creates the App (threats.md G18). */
  key: string;
  /** Answers a request; false if there is no page at its path. */
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;
}

/**
 * The pages for creating the App by GitHub's manifest flow. They belong to the first browser that
 * brings the key; GitHub's answer is accepted only from there, and only once.
 */
export function createSetupPages(parts: SetupParts): SetupPages {
  const [key, session, state] = [secret(), secret(), secret()];
  let isOpened = false;
  let isCreated = false;
  const open = (url: URL, response: ServerResponse): void => {
    isOpened = true;
    url.searchParams.delete('key');
    response
      .writeHead(303, {
        location: url.pathname + url.search,
        'set-cookie': `${COOKIE}=${session}; Path=/; HttpOnly; SameSite=Lax`,
        'referrer-policy': 'no-referrer',
      })
      .end();
  };
  const go = async (
    url: URL,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    if (url.pathname !== CALLBACK_PATH) {
      const organisation = url.searchParams.get('organization') ?? undefined;
      const webUrl = githubOrigin(parts.apiUrl);
      const action = creationUrl(webUrl, organisation, state);
      const publicUrl = parts.publicUrl ?? publicUrlOf(request);
      const warning = whyUnreachable(publicUrl, webUrl);
      const manifest = manifestFor(parts.manifest, publicUrl, parts.pagesAt?.(publicUrl));
      show(response, 200, formPage(action, manifest, warning));
    } else if (isSame(url.searchParams.get('state'), state)) {
      isCreated = await take(parts, url.searchParams.get('code') ?? '', response);
    } else {
      show(response, 400, page('<p>This answer belongs to another page. Begin again.</p>'));
    }
  };
  const answer: SetupPages['answer'] = async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://setup');
    if (request.method !== 'GET') return false;
    if (url.pathname === '/health') {
      answerJson(response, 200, { status: 'live' });
      return true;
    }
    if (!PATHS.includes(url.pathname)) return false;
    if (isCreated) {
      show(response, 409, page('<p>The App was created. Start this server again to run it.</p>'));
    } else if (!isOpened && isSame(url.searchParams.get('key'), key)) {
      open(url, response);
    } else if (isSame(cookieOf(request), session)) {
      await go(url, request, response);
    } else {
      show(response, 403, page(CLOSED));
    }
    return true;
  };
  return { key, answer };
}

const PATHS: readonly string[] = ['/', SETUP_PATH, CALLBACK_PATH];
const COOKIE = 'runlink_setup';
const CLOSED =
  '<p>Open the address with <code>?key=</code> that this server printed when it started, in one browser. It works once: start the server again for another.</p>';

function secret(): string {
  return randomBytes(24).toString('base64url');
}

function isSame(given: string | null | undefined, wanted: string): boolean {
  const [one, other] = [Buffer.from(given ?? ''), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function cookieOf({ headers }: IncomingMessage): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1);
}

/** Exchanges the code, which works once and within an hour (github.md, "Limits"). */
async function take(parts: SetupParts, code: string, response: ServerResponse): Promise<boolean> {
  try {
    const answer = await parts.github.request('POST /app-manifests/{code}/conversions', { code });
    const created = conversion.parse(answer.data);
    await parts.save({
      appId: created.id,
      privateKey: created.pem,
      webhookSecret: created.webhook_secret,
      clientId: created.client_id,
      clientSecret: created.client_secret,
    });
    parts.log.info({ app: created.id }, 'the App was created; start again to run it');
    response.writeHead(302, { location: `${created.html_url}/installations/new` }).end();
    return true;
  } catch (error) {
    parts.log.error({ error: errorMessage(error) }, 'GitHub did not hand out the new App');
    show(response, 502, page('<p>GitHub did not hand out the new App. Begin again.</p>'));
    return false;
  }
}

/** The server's address as people reach it; a proxy in front sends it along. */
function publicUrlOf(request: IncomingMessage): string {
  const first = (name: string): string | undefined => {
    const value = request.headers[name];
    return (Array.isArray(value) ? value[0] : value)?.split(',', 1)[0]?.trim();
  };
  const scheme = first('x-forwarded-proto') === 'https' ? 'https' : 'http';
  const hosts = [first('x-forwarded-host'), first('host')].filter((host) => host !== undefined);
  const urls = hosts.map((host) => `${scheme}://${host}`);
  return urls.find((url) => URL.canParse(url)) ?? `${scheme}://localhost`;
}

function formPage(
  action: string,
  manifest: Record<string, unknown>,
  warning: string | undefined,
): string {
  return page(`
    ${warning === undefined ? '' : `<p role="alert"><strong>${escape(warning)}</strong></p>`}
    <p>GitHub will deliver events to <code>${escape(webhookOf(manifest))}</code>.</p>
    <p>GitHub will create the App with exactly the events and permissions it needs, and hand its key to this server.</p>
    <form method="post" action="${escape(action)}">
      <input type="hidden" name="manifest" value="${escape(JSON.stringify(manifest))}">
      <button>Create the App on GitHub</button>
    </form>
    <p>For an organisation, add <code>?organization=NAME</code> to this page’s address.</p>`);
}

function webhookOf({ hook_attributes: hook }: Record<string, unknown>): string {
  return z.object({ url: z.string() }).parse(hook).url;
}

function page(content: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Set up Runlink</title><h1>Set up Runlink</h1>${content}</html>`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

function show(response: ServerResponse, status: number, html: string): void {
  response
    .writeHead(status, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
    .end(html);
}
