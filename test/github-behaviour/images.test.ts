import { Octokit } from '@octokit/core';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { readImages } from '../../src/github/read/images.ts';
import { readEvent } from '../../src/github/read/read-event.ts';
import { commentEvent, runOnThread, startWorld } from '../support/action-world.ts';
import { keepWorking, soon, startAppWorld } from '../support/app-world.ts';
import type { FakeGithub } from '../support/fake-github-shape.ts';
import { end, type FakeRun } from '../support/fake-service.ts';

/** The beginning of a PNG of so many pixels. */
const pngOf = (width: string, height = '00000001'): Buffer =>
  Buffer.from(`89504e470d0a1a0a0000000d49484452${width}${height}`, 'hex');
const PNG = pngOf('00000001');
const GUIDS = Array.from({ length: 9 }, (_, n) => `0000000${n}-1111-4222-8333-444444444444`);
const [FIRST = '', SECOND = ''] = GUIDS;
const PRIVATE = 'https://private-user-images.githubusercontent.com';
const BUCKET = 'https://github-production-user-asset-6210df.s3.amazonaws.com';
const signed = (guid: string): string => `${PRIVATE}/1/2-${guid}.png?jwt=eyJ.secret&amp;x=1`;
const img = (src: string, more = ''): string => `<p><img${more} src="${src}" alt="a"></p>`;

afterEach(() => vi.restoreAllMocks());

/** github.com, whose API draws this HTML of any text, and whose stores answer by address. */
async function readFrom(html: string, stores: Record<string, () => Response>) {
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const api = async (_: string, { headers }: { headers: Record<string, string> }) => {
    expect(headers['accept']).toBe('application/vnd.github.full+json');
    return Response.json({ body_html: html });
  };
  const github = new Octokit({ request: { fetch: api }, auth: 'gh-token', log });
  const asked: string[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const address = typeof input === 'string' ? input : 'not by a text';
    expect(new Headers(init?.headers).get('authorization')).toBeNull();
    expect(init?.redirect).toBe('manual');
    asked.push(address);
    const found = Object.entries(stores).find(([begin]) => address.startsWith(begin));
    return found?.[1]() ?? new Response('', { status: 404 });
  });
  const made = commentEvent('/agent see ![it](https://github.com/user-attachments/assets/x)');
  const reading = readEvent(made.eventName, made.payload);
  if ('ignored' in reading) throw new Error(reading.ignored);
  return { ...(await readImages(github, reading.event)), asked };
}

const png = (): Response => new Response(PNG);
const to = (location: string) => (): Response =>
  new Response(null, { status: 302, headers: { location } });

describe('images of an issue or comment', () => {
  it('are fetched at once by the address that GitHub signs, which nobody is told (anthropics/claude-code-action:src/github/utils/image-downloader.ts)', async () => {
    const { attachments, lines, asked } = await readFrom(
      img(signed(FIRST)) + img('https://github.githubassets.com/x.png', ' class="emoji"'),
      { [PRIVATE]: png },
    );
    expect(attachments).toEqual([
      { file_name: 'image-1.png', mime_type: 'image/png', data: PNG.toString('base64') },
    ]);
    expect(lines).toEqual([`image-1.png: user-attachments/assets/${FIRST} in the comment.`]);
    expect(asked).toEqual([signed(FIRST).replace('&amp;', '&')]);
    expect(lines.join()).not.toContain('secret');
  });

  it('are followed to where GitHub keeps public ones (docs: attaching files)', async () => {
    const page = `https://github.com/user-attachments/assets/${FIRST}`;
    const { attachments } = await readFrom(img(page), {
      [page]: to(`${BUCKET}/1/x.png?X-Amz-Signature=s`),
      [BUCKET]: png,
    });
    expect(attachments).toHaveLength(1);
  });

  it.each([
    ['another host', 'https://evil.example/p.png'],
    ['a name that looks like one', 'https://github.com.evil.example/p.png'],
    ['this machine', 'https://127.0.0.1/p.png'],
    ['the metadata of a cloud', 'http://169.254.169.254/latest'],
    ['somebody’s bucket', 'https://my-github-production-user-asset-6210df.s3.amazonaws.com/x'],
    ['another port', 'https://github.com:8443/x'],
    ['a name and password', 'https://u:p@github.com/x'],
    ['no encryption', 'http://github.com/x'],
    ['a file', 'file:///etc/passwd'],
  ])('are never asked for at %s, nor followed there (threats.md S21)', async (_, address) => {
    const page = `https://github.com/user-attachments/assets/${FIRST}`;
    const { attachments, lines, asked } = await readFrom(img(address) + img(page), {
      [page]: to(address),
    });
    expect(attachments).toEqual([]);
    expect(asked).toEqual([page]);
    expect(lines).toEqual([
      'Not passed on: an image in the comment (it is not kept by GitHub).',
      `Not passed on: user-attachments/assets/${FIRST} in the comment (it is not kept by GitHub).`,
    ]);
  });

  it('are at most five, of the types that runs take, and 10 MB together; the rest is said (docs: attaching files)', async () => {
    const large = new Uint8Array(10 * 1024 * 1024);
    const { attachments, lines } = await readFrom(GUIDS.map((guid) => img(signed(guid))).join(''), {
      [`${PRIVATE}/1/2-${FIRST}`]: () => new Response('<svg xmlns="…"/>'),
      [`${PRIVATE}/1/2-${SECOND}`]: () => new Response(large),
      [PRIVATE]: png,
    });
    expect(attachments.map(({ file_name: name }) => name)).toEqual(
      [1, 2, 3, 4, 5].map((n) => `image-${n}.png`),
    );
    expect(lines).toEqual([
      `Not passed on: user-attachments/assets/${FIRST} in the comment (it is no PNG, JPEG, GIF or WebP).`,
      `Not passed on: user-attachments/assets/${SECOND} in the comment (it is no PNG, JPEG, GIF or WebP).`,
      ...[2, 3, 4, 5, 6].map(
        (n, at) => `image-${at + 1}.png: user-attachments/assets/${GUIDS[n]} in the comment.`,
      ),
      '2 more in the comment: only 5 are passed on.',
    ]);
  });

  it.each([
    ['a PNG', pngOf('00001f41'), '8001 × 1'],
    ['a GIF', Buffer.from('474946383961100029230000', 'hex'), '16 × 9001'],
    [
      'a JPEG behind a table and padding',
      Buffer.from('ffd8ffe00004aaaaffc40003aaffffc0001108232900100300', 'hex'),
      '16 × 9001',
    ],
    ['a progressive JPEG', Buffer.from('ffd8ffc2001108000123290300', 'hex'), '9001 × 1'],
    [
      'a lossy WebP',
      Buffer.from('524946460000000057454250565038200000000000000000000029230100', 'hex'),
      '9001 × 1',
    ],
    [
      'a lossless WebP',
      Buffer.from('5249464600000000574542505650384c000000002f28e30300', 'hex'),
      '9001 × 16',
    ],
    [
      'an extended WebP',
      Buffer.from('524946460000000057454250565038580a000000000000002823000f0000', 'hex'),
      '9001 × 16',
    ],
    ['half a PNG', PNG.subarray(0, 20), 'damaged'],
    ['a JPEG without a frame', Buffer.from('ffd8ffe00004aaaa', 'hex'), 'damaged'],
  ])('of more pixels than models take are left out: %s', async (_, data, words) => {
    const answer = (): Response => new Response(new Uint8Array(data));
    const { attachments, lines } = await readFrom(img(signed(FIRST)), { [PRIVATE]: answer });
    expect(attachments).toEqual([]);
    expect(lines.join()).toContain(words);
  });

  it('are those of the review, of each inline comment in its order, and not of the thread again (docs: rest/pulls/comments)', async () => {
    const made = commentEvent('/agent see', { issue: { body: '![it](https://x)' } });
    const reading = readEvent(made.eventName, made.payload);
    if ('ignored' in reading || !reading.event.comment) throw new Error('no comment');
    const asked: string[] = [];
    const api = async (url: string) => {
      asked.push(new URL(url).pathname.replace('/repos/acme/widgets', ''));
      return Response.json({ body_html: img('https://evil.example/x') });
    };
    const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
    const github = new Octokit({ request: { fetch: api }, log });
    const comment = { ...reading.event.comment, body: '![it](https://x)' };
    const inline = [7, 8].map((id) => {
      return { ...comment, kind: 'review_comment' as const, id: String(id) };
    });
    for (const event of [
      { ...reading.event, comment: { ...comment, kind: 'review' as const } },
      { ...reading.event, review: { id: '9', places: [], comments: inline } },
    ])
      await readImages(github, event, { isFollowUp: true });
    expect(asked).toEqual(['/pulls/1/reviews/501', '/pulls/comments/7', '/pulls/comments/8']);
  });

  it('end by loops, failures and too many bytes in a sentence (docs: attaching files)', async () => {
    const pages = GUIDS.slice(0, 3).map(
      (guid) => `https://github.com/user-attachments/assets/${guid}`,
    );
    const [loop = '', gone = '', huge = ''] = pages;
    const { lines } = await readFrom(pages.map((page) => img(page)).join(''), {
      [loop]: to(loop),
      [huge]: () => new Response(Buffer.concat([PNG, new Uint8Array(10 * 1024 * 1024)])),
    });
    expect(lines.map((line) => /\(([^)]+)\)/.exec(line)?.[1])).toEqual([
      'it leads from one address to the next',
      'GitHub answers 404',
      'the images are larger than 10 MB together',
    ]);
    expect(gone).not.toBe('');
  });
});

/** A GitHub that draws the texts of issue and comment with an image each. */
function attach(github: FakeGithub, repository: string, number: number, comment: number): void {
  const draw = (path: string, guid: string): void => {
    const html = img(`${github.url}/user-attachments/assets/${guid}`);
    github.answers.set(path, { status: 200, json: { body_html: html } });
    const store = `/store/${guid}`;
    const headers = { location: `${store}?jwt=secret` };
    github.answers.set(`/user-attachments/assets/${guid}`, { status: 302, headers });
    github.answers.set(store, { status: 200, text: PNG });
  };
  draw(`/repos/${repository}/issues/${number}`, FIRST);
  draw(`/repos/${repository}/issues/comments/${comment}`, SECOND);
}

const BODY = '/agent match this ![shot](https://github.com/user-attachments/assets/x)';
const NAMED = `Images:
- image-1.png: user-attachments/assets/${SECOND} in the comment.
- image-2.png: user-attachments/assets/${FIRST} in the issue.`;

function expectImages(run: FakeRun | undefined): void {
  if (!run) throw new Error('no run');
  const { attachments = [] } = run['request'] as { attachments?: { data: string }[] };
  expect(attachments.map(({ data }) => data)).toEqual([1, 2].map(() => PNG.toString('base64')));
  expect(run.prompt).toContain(NAMED);
  expect(run.prompt).not.toContain('secret');
}

describe('a run asked for with images', () => {
  it('gets them from the Action (docs: attaching files)', async () => {
    const world = await startWorld();
    onTestFinished(world.close);
    attach(world.github, 'acme/widgets', 1, 501);
    const event = commentEvent(BODY, { issue: { body: BODY } });
    await world.run(event, { inputs: { wait: 'false' } });
    expect(world.service.runs).toHaveLength(1);
    expectImages(world.service.runs[0]);
  });

  it('gets them from the App, which keeps none of them, and from retry (docs: attaching files)', async () => {
    const world = await startAppWorld();
    onTestFinished(() => world.close());
    world.service.play = keepWorking;
    const place = world.place();
    const issue = {
      number: place.number,
      node_id: 'I_x',
      html_url: 'x',
      title: 't',
      body: BODY,
      user: { login: 'alice' },
      comments: 1,
      updated_at: '',
    };
    world.github.answers.clear();
    const id = 77_001;
    attach(world.github, place.repository, place.number, id);
    const comment = {
      id,
      node_id: 'IC_x',
      html_url: 'x',
      body: BODY,
      user: { login: 'alice' },
      created_at: '2026-01-01T00:00:00Z',
    };
    const said = await world.say(place, BODY, { login: 'alice' }, { issue, comment });
    expect(await world.reasonOf(said)).toBe('started');
    const run = await world.runOf(place);
    expectImages(run);
    const { rows } = await world.database.pool.query(
      `select body ? 'prompt' as prompt, body ? 'attachments' as images from app.requests`,
    );
    expect(rows).toEqual([{ prompt: true, images: false }]);
    end(world.service, run, 'FAILED');
    await vi.waitFor(() => expect(world.bodiesOn(place)[0]).toContain('`FAILED`'), soon);
    await world.reasonOf(await world.say(place, '/agent retry', { login: 'alice' }));
    const [, again] = world.runsOf(place);
    expectImages(again);
  });
});

const AGAIN = `Images:
- image-1.png: user-attachments/assets/${SECOND} in the comment.`;

describe('a follow-up with images', () => {
  it('hands those of the comment on from the Action, or says why not (docs: attaching files)', async () => {
    const world = await startWorld();
    onTestFinished(world.close);
    const run = await runOnThread(world, 'INPROGRESS');
    attach(world.github, 'acme/widgets', 1, 502);
    const ask = (node_id: string) =>
      world.run(commentEvent(BODY, { comment: { id: 502, node_id }, issue: { body: BODY } }), {
        inputs: { wait: 'false' },
      });
    await ask('IC_2');
    expect(run.shown).toEqual([PNG.toString('base64')]);
    expect(run.followups.join()).toContain(AGAIN);
    expect(run.followups.join()).not.toContain('secret');
    const refuse = (matches: RegExp, status: number): void => {
      world.service.faults.push({
        matches: ({ path }) => matches.test(path),
        fault: { kind: 'status', status },
        times: 9,
      });
    };
    refuse(/\/uploads\//, 403);
    await ask('IC_3');
    refuse(/\/attachments\/prepare$/, 404);
    await ask('IC_4');
    expect(run.shown).toHaveLength(1);
    expect(run.followups.slice(1).map((text) => /Not passed on: .*/.exec(text)?.[0])).toEqual([
      'Not passed on: 1 of the comment (the service could not be sent them).',
      'Not passed on: 1 of the comment (the service takes none with a follow-up: 404).',
    ]);
  });

  it('hands them on from the App, which keeps none of them (docs: attaching files)', async () => {
    const world = await startAppWorld();
    onTestFinished(() => world.close());
    world.service.play = keepWorking;
    const place = world.place();
    expect(await world.reasonOf(await world.say(place, '/agent go'))).toBe('started');
    const run = await world.runOf(place);
    const id = 77_002;
    attach(world.github, place.repository, place.number, id);
    const comment = {
      id,
      node_id: 'IC_y',
      html_url: 'x',
      body: BODY,
      user: { login: 'alice' },
      created_at: '2026-01-01T00:00:00Z',
    };
    const said = await world.say(place, BODY, { login: 'alice' }, { comment });
    expect(await world.reasonOf(said)).toBe('followed_up');
    expect(run.shown).toEqual([PNG.toString('base64')]);
    expect(run.followups.join()).toContain(AGAIN);
  });
});
