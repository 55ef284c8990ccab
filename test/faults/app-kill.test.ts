import { describe, expect, it, vi } from 'vitest';
import { as, comment, commentsOn, reactionsOn } from '../support/app.ts';
import { useTestDatabase } from '../support/database.ts';
import { end, leftFile, startFakeService } from '../support/fake-service.ts';
import { startReplica, type Replica } from '../support/replica.ts';
import { pushFile, startStandIn } from '../support/standin.ts';
import { proxyStatements } from '../support/statement-proxy.ts';
import { proxyRequests, Steps, type Moment } from '../support/step-proxy.ts';

const isLong = process.env['RUNLINK_TEST_LONG'] !== undefined;
const soon = { timeout: 60_000, interval: 300 };

/** What idle replicas say all the time, whether or not there is a story. */
const IDLE = /owner_until = now\(\) \+|app\.leases|where stale|app\.facts/;

async function stage() {
  const github = await startStandIn();
  const service = await startFakeService();
  service.play = (run) => {
    const artifacts = [leftFile(service, 'review.json', '{"summary": "Fine."}')];
    setTimeout(() => end(service, run, 'SUCCEEDED', { artifacts }), 60);
  };
  const { url: databaseUrl } = await useTestDatabase();
  const requests = new Steps();
  const statements = new Steps();
  const plain = {
    databaseUrl,
    githubApiUrl: github.apiUrl,
    serviceUrl: service.apiUrl,
    appId: github.app.id,
    privateKey: github.app.privateKey,
    secret: github.app.webhookSecret,
  };
  const watched = {
    ...plain,
    databaseUrl: await proxyStatements(databaseUrl, statements, (text) => IDLE.test(text)),
    githubApiUrl: `${await proxyRequests(github.url, requests)}/api/v3`,
    serviceUrl: `${await proxyRequests(service.url, requests)}/api/v1`,
  };
  /** The replica that is going to be killed; it gets the webhooks. */
  const start = async (): Promise<Replica> => {
    const replica = await startReplica(watched);
    github.setWebhookUrl(replica.webhookUrl);
    return replica;
  };
  return { github, service, requests, statements, start, startOther: () => startReplica(plain) };
}
type Stage = Awaited<ReturnType<typeof stage>>;

/** A new pull request, asked on by a maintainer. */
async function ask(
  { github }: Stage,
  number: number,
): Promise<{ pull: number; sha: string; asked: number }> {
  const { owner, name: repo } = github.repository;
  const { token } = github.maintainer;
  const branch = `branch-${number}`;
  const sha = await pushFile(github, { branch, file: `${number}.txt`, content: branch, token });
  const { data } = await as(github, github.maintainer).request('POST /repos/{owner}/{repo}/pulls', {
    owner,
    repo,
    title: branch,
    head: branch,
    base: 'main',
  });
  const asked = await comment(github, github.maintainer, '/agent fix it', data.number);
  return { pull: data.number, sha, asked };
}

/**
 * One run per command, one comment per run and thread, one check per run and head, each telling how
 * it ended, one review.
 */
async function expectTruth(
  { github, service }: Stage,
  { pull, sha, asked }: Awaited<ReturnType<typeof ask>>,
  about: string,
): Promise<void> {
  const { owner, name: repo } = github.repository;
  const ended = {
    about,
    bodies: [expect.stringContaining('`SUCCEEDED`')],
    reactions: ['rocket'],
    checks: ['success'],
    reviews: [expect.stringContaining('Fine.')],
  };
  await vi.waitFor(async () => {
    const ours = (await commentsOn(github, pull)).filter(
      (one) => one.author === github.app.botLogin,
    );
    const maintainer = as(github, github.maintainer);
    const place = { owner, repo };
    const [{ data }, { data: reviews }] = await Promise.all([
      maintainer.request('GET /repos/{owner}/{repo}/commits/{ref}/check-runs', {
        ...place,
        ref: sha,
      }),
      maintainer.request('GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews', {
        ...place,
        pull_number: pull,
      }),
    ]);
    expect({
      about,
      bodies: ours.map((one) => one.body),
      reactions: await reactionsOn(github, asked),
      checks: data.check_runs.map((check) => check.conclusion),
      reviews: reviews.map(({ body }) => body),
    }).toEqual(ended);
  }, soon);
  const thread = `${owner}/${repo}#${pull}`;
  const runs = service.runs.filter((run) => run.metadata['runlink.thread'] === thread);
  expect({ about, runs: runs.length }).toEqual({ about, runs: 1 });
}

interface Series {
  what: 'requests' | 'statements';
  /** Which of how many kills that visit every step, before and after its effect. */
  from: number;
  to: number;
  kills: number;
}

/** Steps of one story. */
const STEPS = { requests: 27, statements: 100 };
/** Kills beside one stand-in: it allows each person 5,000 requests. */
const SERIES_MAX = 30;

function seriesOf(what: Series['what'], kills: number): Series[] {
  return Array.from({ length: Math.ceil(kills / SERIES_MAX) }, (_, part) => ({
    what,
    from: part * SERIES_MAX,
    to: Math.min(kills, (part + 1) * SERIES_MAX),
    kills,
  }));
}

function killAt({ what, kills }: Series, kill: number): { step: number; moment: Moment } {
  const place = Math.floor(((kill + 0.5) * 2 * STEPS[what]) / kills);
  return { step: Math.floor(place / 2) + 1, moment: place % 2 ? 'before' : 'after' };
}

/**
 * Kills the replica that works on each story, and starts it again; answers how many threads held.
 */
async function killAll(scene: Stage, series: Series, first: Replica): Promise<number> {
  const steps = scene[series.what];
  let replica = first;
  let held = 0;
  for (let kill = series.from; kill < series.to; kill += 1) {
    const { step, moment } = killAt(series, kill);
    const about = `kill ${kill}, ${moment} step ${step} of its ${series.what}`;
    const running = replica;
    const killed = new Promise<void>((resolve) => {
      steps.interruptAt(step, moment, () => void running.kill().then(resolve));
    });
    const story = await ask(scene, kill);
    await Promise.race([killed, expectTruth(scene, story, about)]);
    steps.letBe();
    await running.kill();
    replica = await scene.start();
    await expectTruth(scene, story, about);
    held += 1;
  }
  return held;
}

const WITHIN_MS = isLong ? 1_800_000 : 120_000;

describe('the App, killed', () => {
  // In a quick run at two moments alone, below.
  it.each(isLong ? [...seriesOf('requests', 60), ...seriesOf('statements', 120)] : [])(
    'at its $what ($from to $to of $kills), ends each thread in the truth, once',
    async (series) => {
      const scene = await stage();
      expect(await killAll(scene, series, await scene.start())).toBe(series.to - series.from);
    },
    WITHIN_MS,
  );

  it(
    'between posting a review and remembering it, finds it again and posts no other',
    async () => {
      const scene = await stage();
      const replica = await scene.start();
      const killed = new Promise<void>((resolve) => {
        const kill = (): void => void replica.kill().then(resolve);
        scene.requests.interruptOn(/^POST .*\/reviews$/, 'after', kill);
      });
      const story = await ask(scene, 0);
      await killed;
      await scene.start();
      expect(await expectTruth(scene, story, 'the review')).toBe(undefined);
    },
    WITHIN_MS,
  );

  it.each(seriesOf('statements', isLong ? 30 : 1))(
    'while another replica lives on beside it, ends each thread in the truth, once',
    async (series) => {
      const scene = await stage();
      const first = await scene.start();
      await scene.startOther();
      expect(await killAll(scene, series, first)).toBe(series.to - series.from);
    },
    WITHIN_MS,
  );
});
