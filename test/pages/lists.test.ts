import { describe, expect, it } from 'vitest';
import { createFakeBackend } from '../support/fake-pages-backend.ts';
import { ANSWERS, UUID } from '../support/page-answers.ts';
import { createVisitor } from '../support/page-visitor.ts';

async function signedIn(answers: Record<string, unknown> = ANSWERS) {
  const backend = createFakeBackend();
  const run = backend.addRun({ title: 'The run' });
  Object.assign(backend.answers, answers);
  const visitor = createVisitor(backend);
  await visitor.signIn();
  return { visitor, run };
}

describe('the lists', () => {
  it.each([
    [
      '/schedules',
      ['Nightly triage', 'At 03:00 (UTC)', 'Last start failed', 'data-ago', `/schedules/${UUID}`],
    ],
    [
      '/agents',
      ['Night owl', 'Over limit', 'release-notes', 'Malformed', 'Large One', 'Default', 'Disabled'],
    ],
    [
      '/environments',
      ['shop', 'octo/shop', 'Set-up failed', 'build-7', '2 of 3', '1 run of other teams'],
    ],
  ])('at %s show what there is', async (path, texts) => {
    const { visitor } = await signedIn();
    const answer = await visitor.get(path);
    expect(answer.status).toBe(200);
    const page = await answer.text();
    for (const text of texts) expect(page).toContain(text);
  });

  it.each([
    ['/schedules', 'No schedules yet'],
    ['/agents', 'No agents yet'],
    ['/environments', 'No environments yet'],
  ])('at %s say what belongs there while they are empty', async (path, text) => {
    const empty = Object.fromEntries(
      Object.entries(ANSWERS).map(([name, answer]) => [
        name,
        Object.fromEntries(
          Object.entries(answer as object).map(([key, value]) => [
            key,
            Array.isArray(value) ? [] : value,
          ]),
        ),
      ]),
    );
    const { visitor } = await signedIn(empty);
    expect(await (await visitor.get(path)).text()).toContain(text);
  });
});

it('a list without end is shown in parts, each a link away, and so is every other on its page', async () => {
  const many = (path: string, name: string) => {
    const [one] = (ANSWERS[path] as Record<string, object[]>)[name] ?? [];
    return {
      [path]: {
        [name]: Array.from({ length: 120 }, (_, at) => ({
          ...one,
          // In an order that is not the one to show.
          name: `n${119 - at}.`,
        })),
      },
    };
  };
  const { visitor } = await signedIn({
    ...ANSWERS,
    ...many('/agent/schedules', 'schedules'),
    ...many('/agent/identities', 'agents'),
  });
  const read = async (path: string) => (await visitor.get(path)).text();
  const shown = (page: string) =>
    [...page.matchAll(/>n(\d+)\.</g)].map((found) => Number(found[1]));
  for (const name of ['schedules', 'agents']) {
    const first = await read(`/${name}`);
    expect(shown(first)).toEqual(Array.from({ length: 50 }, (_, at) => at));
    expect(first).toContain('1–50 of 120');
    expect(first).toContain(`href="/${name}?${name}=2"`);
    expect(shown(await read(`/${name}?${name}=2`)).at(0)).toBe(50);
    expect(shown(await read(`/${name}?${name}=999`)).at(-1)).toBe(119);
    expect(shown(await read(`/${name}?${name}=-1`)).at(0)).toBe(0);
  }
  expect(await read('/agents?skills=7')).toContain('href="/agents?skills=7&amp;agents=2"');
  const found = await read('/schedules?find-schedules=N11&schedules=9&other=%22');
  expect(shown(found)).toEqual([11, ...Array.from({ length: 10 }, (_, at) => 110 + at)]);
  expect(found).toContain('1–11 of 11');
  expect(found).toContain('name="other" value="&quot;"');
  const none = await read('/schedules?find-schedules=%3Cnothing');
  expect(none).toContain('value="&lt;nothing"');
  expect(none).toContain('None of 120 says that.');
});

describe('artifacts', () => {
  it('show a plan as Markdown, made harmless', async () => {
    const { visitor, run } = await signedIn();
    const page = await (await visitor.get(`/runs/${run.run_id}/artifacts/${UUID}`)).text();
    expect(page).toContain('The plan');
    expect(page).toContain('<h1>Steps</h1>');
    expect(page).toContain('&lt;script&gt;');
    expect(page).toContain(`href="/runs/${run.run_id}/artifacts"`);
  });

  it('lead to a file by its signed address', async () => {
    const { visitor, run } = await signedIn();
    const path = `/runs/${run.run_id}/artifacts/22222222-2222-4222-8222-222222222222`;
    const answer = await visitor.get(path);
    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toContain('signature=');
  });

  it('are unknown where the service knows none', async () => {
    const { visitor, run } = await signedIn();
    const answer = await visitor.get(`/runs/${run.run_id}/artifacts/nope`);
    expect(answer.status).toBe(404);
  });
});

describe('the list of runs', () => {
  it('pages by the service’s cursor and keeps its filters', async () => {
    const backend = createFakeBackend();
    for (let at = 0; at < 30; at += 1) backend.addRun({ title: `Run ${at}.`, state: 'FAILED' });
    const visitor = createVisitor(backend);
    await visitor.signIn();
    const first = await (await visitor.get('/runs?state=FAILED&q=Run')).text();
    expect(first).toContain('Run 24.');
    expect(first).not.toContain('Run 25.');
    const older = /rel="next"\s+href="([^"]+)"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(older).toContain('state=FAILED');
    const second = await (await visitor.get(older)).text();
    expect(second).toContain('Run 29.');
    expect(second).toContain('Newest');
    const oldest = await (await visitor.get(`${older}&order=oldest`)).text();
    expect(oldest).toContain('>Oldest</a');
    expect(oldest).toContain('href="/runs?q=Run&amp;state=BLOCKED&amp;order=oldest"');
  });

  it('says how to begin while there is nothing, and otherwise that nothing matches', async () => {
    const visitor = createVisitor(createFakeBackend());
    await visitor.signIn();
    expect(await (await visitor.get('/runs')).text()).toContain('No runs yet');
    expect(await (await visitor.get('/runs?q=zzz')).text()).toContain('No run matches');
  });

  it('begins anew where a cursor is of another time', async () => {
    const backend = createFakeBackend();
    const api = backend.api.bind(backend);
    backend.api = (request, session) =>
      new URL(request.url).searchParams.has('cursor')
        ? Promise.resolve(Response.json({ error_code: 'invalid_request' }, { status: 400 }))
        : api(request, session);
    const visitor = createVisitor(backend);
    await visitor.signIn();
    const answer = await visitor.get('/runs?state=FAILED&cursor=old');
    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toBe('/runs?state=FAILED');
  });

  it('takes no value from its address for more than it is', async () => {
    const visitor = createVisitor(createFakeBackend());
    await visitor.signIn();
    const odd = '/runs?state=NOPE&source=%00&q=%00%ED%A0%80&environment=%22%3E&cursor=';
    expect((await visitor.get(odd)).status).toBe(200);
  });
});
