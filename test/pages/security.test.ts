import { describe, expect, it } from 'vitest';
import { FORM_MAX_BYTES } from '../../src/pages/security.ts';
import { createFakeBackend } from '../support/fake-pages-backend.ts';
import { logOf } from '../support/run-story.ts';
import { createVisitor, hiddenFields } from '../support/page-visitor.ts';

async function signedIn() {
  const backend = createFakeBackend();
  const run = backend.addRun({ state: 'INPROGRESS' });
  const visitor = createVisitor(backend);
  await visitor.signIn();
  const page = `/runs/${run.run_id}`;
  return { backend, run, visitor, page, cancel: `${page}/cancel` };
}

describe('pages', () => {
  it.each(['/login', '/runs', '/nothing', '/assets/x/y'])(
    'send their safety headers at %s',
    async (path) => {
      const { visitor } = await signedIn();
      const { headers } = await visitor.get(path);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("base-uri 'none'");
      expect(policy).toMatch(/script-src 'nonce-[^']+';/);
      expect(policy).not.toContain('unsafe');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('referrer-policy')).toBe('same-origin');
    },
  );

  it('give every answer another nonce, and their own script the right one', async () => {
    const { visitor } = await signedIn();
    const nonces = await Promise.all(
      [1, 2].map(async () => {
        const answer = await visitor.get('/runs');
        const nonce = /'nonce-([^']+)'/.exec(answer.headers.get('content-security-policy') ?? '');
        expect(await answer.text()).toContain(`nonce="${nonce?.[1]}"`);
        return nonce?.[1];
      }),
    );
    expect(nonces[0]).not.toBe(nonces[1]);
  });

  it('are compressed where that is wanted', async () => {
    const { visitor, page } = await signedIn();
    const packed = await visitor.get(page, { 'accept-encoding': 'gzip' });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    const { body } = packed;
    const text = await new Response(body?.pipeThrough(new DecompressionStream('gzip'))).text();
    expect(text).toContain('</html>');
    expect((await visitor.get(page)).headers.get('content-encoding')).toBeNull();
  });

  it('have no control characters, whatever a title, name or message has', async () => {
    const { backend, visitor } = await signedIn();
    const hostile = 'a\u001b]8;;https://evil\u0007b\u009bc\u0000d\u007f';
    const message = {
      type: 'message',
      message_id: 'm',
      role: 'assistant',
      delta: hostile,
    } as const;
    const { run_id } = backend.addRun(
      { title: hostile, prompt: hostile, creator: { display_name: hostile } },
      logOf(message),
    );
    for (const path of [
      '/runs',
      `/runs/${run_id}`,
      `/runs/${run_id}/details`,
      `/new?from=${run_id}`,
    ])
      expect(await (await visitor.get(path)).text()).not.toMatch(/[^\t\n\r\P{Cc}]/u);
  });

  it('let no name turn its letters around, and keep what stands in a field', async () => {
    const { backend, visitor } = await signedIn();
    const turned = 'invoice\u202Egpj.exe\u202C \u2067x\u2069';
    const data = { artifact_uid: 'a', filename: turned, mime_type: 'text/plain' };
    const { run_id } = backend.addRun({
      title: turned,
      prompt: turned,
      creator: { display_name: turned },
      artifacts: [{ artifact_type: 'FILE', created_at: '2026-11-21T08:00:00.000Z', data }],
    });
    for (const tab of ['', '/details', '/artifacts']) {
      const text = await (await visitor.get(`/runs/${run_id}${tab}`)).text();
      expect(text).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);
      expect(text).toContain('invoice⟨U+202E⟩gpj.exe⟨U+202C⟩');
    }
    const draft = await (await visitor.get(`/new?from=${run_id}`)).text();
    expect(draft).toContain(`${turned}</textarea>`);
  });

  it('are kept by no cache', async () => {
    const { visitor, page } = await signedIn();
    expect((await visitor.get(page)).headers.get('cache-control')).toBe('private, no-store');
  });
});

describe('forms (threats.md S11)', () => {
  it('work from our own page', async () => {
    const { backend, run, visitor, page, cancel } = await signedIn();
    expect((await visitor.submit(page, cancel)).status).toBe(303);
    expect(backend.runs.get(run.run_id)?.run.state).toBe('CANCELLED');
  });

  it.each([
    ['without a token', {}],
    ['with an empty token', { form_token: '' }],
    ['with a made-up token', { form_token: 'x'.repeat(43) }],
  ])('change nothing %s', async (_, fields) => {
    const { backend, run, visitor, cancel } = await signedIn();
    expect((await visitor.post(cancel, fields)).status).toBe(403);
    expect(backend.runs.get(run.run_id)?.run.state).toBe('INPROGRESS');
  });

  it('change nothing with the token of another form', async () => {
    const { backend, run, visitor, page, cancel } = await signedIn();
    const text = await (await visitor.get(page)).text();
    const fields = hiddenFields(text, `${page}/followups`);
    expect(fields['form_token']).toBeTruthy();
    expect((await visitor.post(cancel, fields)).status).toBe(403);
    expect(backend.runs.get(run.run_id)?.run.state).toBe('INPROGRESS');
  });

  it('change nothing with the token of another session', async () => {
    const { backend, run, visitor, page, cancel } = await signedIn();
    const other = createVisitor(backend);
    await other.signIn();
    const fields = hiddenFields(await (await other.get(page)).text(), cancel);
    expect((await visitor.post(cancel, fields)).status).toBe(403);
    expect(backend.runs.get(run.run_id)?.run.state).toBe('INPROGRESS');
  });

  it.each(['https://evil.example', 'null', 'http://127.0.0.1:1'])(
    'change nothing when sent from %s, token or not',
    async (origin) => {
      const { backend, run, visitor, page, cancel } = await signedIn();
      const fields = hiddenFields(await (await visitor.get(page)).text(), cancel);
      expect((await visitor.post(cancel, fields, { origin })).status).toBe(403);
      expect(backend.runs.get(run.run_id)?.run.state).toBe('INPROGRESS');
    },
  );

  it('sign nobody in from another site', async () => {
    const visitor = createVisitor(createFakeBackend());
    const answer = await visitor.post('/login', { key: 'x' }, { origin: 'https://evil.example' });
    expect(answer.status).toBe(403);
  });

  it('lose nothing that was written when they are not taken', async () => {
    const { visitor, page } = await signedIn();
    const fields = { message: 'Long <b>words</b>' };
    const length = { 'content-length': '99', referer: `http://127.0.0.1:8787${page}` };
    const kept = async () => (await visitor.post(`${page}/followups`, fields, length)).text();
    expect(await kept()).toMatch(
      /form was not sent[^]*Long &lt;b&gt;words[^]*href="\/runs\/[\w-]+"/,
    );
    const foreign = { ...length, 'sec-fetch-site': 'cross-site' };
    const theirs = await visitor.post(`${page}/followups`, fields, foreign);
    expect(await theirs.text()).not.toContain('words');
    visitor.cookies.clear();
    expect(await kept()).toMatch(
      /Sign in[^]*Long &lt;b&gt;words[^]*name="next" value="\/runs\/[\w-]+"/,
    );
  });

  it('are refused above their size', async () => {
    const { visitor, page } = await signedIn();
    const answer = await visitor.post(`${page}/followups`, {
      message: 'x'.repeat(FORM_MAX_BYTES),
    });
    expect(answer.status).toBe(413);
  });
});

describe('a run', () => {
  it('of another team is as unknown as no run at all (threats.md S2)', async () => {
    const { backend, visitor } = await signedIn();
    const foreign = backend.addRun({ title: 'Their secret' }, [], 'team-2');
    const [theirs, none] = await Promise.all(
      [foreign.run_id, '00000000-0000-4000-8000-000000000000'].map((id) =>
        visitor.get(`/runs/${id}`),
      ),
    );
    expect([theirs?.status, none?.status]).toEqual([404, 404]);
    const strip = (text = '') => text.replaceAll(/nonce="[^"]*"|value="[^"]*"/g, '');
    expect(strip(await theirs?.text())).toBe(strip(await none?.text()));
  });

  it.each(['/updates', '/transcript'])('of another team has no %s', async (rest) => {
    const { backend, visitor } = await signedIn();
    const foreign = backend.addRun({}, [], 'team-2');
    expect((await visitor.get(`/runs/${foreign.run_id}${rest}`)).status).toBe(404);
  });
});

describe('when something fails', () => {
  it('says what to do next: 404', async () => {
    const { visitor } = await signedIn();
    const answer = await visitor.get('/nothing/here');
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain('See all runs');
  });

  it('says what to do next: 503', async () => {
    const { backend, visitor } = await signedIn();
    backend.down = true;
    const answer = await visitor.get('/runs');
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('5');
    expect(await answer.text()).toContain('Reload this page in a few seconds');
  });

  it('says what to do next: 500, and tells nothing of the cause', async () => {
    const { backend, visitor } = await signedIn();
    backend.api = () => Promise.reject(new Error('password in here'));
    const answer = await visitor.get('/runs');
    expect(answer.status).toBe(500);
    const text = await answer.text();
    expect(text).toContain('ask the people who run this service');
    expect(text).not.toContain('password');
  });
});
