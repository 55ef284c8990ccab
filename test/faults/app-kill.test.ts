import { describe, expect, it, vi } from 'vitest';
import { as, comment, commentsOn, reactionsOn } from '../support/app.ts';
import { useTestDatabase } from '../support/database.ts';
import { startFakeService } from '../support/fake-service.ts';
import { startReplica } from '../support/replica.ts';
import { startStandIn } from '../support/standin.ts';
import { createSteps, type Moment } from '../support/step-proxy.ts';

const isLong = process.env['RUNLINK_TEST_LONG'] !== undefined;
const KILLS = isLong ? 210 : 4;
/** Requests of one story, from the first look at the configuration to the last edit. */
const STEPS = 14;
const soon = { timeout: 40_000, interval: 100 };

/** The k-th kill of a seeded series that visits every step, before and after its effect. */
function killAt(kill: number): { step: number; moment: Moment } {
  const spread = isLong ? kill : kill * 9 + 2;
  return {
    step: (spread % STEPS) + 1,
    moment: Math.floor(spread / STEPS) % 2 ? 'before' : 'after',
  };
}

async function stage() {
  const github = await startStandIn();
  const service = await startFakeService();
  const steps = createSteps();
  const settings = {
    databaseUrl: (await useTestDatabase()).url,
    githubApiUrl: `${await steps.proxy(github.url)}/api/v3`,
    serviceUrl: `${await steps.proxy(service.url)}/api/v1`,
    appId: github.app.id,
    privateKey: github.app.privateKey,
    secret: github.app.webhookSecret,
  };
  const start = async () => {
    const replica = await startReplica(settings);
    github.setWebhookUrl(replica.webhookUrl);
    return replica;
  };
  return { github, service, steps, start };
}

describe('the App, killed', () => {
  it(
    `at ${KILLS} steps of the story, ends each thread in the truth, once`,
    async () => {
      const { github, service, steps, start } = await stage();
      const { owner, name: repo } = github.repository;
      let replica = await start();
      for (let kill = 0; kill < KILLS; kill += 1) {
        const { step, moment } = killAt(kill);
        const { data: issue } = await as(github, github.maintainer).request(
          'POST /repos/{owner}/{repo}/issues',
          { owner, repo, title: `Kill ${kill}` },
        );
        const running = replica;
        const killed = new Promise<void>((resolve) => {
          steps.interruptAt(step, moment, () => void running.kill().then(resolve));
        });
        const asked = await comment(github, github.maintainer, '/agent fix it', issue.number);
        const about = `kill ${kill}, ${moment} step ${step}`;
        await Promise.race([
          killed,
          vi.waitFor(
            async () => expect(await reactionsOn(github, asked)).toEqual(['eyes', 'rocket']),
            soon,
          ),
        ]);
        await running.kill();
        replica = await start();
        await vi.waitFor(async () => {
          const ours = (await commentsOn(github, issue.number)).filter(
            (one) => one.author === github.app.botLogin,
          );
          const reactions = await reactionsOn(github, asked);
          expect({ about, bodies: ours.map((one) => one.body), reactions }).toEqual({
            about,
            bodies: [expect.stringContaining('`SUCCEEDED`')],
            reactions: ['eyes', 'rocket'],
          });
        }, soon);
        const thread = `${owner}/${repo}#${issue.number}`;
        const runs = service.runs.filter((run) => run.metadata['runlink.thread'] === thread);
        expect({ about, runs: runs.length }).toEqual({ about, runs: 1 });
      }
    },
    isLong ? 3_600_000 : 120_000,
  );
});
