import { expect, it } from 'vitest';
import { createFakeBackend } from '../support/fake-pages-backend.ts';
import { createVisitor } from '../support/page-visitor.ts';

const CODE = 'BCDF-GHJK';
const PATH = '/settings/login';
const PAGE = `${PATH}?code=${CODE}`;

function open() {
  const backend = createFakeBackend();
  backend.waiting.set(CODE, { client: '<b>ada</b>@laptop', createdAt: new Date() });
  return { backend, visitor: createVisitor(backend) };
}

it('asks whoever is not signed in to sign in first, and comes back', async () => {
  const { visitor } = open();
  const page = await visitor.get(PAGE);
  expect(page.status).toBe(401);
  expect(await page.text()).toContain(`value="${PAGE}"`);
});

it('shows who asks and the code, and gives a key to nobody before it is approved', async () => {
  const { backend, visitor } = open();
  await visitor.signIn();
  const text = await (await visitor.get(PAGE)).text();
  expect(text).toContain('&lt;b&gt;ada&lt;/b&gt;@laptop');
  expect(text).toContain(CODE);
  expect(text).toContain('Ada Byron');
  expect(backend.decided).toEqual([]);
  const answer = await visitor.submit(PAGE, PATH, { decision: 'approve' });
  expect(await answer.text()).toContain('Go back to your terminal');
  expect(backend.decided).toEqual([{ code: CODE, approve: true, by: 'user-ada' }]);
  expect((await visitor.get(PAGE)).status).toBe(404);
});

it('denies where that was pressed, or nothing was', async () => {
  for (const fields of [{ decision: 'deny' }, {}] as Record<string, string>[]) {
    const { backend, visitor } = open();
    await visitor.signIn();
    await visitor.submit(PAGE, PATH, fields);
    expect(backend.decided).toMatchObject([{ approve: false }]);
  }
});

it('takes a decision from its own form alone (threats.md S11)', async () => {
  const { backend, visitor } = open();
  await visitor.signIn();
  const decision = { code: CODE, decision: 'approve' };
  expect((await visitor.post(PATH, decision)).status).toBe(403);
  const elsewhere = { origin: 'https://evil.example' };
  expect((await visitor.post(PATH, decision, elsewhere)).status).toBe(403);
  expect(backend.decided).toEqual([]);
});

it('takes a code that is typed, and says when none waits', async () => {
  const { visitor } = open();
  await visitor.signIn();
  expect(await (await visitor.get(PATH)).text()).toContain('The code that your terminal shows');
  const wrong = await visitor.get(`${PATH}?code=XXXX-XXXX`);
  expect(wrong.status).toBe(404);
  expect(await wrong.text()).toContain('No terminal waits with this code');
});
