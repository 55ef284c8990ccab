import { describe, expect, it, vi } from 'vitest';
import { as, comment, commentsOn, openAppDatabase, reactionsOn, startApp } from '../support/app.ts';
import { startFakeService } from '../support/fake-service.ts';
import { useTestDatabase } from '../support/database.ts';
import { startStandIn } from '../support/standin.ts';

async function stage() {
  const github = await startStandIn();
  const service = await startFakeService();
  const database = await openAppDatabase((await useTestDatabase()).url);
  const app = await startApp({ database, github, service });
  github.setWebhookUrl(app.webhookUrl);
  return { github, service, database, app };
}

describe('a comment that asks for work', () => {
  it('gets a reaction, one run and one tracking comment that ends in the truth, also where its issue goes', async () => {
    const { github, service } = await stage();
    const asked = await comment(github, github.maintainer, '/agent fix the failing test');
    await vi.waitFor(
      async () => {
        const ours = (await commentsOn(github)).filter((one) => one.author === github.app.botLogin);
        expect(ours).toHaveLength(1);
        expect(ours[0]?.body).toContain('`SUCCEEDED`');
        expect(ours[0]?.body).toContain('All is well.');
        expect(await reactionsOn(github, asked)).toEqual(['rocket']);
      },
      { timeout: 60_000, interval: 100 },
    );
    expect(service.runs).toHaveLength(1);
    expect(service.runs[0]?.metadata).toMatchObject({
      'runlink.repository': 'acme/widgets',
      'runlink.thread': 'acme/widgets#1',
      'runlink.actor': 'octocat',
    });
    // GitHub answers for the old address, too, once it is transferred.
    const ours = async () =>
      (await commentsOn(github)).filter((one) => one.author === github.app.botLogin);
    const octokit = as(github, github.maintainer);
    await octokit.request('POST /repos/acme/widgets/issues/1/transfer', { repository: 'gadgets' });
    await vi.waitFor(
      async () => expect((await ours())[0]?.body).toContain('thread=acme/gadgets#1'),
      { timeout: 60_000, interval: 100 },
    );
    const body = '/agent mind the docs, too';
    await octokit.request('POST /repos/acme/gadgets/issues/1/comments', { body });
    await vi.waitFor(
      () => expect(service.runs[0]?.followups).toEqual([expect.stringContaining('mind the docs')]),
      { timeout: 60_000, interval: 100 },
    );
    expect([service.runs.length, (await ours()).length]).toEqual([1, 1]);
  });
});
