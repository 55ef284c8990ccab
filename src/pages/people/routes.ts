import { Hono, type Context } from 'hono';
import { stream } from 'hono/streaming';
import { endpoints } from '../../contract/endpoints.ts';
import { AUDIT_ACTIONS } from '../../contract/people.ts';
import { ProblemError } from '../../contract/problem.ts';
import { ROLES } from '../../contract/role.ts';
import type { Api } from '../api.ts';
import { showPage, type PagesEnv } from '../layout.ts';
import { partOf, placeOf, type ListPart } from '../lists/part.ts';
import { auditView, queryOf, type AuditFilter } from './audit-view.ts';
import { membersView } from './members-view.ts';

const EXPORT_PAGE = 500;

const auditQuery = ({ from, to, ...rest }: AuditFilter) => ({
  ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== '')),
  after: dayOf(from).at,
  before: dayOf(to, 1).at,
});

/** /settings/members and /settings/audit. */
export function peopleRoutes(): Hono<PagesEnv> {
  const showMembers = async (c: Context<PagesEnv>, problem?: ProblemError): Promise<Response> => {
    const viewer = c.get('viewer');
    const api = c.get('api');
    const query = { of: 'team' };
    const part = <T>(name: string, all: readonly T[]): ListPart<T> =>
      partOf(placeOf(c, '/settings/members'), name, all);
    const { members } = await api.json(endpoints.members.list);
    const everybodys =
      viewer.session.role === 'owner'
        ? {
            keys: part('keys', (await api.json(endpoints.keys.list, { query })).keys),
            signIns: part('sign-ins', (await api.json(endpoints.signIns.list, { query })).sign_ins),
            agents: (await api.json(endpoints.identities.list)).agents,
          }
        : undefined;
    const body = membersView({
      viewer,
      members: part('members', members),
      now: new Date(),
      ...(everybodys && { everybodys }),
      ...(problem && { problem }),
    });
    return showPage(c, { title: 'Members', section: 'settings', body }, problem ? 400 : 200);
  };
  /** Changes a member and shows the page again; if the service refuses, with the reason. */
  const change = async (c: Context<PagesEnv>, work: Promise<unknown>): Promise<Response> => {
    try {
      await work;
    } catch (error) {
      const isSaid = error instanceof ProblemError && error.code !== 'resource_not_found';
      if (!isSaid) throw error;
      return showMembers(c, error);
    }
    return c.redirect('/settings/members', 303);
  };
  return new Hono<PagesEnv>()
    .get('/members', (c) => showMembers(c))
    .post('/members/:uid/role', async (c) => {
      const { role: given } = await c.req.parseBody();
      const body = { role: ROLES.find((role) => role === given) };
      const params = { memberUid: c.req.param('uid') };
      return change(c, c.get('api').send(endpoints.members.update, { params, body }));
    })
    .post('/members/:uid/remove', (c) => {
      const params = { memberUid: c.req.param('uid') };
      return change(c, c.get('api').send(endpoints.members.remove, { params }));
    })
    .post('/members/sign-ins/:id/end', (c) => {
      const params = { signInId: c.req.param('id') };
      return change(c, c.get('api').send(endpoints.signIns.end, { params }));
    })
    .post('/members/keys/:id/revoke', (c) => {
      const params = { keyId: c.req.param('id') };
      return change(c, c.get('api').send(endpoints.keys.revoke, { params }));
    })
    .get('/audit', async (c) => {
      const [viewer, api, filter] = [c.get('viewer'), c.get('api'), readFilter(c)];
      const log = await api
        .json(endpoints.audit.list, { query: auditQuery(filter) })
        .catch((error: unknown) => {
          if (error instanceof ProblemError && error.code === 'invalid_request') return undefined;
          throw error;
        });
      // The cursor is invalid, such as one made with another secret: show the first page instead.
      if (!log) return c.redirect(`/settings/audit?${queryOf({ ...filter, cursor: '' })}`, 303);
      const { members } = await api.json(endpoints.members.list);
      const { events, next_cursor: nextCursor } = log;
      const body = auditView({ viewer, events, nextCursor, members, filter });
      return showPage(c, { title: 'Audit log', section: 'settings', body });
    })
    .get('/audit.ndjson', async (c) => {
      const events = allEvents(c.get('api'), readFilter(c));
      const first = await events.next();
      c.header('Content-Type', 'application/x-ndjson');
      c.header('Content-Disposition', 'attachment; filename="audit.ndjson"');
      return stream(c, async (out) => {
        if (!first.done) await out.write(first.value);
        for await (const chunk of events) await out.write(chunk);
      });
    });
}

/** A day from the form as a timestamp; empty if it is not a day. */
function dayOf(text: string, plusDays = 0): { at?: string } {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return {};
  const day = new Date(`${text}T00:00:00Z`);
  if (Number.isNaN(day.getTime()) || day.getUTCFullYear() < 1970) return {};
  day.setUTCDate(day.getUTCDate() + plusDays);
  return { at: day.toISOString() };
}

function readFilter(c: Context<PagesEnv>): AuditFilter {
  const of = (name: string): string => (c.req.query(name) ?? '').slice(0, 1024);
  const id = (name: string): string => (/^[\w-]{1,64}$/.test(of(name)) ? of(name) : '');
  return {
    actor: id('actor'),
    action: AUDIT_ACTIONS.find((action) => action === of('action')) ?? '',
    object: id('object'),
    from: dayOf(of('from')).at ? of('from') : '',
    to: dayOf(of('to')).at ? of('to') : '',
    cursor: of('cursor'),
  };
}

/** Every page of the log, one after another, as lines of JSON. */
async function* allEvents(api: Api, filter: AuditFilter): AsyncGenerator<string> {
  let cursor: string | null = '';
  while (cursor !== null) {
    const query = { ...auditQuery({ ...filter, cursor }), limit: EXPORT_PAGE };
    const page: { events: unknown[]; next_cursor: string | null } = await api.json(
      endpoints.audit.list,
      { query },
    );
    yield page.events.map((event) => `${JSON.stringify(event)}\n`).join('');
    cursor = page.next_cursor;
  }
}
