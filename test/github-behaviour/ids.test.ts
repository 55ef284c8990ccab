import { Octokit } from '@octokit/core';
import { describe, expect, it } from 'vitest';
import { recoverDeliveries } from '../../src/app/watch/recover-deliveries.ts';
import { silentLog } from '../../src/base/log.ts';
import { requestId } from '../../src/github/decide/request.ts';
import { parseExactJson } from '../../src/github/read/exact-json.ts';
import { failedJobs } from '../../src/github/read/failed-jobs.ts';
import { readEvent } from '../../src/github/read/read-event.ts';
import { writePost } from '../../src/github/write/write-post.ts';
import { openAppDatabase } from '../support/app.ts';
import { repository } from '../support/action-world.ts';
import { useTestDatabase } from '../support/database.ts';

/** GitHub by a function from `METHOD /path?query` to JSON text. */
function githubBy(answer: (asked: string) => { status?: number; json: string }): Octokit {
  const fetch = async (address: string, init: { method: string }): Promise<Response> => {
    const { pathname, search } = new URL(address);
    const { status = 200, json } = answer(`${init.method} ${pathname}${search}`);
    return new Response(json, { status, headers: { 'content-type': 'application/json' } });
  };
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  return new Octokit({ request: { fetch }, log });
}

const IDS = ['3700000000000000019', '3700000000000000021', '3700000000000000023'] as const;

describe('ids of 19 digits', () => {
  it('of missed deliveries are asked for digit by digit, and one that is gone or fails stops no other (octokit/request.js#797)', async () => {
    const { kysely: db } = await openAppDatabase((await useTestDatabase()).url);
    const at = new Date().toISOString();
    const list = IDS.map(
      (id) =>
        `{"id":${id},"guid":"g${id}","delivered_at":"${at}","event":"issues","status_code":502}`,
    );
    const asked: string[] = [];
    const github = githubBy((request) => {
      if (request.startsWith('GET')) return { json: `[${list.join(',')}]` };
      asked.push(request);
      const [status = 202] = [404, 502].filter((_, which) => request.includes(IDS[which] ?? '-'));
      return { status, json: '{}' };
    });
    const context = { db, log: silentLog, appGithub: async () => github };
    expect(await recoverDeliveries(context, 60_000)).toBe(1);
    expect(asked).toEqual(IDS.map((id) => `POST /app/hook/deliveries/${id}/attempts`));
  });

  it.each([
    ['workflow_run', '"name":"CI","html_url":"","head_sha":"aa","pull_requests":[]'],
    ['check_suite', '"head_sha":"aa","pull_requests":[]'],
    ['check_run', '"name":"CI","head_sha":"aa","pull_requests":[]'],
  ])('of a %s keep their digits up to the request’s id (RFC 8259, 6)', (name, rest) => {
    const payload = parseExactJson(
      `{"repository":${JSON.stringify(repository)},"${name}":{"id":${IDS[0]},${rest}}}`,
    );
    const reading = readEvent(name, payload);
    if ('ignored' in reading) throw new Error(reading.ignored);
    const { event } = reading;
    expect(requestId({ event, trigger: 'event', index: 1 })).toBe(`checks:${name}:${IDS[0]}:1:1`);
  });

  it('of repositories tell a pull request here from one elsewhere (docs: rest/checks/suites)', () => {
    const base = (id: string): string => `{"number":1,"base":{"repo":{"id":${id}}}}`;
    const payload = parseExactJson(
      `{"repository":{"full_name":"acme/widgets","id":${IDS[0]}},"check_suite":{"id":1,"head_sha":"aa","pull_requests":[${base(IDS[0])},${base(IDS[1])}]}}`,
    );
    expect(readEvent('check_suite', payload)).toMatchObject({
      event: { repository: { id: IDS[0] }, checks: { pullRequests: [1] } },
    });
  });

  it('of checks and jobs are written and read with all of them (docs: rest/checks/runs)', async () => {
    const asked: string[] = [];
    const github = githubBy((request) => {
      asked.push(request.split('?', 1)[0] ?? '');
      if (request.includes('/jobs?')) {
        return { json: `{"jobs":[{"id":${IDS[0]},"name":"test","conclusion":"failure"}]}` };
      }
      const runs = IDS.toReversed().map((id) => `{"id":${id},"external_id":"r-1"}`);
      return { json: `{"id":${IDS[1]},"html_url":"","check_runs":[${runs.join(',')}]}` };
    });
    const post = {
      key: 'check',
      kind: 'check',
      repository: 'acme/widgets',
      number: 0,
      target: { headSha: 'aa', externalId: 'r-1' },
      content: {
        name: 'Runlink',
        status: 'completed',
        conclusion: 'neutral',
        output: { title: '', summary: '' },
      },
    } as const;
    const us = { login: async () => 'runlink[bot]' };
    const { id } = await writePost(github, post, { remoteId: undefined, mayExist: true }, us);
    expect(id).toBe(IDS[0]);
    const reading = readEvent('workflow_run', {
      repository,
      workflow_run: { id: IDS[1], head_sha: 'aa', pull_requests: [] },
    });
    if ('ignored' in reading || !reading.event.checks) throw new Error('not read');
    await failedJobs(github, reading.event, reading.event.checks);
    expect(asked).toEqual([
      'GET /repos/acme/widgets/commits/aa/check-runs',
      `PATCH /repos/acme/widgets/check-runs/${IDS[0]}`,
      `GET /repos/acme/widgets/actions/runs/${IDS[1]}/jobs`,
      `GET /repos/acme/widgets/actions/jobs/${IDS[0]}/logs`,
    ]);
  });

  it('leave all other numbers and texts of a payload as they are (RFC 8259, 6)', () => {
    const text = '{"a":[1,2.5,-3,1e300,9007199254740991],"b":"12345678901234567890","c":null}';
    expect(parseExactJson(text)).toEqual(JSON.parse(text));
  });
});
