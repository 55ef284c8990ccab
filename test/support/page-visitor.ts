import { createPages } from '../../src/pages/create-pages.ts';
import { ADAS_KEY, type FakeBackend } from './fake-pages-backend.ts';

/** Goes through the pages as a browser without scripts does: cookies by path, forms with tokens. */
export interface Visitor {
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  post(
    path: string,
    fields: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<Response>;
  /** Opens a page and sends one of its forms, with everything hidden in it. */
  submit(page: string, action: string, fields?: Record<string, string>): Promise<Response>;
  signIn(key?: string): Promise<Response>;
  cookies: Map<string, string>;
}

const HIDDEN = /<input\s+type="hidden"\s+name="(\w+)"\s+value="([^"]*)"/g;

export function hiddenFields(page: string, action: string): Record<string, string> {
  const form = page.split('<form').find((part) => part.includes(`action="${action}"`)) ?? '';
  const inside = form.split('</form>')[0] ?? '';
  return Object.fromEntries([...inside.matchAll(HIDDEN)].map((it) => [it[1] ?? '', it[2] ?? '']));
}

export function createVisitor(backend: FakeBackend): Visitor {
  const app = createPages(backend);
  return visitorOf(backend.publicUrl, async (url, init) => app.request(url, init));
}

/** A visitor of pages that answer at this address in this way, as `fetch` does. */
export function visitorOf(
  publicUrl: string,
  request: (url: string, init: RequestInit) => Promise<Response>,
): Visitor {
  const cookies = new Map<string, string>();
  const { origin } = new URL(publicUrl);
  const keep = (response: Response): Response => {
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const path = /path=([^;]+)/i.exec(line)?.[1] ?? '/';
      const value = pair.slice(pair.indexOf('=') + 1);
      if (value === '') cookies.delete(path);
      else cookies.set(path, pair);
    }
    return response;
  };
  const send = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const target = new URL(path, origin);
    const sent = [...cookies].find(
      ([at]) => target.pathname === at || target.pathname.startsWith(`${at}/`),
    );
    const headers = new Headers(init.headers);
    if (sent) headers.set('cookie', sent[1]);
    headers.set('host', target.host);
    return keep(await request(target.href, { ...init, headers, redirect: 'manual' }));
  };
  const visitor: Visitor = {
    cookies,
    get: (path, headers = {}) => send(path, { headers }),
    post: (path, fields, headers = {}) =>
      send(path, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { origin, ...headers },
      }),
    submit: async (page, action, fields = {}) => {
      const text = await (await visitor.get(page)).text();
      return visitor.post(action, { ...hiddenFields(text, action), ...fields });
    },
    signIn: (key = ADAS_KEY) => visitor.post('/login', { key, next: '/runs' }),
  };
  return visitor;
}
