import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Probot, ProbotOctokit } from 'probot';
import { accessBy } from '../../src/app/connect-github.ts';
import { createContext } from '../../src/app/create-app.ts';
import { runlinkApp } from '../../src/app/runlink-app.ts';
import { createClient } from '../../src/client/client.ts';
import { openAppDatabase } from '../support/app.ts';
import { freshId, from, INSTALLATION, issueComment, pullOf } from '../support/app-world.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { startFakeGithub } from '../support/fake-github.ts';
import type { FakeGithub } from '../support/fake-github-shape.ts';
import { startFakeService, type FakeService } from '../support/fake-service.ts';
import { testLog } from '../support/test-log.ts';

type Delivered = Parameters<Probot['receive']>[0];

let github: FakeGithub;
let service: FakeService;
let stored: TestDatabase;
beforeAll(async () => {
  [github, service, stored] = await Promise.all([
    startFakeGithub(),
    startFakeService(),
    createTestDatabase(),
  ]);
  github.people['alice'] = { permission: 'write', role_name: 'write' };
});
afterEach(() => {
  service.runs.length = 0;
});
afterAll(async () => {
  await Promise.all([github.close(), service.close(), stored.drop()]);
});

/** As Probot's documentation tests an app: made anew, loaded, and handed an event. */
async function loadProbot() {
  const probot = new Probot({
    githubToken: 'test',
    baseUrl: github.url,
    logLevel: 'fatal',
    Octokit: ProbotOctokit.defaults({ retry: { enabled: false }, throttle: { enabled: false } }),
  });
  const tables = await openAppDatabase(stored.url);
  const client = createClient({ baseUrl: service.apiUrl, apiKey: 'test-key' });
  const context = createContext(
    { tables, client, github: accessBy(probot), log: testLog },
    () => {},
  );
  await probot.load(runlinkApp(context));
  const receive = async (name: string, payload: object, id = `d-${freshId()}`): Promise<string> => {
    const whole = { installation: { id: INSTALLATION }, ...payload };
    await probot.receive({ id, name, payload: whole } as unknown as Delivered);
    return id;
  };
  const reasonsOf = async (id: string): Promise<string[]> => {
    const { rows } = await tables.pool.query<{ reasons: string[] }>(
      'select reasons from app.deliveries where guid = $1',
      [id],
    );
    return rows[0]?.reasons ?? [];
  };
  return { receive, reasonsOf };
}

function newPlace() {
  const number = freshId();
  return { repository: `acme/p${number}`, number };
}

describe('the App, loaded into a Probot of its own', () => {
  it('starts a run for a comment and keeps what became of each command by the delivery’s id', async () => {
    const { receive, reasonsOf } = await loadProbot();
    const comment = issueComment(newPlace(), '/agent fix it\n\n/agent help', { login: 'alice' }, 1);
    const id = await receive('issue_comment', comment);
    expect(service.runs.map(({ title }) => title)).toEqual(['fix it']);
    expect(await reasonsOf(id)).toEqual(['started', 'reported_help']);
    const again = await receive('issue_comment', comment);
    expect(service.runs).toHaveLength(1);
    expect(await reasonsOf(again)).toEqual(['duplicate_request', 'duplicate_request']);
  });

  it('hears only what its list names', async () => {
    const { receive, reasonsOf } = await loadProbot();
    const place = newPlace();
    const opened = await receive('pull_request', {
      ...from(place, 'opened'),
      pull_request: pullOf(place, 'c'.repeat(40)),
    });
    expect(await reasonsOf(opened)).toEqual(['not_a_command']);
    const edited = { ...issueComment(place, '/agent fix it', { login: 'alice' }, 2) };
    const unheard = await receive('issue_comment', { ...edited, action: 'deleted' });
    expect([await reasonsOf(unheard), service.runs]).toEqual([[], []]);
  });

  it('tells whoever delivers that it could not be done, so that it is delivered again', async () => {
    const { receive, reasonsOf } = await loadProbot();
    const comment = issueComment(newPlace(), '/agent fix it', { login: 'alice' }, 3);
    const isAsked = ({ path }: { path: string }): boolean => path.endsWith('/permission');
    github.faults.push({ matches: isAsked, fault: { kind: 'status', status: 502 }, times: 1 });
    await expect(receive('issue_comment', comment, 'again')).rejects.toThrow(
      /GitHub was asked about alice/,
    );
    expect([await reasonsOf('again'), service.runs]).toEqual([[], []]);
    await receive('issue_comment', comment, 'again');
    expect(await reasonsOf('again')).toEqual(['started']);
  });
});
