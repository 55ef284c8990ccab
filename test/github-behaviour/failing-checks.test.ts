import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Octokit } from '@octokit/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { failedJobs } from '../../src/github/read/failed-jobs.ts';
import { readEvent } from '../../src/github/read/read-event.ts';
import { repository } from '../support/action-world.ts';
import { startFakeGithub } from '../support/fake-github.ts';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

function suite(more: object = {}) {
  const check_suite = { id: 7, head_sha: 'aa', conclusion: 'failure', pull_requests: [], ...more };
  const reading = readEvent('check_suite', { action: 'completed', repository, check_suite });
  if ('ignored' in reading || !reading.event.checks) throw new Error('not read');
  return { event: reading.event, checks: reading.event.checks };
}

describe('the failing checks of a suite', () => {
  it('of Actions bring their jobs’ logs, of other Apps what they say (zerocracy/judges-action#2204)', async () => {
    const github = await startFakeGithub();
    onTestFinished(() => github.close());
    const check = { head_sha: 'aa', conclusion: 'timed_out', check_suite: { id: 7 } };
    github.checks.push(
      { ...check, id: 31, name: 'test', app: { slug: 'github-actions' }, output: { title: null } },
      { ...check, id: 32, name: 'scan', app: { slug: 'scanner' }, output: { title: 'Two faults' } },
      { ...check, id: 33, name: 'other', check_suite: { id: 8 } },
      { ...check, id: 34, name: 'passes', conclusion: 'success' },
    );
    github.log = '2026-11-21T08:00:00.1Z \u001B[31mexpected 2, got 3\u001B[0m\n';
    const { event, checks } = suite();
    const jobs = await failedJobs(new Octokit({ baseUrl: github.url, log }), event, checks);
    expect(jobs.map(({ name, lines, isLog }) => ({ name, lines, isLog }))).toEqual([
      { name: 'test', lines: 'expected 2, got 3', isLog: true },
      { name: 'scan', lines: 'Two faults', isLog: false },
    ]);
    expect(github.seen.at(-2)?.path).toBe('/repos/acme/widgets/actions/jobs/31/logs');
  });
});

async function linesOf(content: string | Buffer | { status: number; text: string }) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://logs');
    if (pathname.endsWith('/logs')) {
      response.writeHead(302, { location: '/store?sig=SECRET' }).end();
    } else if (pathname === '/store') {
      const isLog = typeof content === 'string' || Buffer.isBuffer(content);
      response.writeHead(isLog ? 200 : content.status).end(isLog ? content : content.text);
    } else {
      const { searchParams } = new URL(request.url ?? '/', 'http://logs');
      const jobs = Array.from({ length: 100 }, (_, id) => ({
        id,
        name: 'ok',
        conclusion: 'success',
      }));
      const last = [{ id: 101, name: 'test', conclusion: 'failure' }];
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jobs: searchParams.get('page') === '2' ? last : jobs }));
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const github = new Octokit({ baseUrl: `http://127.0.0.1:${port}`, log });
  const [job] = await failedJobs(github, ...workflowRun());
  return job?.lines;
}

describe('a job’s log, of a job on the second page of a matrix,', () => {
  const stamp = '2026-11-21T08:00:00.1234567Z ';
  it.each([
    ['one line without an end', 'x'.repeat(300_000) + 'the cause', /^\[…\]x{9991}the cause$/],
    [
      'sixty long lines',
      Array.from({ length: 80 }, (_, at) => `${stamp}${at}${'y'.repeat(900)}\n`).join(''),
      /^\[…\]y+\n69y[\s\S]*\n79y{900}$/,
    ],
    [
      'colours, links and cursor moves',
      `\uFEFF${stamp}\u001B[31;1mred\u001B[0m\u001B[2K\u001B]8;;http://x\u0007link\u001B]8;;\u0007 a[m] b[0m\r\n`,
      /^redlink a\[m\] b\[0m$/,
    ],
    ['a progress bar', `${stamp}10 %\r20 %\rdone\n${stamp}end\r\n`, /^done\nend$/],
    ['nothing', '', /^$/],
    ['half a letter', Buffer.from('ü'.repeat(60_000)).subarray(1), /^\[…\]ü{10000}$/],
    [
      'what is kept no longer',
      { status: 410, text: 'Gone' },
      /^\(the log could not be read: GitHub answered 410, it is kept no longer\)$/,
    ],
    [
      'what its store refuses',
      { status: 403, text: '<Error>sig=SECRET</Error>' },
      /^\(the log could not be read: GitHub answered 403\)$/,
    ],
  ])(
    'is told by its end where it holds %s (docs: rest/actions/workflow-jobs)',
    async (_, content, lines) => {
      expect(await linesOf(content)).toMatch(lines);
    },
  );
});

function workflowRun() {
  const workflow_run = { id: 5, head_sha: 'aa', pull_requests: [] };
  const reading = readEvent('workflow_run', { repository, workflow_run });
  if ('ignored' in reading || !reading.event.checks) throw new Error('not read');
  return [reading.event, reading.event.checks] as const;
}

const SMALL = 64 * 1024 * 1024;
const LARGE = 16 * SMALL;
const LINE = `${'x'.repeat(1022)}\r\n`;

/** GitHub and its store of logs, in which one has so many bytes. */
async function startLogs({ takesRanges, bytes }: { takesRanges: boolean; bytes: number }) {
  const kept = { sent: 0, tokens: [] as unknown[] };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://logs');
    if (pathname.endsWith('/logs')) {
      response.writeHead(302, { location: `http://localhost:${port}/store` }).end();
      return;
    }
    if (pathname !== '/store') {
      const jobs = [{ id: 1, name: 'test', conclusion: 'failure' }];
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jobs }));
      return;
    }
    kept.tokens.push(request.headers.authorization);
    const range = /^bytes=(\d+)-$/.exec(request.headers.range ?? '');
    const from = takesRanges && range ? Number(range[1]) : 0;
    let left = bytes - from;
    response.writeHead(from > 0 ? 206 : 200, {
      'content-length': left,
      'content-type': 'text/plain',
    });
    const send = (): void => {
      for (let isRoom = true; isRoom && left > 0 && !response.destroyed;) {
        const line = left <= LINE.length ? 'the last line'.padStart(LINE.length) : LINE;
        const part = line.slice(-left);
        left -= part.length;
        kept.sent += part.length;
        isRoom = response.write(part);
      }
      if (left === 0) response.end();
    };
    response.on('drain', send);
    send();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const github = new Octokit({ baseUrl: `http://127.0.0.1:${port}`, auth: 'gh-token', log });
  return { github, kept };
}

describe('a job’s log of', () => {
  it.each([
    ['a gibibyte is asked for from its end where the store takes ranges', true, LARGE, 20_000_000],
    ['64 MiB is read past and never held where it takes none', false, SMALL, 2 * SMALL],
  ])('%s (docs: rest/actions/workflow-jobs)', async (_, takesRanges, bytes, atMost) => {
    const { github, kept } = await startLogs({ takesRanges, bytes });
    const [job] = await failedJobs(github, ...workflowRun());
    expect(job?.lines).toMatch(/ the last line$/);
    expect(job?.lines.length).toBeLessThan(100_000);
    expect(kept.sent).toBeLessThan(atMost);
    expect(kept.tokens).toEqual([undefined, undefined]);
  });
});
