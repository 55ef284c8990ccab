import { Hono, type Context } from 'hono';
import { z } from 'zod';
import { endpoints } from '../../contract/endpoints.ts';
import { text } from '../../contract/primitives.ts';
import type { PagesBackend } from '../backend.ts';
import { keepOnce, takeOnce } from '../cookie.ts';
import { onceHeaders } from '../forms.ts';
import type { PagesEnv } from '../layout.ts';
import type { KeyNotice } from './view.ts';

const KEY_NAME_MAX = 100;
const keyName = z.string().trim().min(1).pipe(text(KEY_NAME_MAX));

/** Shows the page with the keys again, with a notice about the form. */
type Show = (c: Context<PagesEnv>, status: 200 | 400, notice?: KeyNotice) => Promise<Response>;

/** The key that the previous form created, to be shown once. */
export function newKey(c: Context<PagesEnv>, backend: PagesBackend): KeyNotice | undefined {
  const [id, key] = takeOnce(c, backend.publicUrl)?.split(' ') ?? [];
  return id && key ? { type: 'created', key, id } : undefined;
}

/**
 * Creates and revokes keys, on a page that lists them. Under `/:uid/keys` they belong to that
 * agent.
 */
export function keyRoutes(backend: PagesBackend, show: Show): Hono<PagesEnv> {
  const pageOf = (c: Context<PagesEnv>): string => c.req.path.split('/keys')[0] ?? '/';
  return new Hono<PagesEnv>()
    .post('/', async (c) => {
      const form = await c.req.parseBody();
      const name = keyName.safeParse(form['name']);
      if (!name.success) {
        const reason = `A key needs a name of 1 to ${KEY_NAME_MAX} characters.`;
        return show(c, 400, { type: 'refused', reason });
      }
      const agent_uid = c.req.param('uid');
      const body = { name: name.data, ...(agent_uid === undefined ? {} : { agent_uid }) };
      const { id, key } = await c.get('api').json(endpoints.keys.create, {
        body,
        headers: onceHeaders(form['once'], body),
      });
      keepOnce(c, backend.publicUrl, pageOf(c), `${id} ${key}`);
      return c.redirect(pageOf(c), 303);
    })
    .post('/:id/revoke', async (c) => {
      await c.get('api').send(endpoints.keys.revoke, { params: { keyId: c.req.param('id') } });
      return c.redirect(pageOf(c), 303);
    });
}
