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

const LOG_BYTES = 64 * 1024 * 1024;
const LINE = `${'x'.repeat(1022)}\r\n`;

/** GitHub and its store of logs, in which one has 64 MB. */
async function startLogs({ takesRanges }: { takesRanges: boolean }) {
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
    let left = LOG_BYTES - from;
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

describe('a job’s log of 64 MB', () => {
  it.each([
    ['asked for from its end where the store takes ranges', true, 20_000_000],
    ['read past and never held where it takes none', false, 2 * LOG_BYTES],
  ])('is %s (docs: rest/actions/workflow-jobs)', async (_, takesRanges, atMost) => {
    const { github, kept } = await startLogs({ takesRanges });
    const reading = readEvent('workflow_run', {
      repository,
      workflow_run: { id: 5, head_sha: 'aa', pull_requests: [] },
    });
    if ('ignored' in reading || !reading.event.checks) throw new Error('not read');
    const [job] = await failedJobs(github, reading.event, reading.event.checks);
    expect(job?.lines).toMatch(/ the last line$/);
    expect(job?.lines.length).toBeLessThan(100_000);
    expect(kept.sent).toBeLessThan(atMost);
    expect(kept.tokens).toEqual([undefined, undefined]);
  });
});
