import { describe, expect, it } from 'vitest';
import { localPath } from '../../src/pages/sign-in.ts';
import { ADA, ADAS_KEY, createFakeBackend } from '../support/fake-pages-backend.ts';
import { createVisitor } from '../support/page-visitor.ts';

describe('signing in', () => {
  it('takes a pasted key and leads to where one wanted to go', async () => {
    const backend = createFakeBackend();
    const run = backend.addRun({});
    const visitor = createVisitor(backend);
    const answer = await visitor.post('/login', {
      key: ` ${ADAS_KEY}\n`,
      next: `/runs/${run.run_id}`,
    });
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe(`/runs/${run.run_id}`);
    expect((await visitor.get(`/runs/${run.run_id}`)).status).toBe(200);
  });

  it('refuses a key that is not a person’s, and says so', async () => {
    const visitor = createVisitor(createFakeBackend());
    const answer = await visitor.signIn('rl_wrong');
    expect(answer.status).toBe(401);
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(await answer.text()).toContain('This key does not work');
  });

  it('takes a one-time link once', async () => {
    const backend = createFakeBackend();
    backend.links.set('once', ADA);
    const visitor = createVisitor(backend);
    expect((await visitor.get('/login?token=once')).headers.get('location')).toBe('/runs');
    expect((await visitor.get('/runs')).status).toBe(200);
    const again = await createVisitor(backend).get('/login?token=once');
    expect(again.status).toBe(401);
    expect(await again.text()).toContain('already used');
  });

  it('ends the session on signing out', async () => {
    const visitor = createVisitor(createFakeBackend());
    await visitor.signIn();
    const cookies = [...visitor.cookies];
    const answer = await visitor.submit('/settings', '/settings/sign-out');
    expect(answer.headers.get('location')).toBe('/login');
    expect(visitor.cookies.size).toBe(0);
    for (const [path, pair] of cookies) visitor.cookies.set(path, pair);
    expect((await visitor.get('/settings')).status).toBe(401);
  });

  it('keeps the cookie from scripts, other sites, the API and the downloads (threats.md S4, S11)', async () => {
    const answer = await createVisitor(createFakeBackend()).signIn();
    const lines = answer.headers.getSetCookie();
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      expect(line).toMatch(/HttpOnly/);
      expect(line).toMatch(/SameSite=Lax/);
      expect(line).not.toMatch(/Secure/);
      const path = /Path=([^;]+)/.exec(line)?.[1] ?? '/';
      expect('/api/v1/agent/runs'.startsWith(path)).toBe(false);
      expect('/blobs/x'.startsWith(path)).toBe(false);
    }
  });

  it('makes the cookie Secure under https', async () => {
    const visitor = createVisitor(createFakeBackend('https://agents.example.com'));
    const answer = await visitor.signIn();
    for (const line of answer.headers.getSetCookie()) {
      expect(line).toMatch(/^__Secure-runlink_session=/);
      expect(line).toMatch(/; Secure/);
    }
    expect(answer.headers.get('strict-transport-security')).toContain('max-age=');
  });

  it.each([
    ['//evil.example', '/runs'],
    ['https://evil.example/runs', '/runs'],
    ['/\\evil.example', '/runs'],
    ['/login?token=x', '/runs'],
    ['/runsome', '/runs'],
    ['javascript:alert(1)', '/runs'],
    [undefined, '/runs'],
    ['/runs/1?before=3', '/runs/1?before=3'],
    ['/settings', '/settings'],
  ])('sends %j on to %j', (given, expected) => {
    expect(localPath(given)).toBe(expected);
  });
});

describe('without a session', () => {
  it('shows no run, not even that there is one', async () => {
    const backend = createFakeBackend();
    const run = backend.addRun({ title: 'Secret plan' });
    const visitor = createVisitor(backend);
    const known = await visitor.get(`/runs/${run.run_id}`);
    const unknown = await visitor.get('/runs/00000000-0000-4000-8000-000000000000');
    expect([known.status, unknown.status]).toEqual([404, 404]);
    const text = await known.text();
    expect(text).not.toContain('Secret plan');
    expect(text).toContain('Sign in');
    expect(text).toContain(`value="/runs/${run.run_id}"`);
  });

  it.each(['/runs', '/settings'])('asks to sign in at %s', async (path) => {
    const answer = await createVisitor(createFakeBackend()).get(path);
    expect(answer.status).toBe(401);
    expect(await answer.text()).toContain(`name="next" value="${path}"`);
  });

  it('leads from / to the list of runs', async () => {
    const answer = await createVisitor(createFakeBackend()).get('/');
    expect(answer.headers.get('location')).toBe('/runs');
  });
});
