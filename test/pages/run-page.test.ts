import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import type { LogEvent } from '../../src/contract/entry.ts';
import { createFakeBackend, type FakeBackend } from '../support/fake-pages-backend.ts';
import { createVisitor } from '../support/page-visitor.ts';
import { ANSWERS, UUID } from '../support/page-answers.ts';
import { logOf, manyChanges, repairStory } from '../support/run-story.ts';

async function visit(prepare: (backend: FakeBackend) => string) {
  const backend = createFakeBackend();
  const path = `/runs/${prepare(backend)}`;
  const visitor = createVisitor(backend);
  await visitor.signIn();
  const read = async (rest = ''): Promise<string> => (await visitor.get(path + rest)).text();
  return { backend, visitor, path, read };
}

function messages(count: number): LogEvent[] {
  return logOf(
    ...Array.from(
      { length: count },
      (_, at) =>
        ({
          type: 'message',
          message_id: `m${at}`,
          role: 'assistant',
          delta: `message ${at}.`,
        }) as const,
    ),
  );
}

describe('the run page', () => {
  it('shows who asked for what, where, and how it went', async () => {
    const { read } = await visit((backend) => {
      backend.environments.push({
        uid: 'a'.repeat(22),
        config: { name: 'shop environment' },
        last_updated: '2026-11-21T08:00:00.000Z',
        setup_failed: false,
      });
      return backend.addRun(
        {
          title: 'Repair the sum',
          prompt: 'Please repair sum().',
          state: 'SUCCEEDED',
          started_at: '2026-11-21T08:00:00.000Z',
          finished_at: '2026-11-21T08:03:20.000Z',
          status_message: { message: 'All tests pass.' },
          metadata: {
            'runlink.repository': 'octo/shop',
            'runlink.thread': 'octo/shop#7',
            'runlink.url': 'https://github.com/octo/shop/issues/7',
            'runlink.actor': 'ada',
          },
          agent_config: { environment_id: 'a'.repeat(22), model_id: 'large-1' },
          request_usage: { total_tokens: 12345 },
          artifacts: [
            {
              artifact_type: 'PULL_REQUEST',
              created_at: '2026-11-21T08:03:00.000Z',
              data: { url: 'https://github.com/octo/shop/pull/8', branch: 'runlink/sum' },
            },
          ],
        },
        repairStory(),
      ).run_id;
    });
    const tabs = ['', '/changes', '/details'].map((tab) => read(tab));
    const page = (await Promise.all(tabs)).join('');
    for (const text of [
      'Repair the sum',
      'Please repair sum().',
      'Succeeded',
      'All tests pass.',
      '3m 20s',
      'Ada Byron',
      'octo/shop#7',
      'https://github.com/octo/shop/issues/7',
      'https://github.com/octo/shop/pull/8',
      'octo/shop #8',
      'shop environment',
      'large-1',
      '12,345',
      'exit 1',
      'AssertionError',
      '2 changed files',
      'CHANGELOG.md',
      'The loop stopped <strong>one short</strong>',
      'Find the cause',
      'bubblewrap',
    ]) {
      expect(page).toContain(text);
    }
    expect(page).not.toContain('Cancel run');
  });

  it('leads to each changed file by its folders, whatever the paths are', async () => {
    const paths = ['', '/', '//', 'a/b', 'a/b', 'a/b/', 'a/b/c', `${'d/'.repeat(900)}e`];
    paths.push(`${'d/'.repeat(901)}f`, ...Array.from({ length: 20 }, (_, at) => 'g/'.repeat(at)));
    const files = paths.map((path) => ({ ...manyChanges().files[0], path }));
    const odd = { ...manyChanges(), files } as LogEvent & { type: 'changes' };
    const { backend, read, visitor } = await visit(
      (b) => b.addRun({}, logOf(manyChanges())).run_id,
    );
    const tree = /<nav class="tree"[^]*?<\/nav>/;
    const text = tree.exec(await read('/changes'))?.[0].replaceAll(/<[^>]*>|\s+/g, ' ');
    expect(
      text
        ?.replaceAll(/very-long-name-/g, '')
        .split(/\s+/)
        .join(' ')
        .trim(),
    ).toBe(
      'README.md +2 −1 lib/a/b/deep.md +2 −1 src/ one.js +2 −1 two.js +2 −1 lib/x/ y.js +2 −1 z.js +2 −1 test/.js +2 −1',
    );
    backend.addRun({ run_id: 'odd' }, logOf(odd));
    const page = tree.exec(await (await visitor.get('/runs/odd/changes')).text())?.[0];
    for (const at of paths.keys()) expect(page).toContain(`href="#file-${at}"`);
  });

  it('offers to cancel what works, and only that', async () => {
    const { backend, visitor, path, read } = await visit((b) => b.addRun({}).run_id);
    expect(await read()).toContain('Cancel run');
    const answer = await visitor.submit(path, `${path}/cancel`);
    expect(answer.headers.get('location')).toBe(`${path}?notice=cancelled`);
    expect(await read('?notice=cancelled')).toContain('is being cancelled');
    expect(await read()).not.toContain('Cancel run');
    backend.addRun({ run_id: 'local', is_run_type_cancellable: false });
    expect(await (await visitor.get('/runs/local')).text()).not.toContain('Cancel run');
  });

  it('says why a run that is just starting cannot be cancelled yet', async () => {
    const { visitor, path } = await visit((b) => b.addRun({ state: 'PENDING' }).run_id);
    const answer = await visitor.submit(path, `${path}/cancel`);
    expect(answer.status).toBe(409);
    expect(await answer.text()).toContain('It is starting.');
  });

  it('sends a follow-up', async () => {
    const { backend, visitor, path } = await visit((b) => b.addRun({ run_id: 'r' }).run_id);
    const answer = await visitor.submit(path, `${path}/followups`, { message: 'one\r\ntwo' });
    expect(answer.status).toBe(303);
    expect(backend.followups).toEqual([{ runId: 'r', message: 'one\ntwo' }]);
  });

  it('sends nothing for a message of blanks, which would start an ended run again', async () => {
    const { backend, visitor, path } = await visit((b) => b.addRun({ state: 'SUCCEEDED' }).run_id);
    const answer = await visitor.submit(path, `${path}/followups`, { message: '   ' });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('Nothing was sent');
    expect(backend.followups).toEqual([]);
  });

  it('opens with what was asked, not with what GitHub’s fence holds', async () => {
    const { read } = await visit(
      (b) =>
        b.addRun({
          prompt: 'fix it\n\nRepository: octo/shop http://x\n\nuntrusted-1\nhello\nuntrusted-1',
          metadata: { 'runlink.repository': 'octo/shop', 'runlink.actor': 'ada' },
        }).run_id,
    );
    const page = await read();
    expect(page).toContain('<pre class="prompt wrap">fix it</pre>');
    expect(page).toMatch(/<summary>Context<\/summary>\s*<pre class="prompt wrap">Repository:/);
    expect(await read('/details')).toMatch(/Started from<\/dt>\s*<dd>GitHub/);
  });
});

it('says of a follow-up from GitHub who wrote it and what, and folds the rest', async () => {
  const message =
    'also this\n\nFrom ada, http://x/pull/2#c1\nRepository: octo/shop http://x\n\nuntrusted-1';
  const creator = { type: 'user' as const, uid: 'u', display_name: 'github-app' };
  const said = {
    type: 'followup' as const,
    followup_id: 'f',
    at: '2026-11-21T08:00:00Z',
    message,
    creator,
  };
  const { read } = await visit((b) => b.addRun({}, [said]).run_id);
  const page = await read();
  expect(page).toContain('<bdi>ada, by github-app</bdi>');
  expect(page).toMatch(/<p>also this<\/p>[^]*<summary>Context<\/summary>/);
});

describe('a search in a log that one request does not read whole', () => {
  /** As the service answers: 100 of 250 lines at a time. */
  function answer(asked: URLSearchParams, matches: number[]) {
    const from = Number(asked.get('from') ?? 0);
    const before = Number(asked.get('before') ?? 251);
    const low = from || Math.max(1, before - 100);
    const high = from ? Math.min(from + 99, 250) : before - 1;
    const found = matches.filter((it) => it >= low && it <= high);
    const position = from ? found[0] : found.at(-1);
    const [edge, end] = from ? [high, 250] : [low, 1];
    const entry = { position, last_position: position, attempt: 1, events: messages(1) };
    return {
      entries: position ? [entry] : [],
      next_after: 250,
      has_earlier: false,
      ...(position || edge === end ? {} : { searched_to: edge }),
    };
  }

  async function search(matches: number[], query: string) {
    const { backend, visitor, path } = await visit((b) => b.addRun({}, messages(1)).run_id);
    const api = backend.api.bind(backend);
    backend.api = async (request, session) => {
      const { pathname, searchParams: asked } = new URL(request.url);
      const isSearch = pathname.endsWith('/entries') && (asked.has('q') || asked.has('failed'));
      return isSearch ? Response.json(answer(asked, matches)) : api(request, session);
    };
    const steps = [];
    for (let next: string | undefined = `${path}/find?${query}`; next && steps.length < 9;) {
      const to: string = (await visitor.get(next)).headers.get('location') ?? '';
      steps.push(to.slice(path.length + 1));
      const link = /href="([^"]+)">Search on</.exec(await (await visitor.get(to)).text())?.[1];
      next = link?.replaceAll('&amp;', '&');
    }
    return steps;
  }

  it.each([
    [
      'q=x',
      [],
      ['find=x&searched=100&until=0', 'find=x&searched=200&until=0', 'find=x&searched=all&until=0'],
    ],
    ['q=x&after=150', [], ['find=x&searched=100&until=150', 'find=x&searched=all&until=0']],
    [
      'q=x&after=220',
      [],
      [
        'find=x&searched=100&until=220',
        'find=x&searched=200&until=220',
        'find=x&searched=all&until=0',
      ],
    ],
    [
      'q=x&after=220',
      [210],
      ['find=x&searched=100&until=220', 'find=x&searched=200&until=220', 'find=x&at=210#e-210'],
    ],
    ['q=x&before=20', [240], ['find=x&at=240#e-240']],
    ['q=x&before=240', [30], ['find=x&at=30#e-30']],
    ['failed=yes', [240], ['at=240#e-240']],
    ['failed=yes&after=240', [240], ['at=240#e-240']],
    ['failed=yes&after=240', [], ['notice=no-failure']],
  ])('%s, with matches at %j, goes to its end once', async (query, matches, steps) => {
    expect(await search(matches, query)).toEqual(steps);
  });
});

it('shows a step that a killed worker left open as under way only while the run is', async () => {
  const started_at = '2026-11-21T08:00:00.000Z';
  const log = logOf({ type: 'setup', step: 'image', title: 'Image', started_at });
  for (const [state, mark] of [
    ['INPROGRESS', 'busy'],
    ['SUCCEEDED', 'note'],
  ] as const) {
    const { read } = await visit((b) => b.addRun({ state }, log).run_id);
    expect(await read()).toMatch(new RegExp(`class="line ${mark}"[^]*Image`));
  }
});

it('shows what judges found, and why', async () => {
  const { read } = await visit((b) => {
    Object.assign(b.answers, ANSWERS);
    return b.addRun({ run_id: 'working' }).run_id;
  });
  const page = await read('/details');
  for (const text of ['Did what was asked', 'partly', 'No test &lt;shows&gt; it.', 'being judged'])
    expect(page).toContain(text);
  expect(page).toContain(`href="/runs/${UUID}">its run<`);
});

it('shows no control sequence of a terminal, in titles either, but colours of output', async () => {
  const red = (text: string) => `\u001B[31m${text}\u001B[0m`;
  const at = '2026-11-21T08:00:00.000Z';
  const log = logOf(
    { type: 'setup', step: 'clone', title: red('Clone'), started_at: at, finished_at: at },
    { type: 'permission', title: red('Write'), decision: 'denied' },
    { type: 'tool_call', call_id: 'c', kind: 'execute', title: 'x', output_delta: red('said') },
    { type: 'plan', entries: [{ content: red('Plan'), status: 'pending' }] },
    { type: 'message', message_id: 'm', role: 'assistant', delta: red('Message') },
  );
  const { read, visitor } = await visit(
    (b) => b.addRun({ title: red('Title'), prompt: red('Prompt') }, log).run_id,
  );
  const pages = [await read(), await read('/details'), await (await visitor.get('/runs')).text()];
  for (const page of pages) expect(page).not.toMatch(/\[\d+m|\u001B/);
  expect(pages[0]).toContain('<span class="ansi-red">said</span>');
});

it('shows each changed file, however large those before it are, and all of a large one', async () => {
  const sizes = { 'a.lock': 6000, 'b.log': 100, 'c.txt': 1500 };
  const files = Object.entries(sizes).map(([path, additions]) => {
    return { path, additions, deletions: 0, status: 'added' as const };
  });
  // Lines that do not compress, so that the page cannot take them all.
  const line = (path: string, at: number) => `+${path} ${at} ${hash('sha256', `${path} ${at}`)}`;
  const diffs = files.map(({ path, additions }) => {
    const lines = Array.from({ length: additions }, (_, at) => line(path, at + 1));
    return `diff --git a/${path} b/${path}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${additions} @@\n${lines.join('\n')}\n`;
  });
  const changes = { type: 'changes' as const, base_sha: 'a', files, diff: diffs.join('') };
  const { read } = await visit((b) => b.addRun({}, logOf(changes)).run_id);
  const whole = await read('/changes');
  expect(gzipSync(whole).length).toBeLessThan(43_000);
  for (const text of ['+a.lock 1 ', '+b.log 100 ', '?file=1&amp;line=1', '?file=3&amp;line=1'])
    expect(whole).toContain(text);
  expect(whole).not.toContain('?file=2');
  const seen: number[] = [];
  let last = '';
  for (let at: string | undefined = '1'; at !== undefined; at = /line=(\d+)">/.exec(last)?.[1]) {
    last = await read(`/changes?file=1&line=${at}`);
    expect(gzipSync(last).length).toBeLessThan(43_000);
    seen.push(...[...last.matchAll(/>\+a\.lock (\d+) /g)].map((found) => Number(found[1])));
  }
  expect(seen).toEqual(Array.from({ length: 6000 }, (_, at) => at + 1));
  expect(await read('/changes?file=99')).toContain('?file=3&amp;line=1');
});

it('weighs no more however much its commands said, and leads to the rest', async () => {
  const said = (at: number) =>
    Array.from({ length: 400 }, (_, line) => hash('sha256', `${at} ${line}`).slice(0, 40)).join(
      '\n',
    );
  const call = (at: number) =>
    ({
      type: 'tool_call',
      call_id: `c${at}`,
      kind: 'execute',
      title: `run ${at}`,
      status: 'completed',
      output_delta: said(at),
    }) as const;
  const calls = logOf(...Array.from({ length: 40 }, (_, at) => call(at)));
  const { read } = await visit((b) => b.addRun({}, calls).run_id);
  const places = (page: string) =>
    [...page.matchAll(/data-place="(\d+)"/g)].map((found) => Number(found[1]));
  const page = await read();
  expect(places(page)).toEqual([39, 40]);
  expect(page).toContain('href="?before=39#activity"');
  const part = await read('?at=20');
  expect(places(part)).toEqual([20, 21]);
  expect(part).toContain('href="?before=20#activity"');
  expect(part).toContain('href="?from=22#activity"');
});

it('stays light whatever an output or edit holds, and shows what comes before many changes', async () => {
  const odd = (count: number) =>
    Array.from({ length: count }, (_, at) => hash('sha256', `${at}`, 'buffer').toString('utf16le'));
  const call = { type: 'tool_call' as const, kind: 'edit' as const, title: 'Odd' };
  const edit = (path: string) => ({ path, old_text: null, new_text: odd(1000).join('\n') });
  const sizes = [
    logOf({ ...call, call_id: 'a', output_delta: odd(4000).join('') }),
    logOf({ ...call, call_id: 'b', diff: edit('a') }, { ...call, call_id: 'b', diff: edit('b') }),
  ];
  for (const log of sizes) {
    const { read } = await visit((b) => b.addRun({}, log).run_id);
    expect(gzipSync(await read()).length).toBeLessThan(25_000);
  }
  const said = (count: number) =>
    Array.from({ length: count }, (_, at) => hash('sha256', `${at}`)).join('\n');
  const { read } = await visit((b) => {
    const run = b.addRun({}, []);
    for (const [at, event] of messages(50).entries())
      b.append(run.run_id, { ...event, delta: hash('sha512', `${at}`) } as LogEvent);
    for (const event of logOf({ ...manyChanges(), diff: said(10_000) }))
      b.append(run.run_id, event);
    return run.run_id;
  });
  expect((await read()).match(/<article/g)).toHaveLength(50);
});

it('stays light whatever it was told, shows one message at least, and all on demand', async () => {
  const noise = (name: string, length: number) =>
    Array.from({ length: length / 44 }, (_, at) => hash('sha256', name + at, 'base64')).join('');
  const messages = [1, 2, 3].map((at) => {
    return {
      type: 'message',
      message_id: `${at}`,
      role: 'assistant',
      delta: noise(`m${at}`, 60_000),
    } as const;
  });
  const steps = Array.from({ length: 50 }, (_, at) => ({ content: noise(`s${at}`, 2000) }));
  const end = noise('end', 60_000);
  const { read } = await visit((b) => {
    const log = logOf({ type: 'plan', entries: steps }, ...messages, {
      type: 'notice',
      level: 'info',
      text: 'last',
    });
    const run = { prompt: noise('asked', 100_000), status_message: { message: end } };
    return b.addRun({ ...run, state: 'SUCCEEDED' }, log).run_id;
  });
  const page = await read();
  // With 17 kB of style sheet, script and icon less than 60 kB.
  expect(gzipSync(page).length).toBeLessThan(43_000);
  expect(page).toContain(noise('m3', 10_000));
  expect(page).not.toContain(end);
  expect(page.match(/href="\?all=yes"/g)).toHaveLength(3);
  const all = await read('?all=yes');
  expect(all).toContain(end);
  expect(all).toContain(noise('s49', 2000));
  expect(all).toContain(noise('asked', 100_000));
});

describe('the run page, when something fails,', () => {
  it('keeps what was typed when the service does not take it', async () => {
    const { backend, visitor, path } = await visit((b) => b.addRun({}).run_id);
    const api = backend.api.bind(backend);
    backend.api = (request, session) =>
      request.method === 'POST'
        ? Promise.resolve(
            Response.json({ error_code: 'conflict', detail: 'Not now.' }, { status: 409 }),
          )
        : api(request, session);
    const answer = await visitor.submit(path, `${path}/followups`, { message: 'my long text' });
    expect(answer.status).toBe(409);
    const page = await answer.text();
    expect(page).toContain('Not now.');
    expect(page).toMatch(/>\s*my long text<\/textarea/);
  });

  it('says what to do after a failure', async () => {
    const { read } = await visit(
      (backend) =>
        backend.addRun({
          state: 'FAILED',
          status_message: { message: 'npm ci failed.', error_code: 'environment_setup_failed' },
        }).run_id,
    );
    const page = await read();
    expect(page).toContain('npm ci failed.');
    expect(page).toMatch(/What to do:.*fix the environment/s);
  });

  it('hands out the transcript by the service’s signed address', async () => {
    const { visitor, path } = await visit((b) => b.addRun({}).run_id);
    const answer = await visitor.get(`${path}/transcript`);
    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toBe('/blobs/transcript?signed');
  });

  it('follows without scripts by reloading, until the run has ended', async () => {
    const { backend, read } = await visit((b) => b.addRun({ run_id: 'r' }).run_id);
    expect(await read()).toContain('http-equiv="refresh"');
    backend.change('r', { state: 'SUCCEEDED' });
    expect(await read()).not.toContain('http-equiv="refresh"');
  });

  it('does not show a call as under way when the run is over', async () => {
    const { backend, read } = await visit(
      (b) => b.addRun({ run_id: 'r' }, repairStory().slice(0, 8)).run_id,
    );
    const busy = /class="line busy"/;
    expect(await read()).toMatch(busy);
    backend.change('r', { state: 'CANCELLED' });
    expect(await read()).not.toMatch(busy);
  });
});

describe('a long run', () => {
  it('is shown from its end, bounded, with a way to what came before', async () => {
    const { read } = await visit((b) => b.addRun({}, messages(1000)).run_id);
    let page = await read();
    expect(page).toContain('message 999.');
    expect(page).not.toContain('message 939.');
    expect(page.length).toBeLessThan(100_000);
    for (let at = 939; at > 0; at -= 150) {
      page = await read(/id="earlier"\s+href="([^"#]+)/.exec(page)?.[1] ?? 'no way back');
      expect(page).toContain(`message ${at}.`);
    }
    expect(page).toContain('message 0.');
    expect(page).toMatch(/id="earlier"\s+href="[^"]*"\s+hidden/);
    expect(page).toContain('>Latest<');
    const way = /id="later"\s+href="([^"#]+)/.exec(page)?.[1] ?? 'no way on';
    expect(await read(way)).toMatch(/message \d+\./);
  });

  it('is shown around any place, which every entry leads to', async () => {
    const { read } = await visit((b) => b.addRun({}, messages(1000)).run_id);
    const page = await read('?at=500');
    expect(page).toContain('message 499.');
    expect(page).toContain('href="?at=500#e-500"');
    expect(page).not.toContain('message 700.');
    expect(page).toContain('data-active="no"');
  });

  it('shows where the time went, as a strip that leads to each call and as a table', async () => {
    const { backend, read } = await visit((b) => b.addRun({ run_id: 'r' }, messages(3)).run_id);
    const span = {
      kind: 'command' as const,
      title: 'npm <test>',
      started_at: '2026-11-21T08:00:01.000Z',
      ended_at: '2026-11-21T08:00:03.000Z',
      execution_id: 1,
      position: 2,
      failed: true,
      count: 1,
    };
    backend.runs
      .get('r')
      ?.spans.push(
        { ...span, kind: 'queue', title: 'Waiting', ended_at: span.started_at, failed: false },
        span,
        { ...span, title: 'after it', started_at: span.ended_at, failed: false },
      );
    const page = await read();
    expect([...page.matchAll(/<rect\s+class="(\w+)"/g)].map(([, kind]) => kind)).toEqual([
      'queue',
      'command',
      'bad',
    ]);
    expect(page).toMatch(/href="\/runs\/r\?at=2#e-2" tabindex="-1"><rect\s+class="bad"/);
    expect(page).toContain('npm &lt;test&gt;: 2.0s');
    expect(page).toMatch(/id="next-failure"\s+href="\/runs\/r\/find\?failed=yes&after=3"/);
    expect(page).not.toContain('style=');
    expect(await read('/details')).toMatch(/npm &lt;test&gt;<\/bdi> \(failed\)/);
  });

  it('folds reads and searches that follow each other into one line', async () => {
    const look = (at: number, kind: 'read' | 'search' | 'execute') =>
      logOf({ type: 'tool_call', call_id: `c${at}`, kind, title: `t${at}`, status: 'completed' });
    const { read } = await visit(
      (b) =>
        b.addRun({}, [
          ...[1, 2, 3].flatMap((at) => look(at, 'read')),
          ...look(4, 'search'),
          ...look(5, 'execute'),
          ...look(6, 'read'),
        ]).run_id,
    );
    const page = await read();
    expect(page).toContain('Read 3 files, 1 search');
    expect(page.match(/class="tool looks"/g)).toHaveLength(1);
    for (let at = 1; at <= 6; at += 1) expect(page).toContain(`id="e-${at}"`);
  });
});

describe('a live update', () => {
  it('is held until something happens and brings just that', async () => {
    const { backend, read } = await visit((b) => b.addRun({ run_id: 'r' }, messages(3)).run_id);
    const waiting = read('/updates?after=3');
    backend.append(
      'r',
      ...logOf({ type: 'message', message_id: 'new', role: 'assistant', delta: 'News.' }),
    );
    const update = await waiting;
    expect(update).toContain('News.');
    expect(update).toContain('id="e-4"');
    expect(update).not.toContain('message 2.');
    expect(update).toContain('data-after="4"');
    expect(update).not.toContain('<html');
  });

  it('repeats an entry as a whole when it grew', async () => {
    const { backend, read } = await visit((b) => b.addRun({ run_id: 'r' }, messages(3)).run_id);
    backend.append(
      'r',
      ...logOf({ type: 'message', message_id: 'm1', role: 'assistant', delta: ' More.' }),
    );
    const update = await read('/updates?after=3');
    expect(update).toContain('message 1. More.');
    expect(update).toMatch(/id="e-2"\s+data-place="2"\s+data-v="4"/);
  });

  it('is answered at once when the service is about to end, and not held again', async () => {
    const { backend, visitor, path } = await visit((b) => b.addRun({}, messages(3)).run_id);
    const held = visitor.get(`${path}/updates?after=3`);
    await vi.waitFor(() => expect(backend.holding()).toBe(1), 30_000);
    backend.drain();
    expect((await held).status).toBe(200);
    expect((await visitor.get(`${path}/updates?after=3`)).status).toBe(503);
    expect((await visitor.get(path)).status).toBe(200);
  });

  it('says when the run has ended', async () => {
    const { read } = await visit((b) => b.addRun({ state: 'FAILED' }).run_id);
    expect(await read('/updates?after=0&wait=no')).toContain('data-active="no"');
  });
});
