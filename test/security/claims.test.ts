import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { commentEvent, startWorld, type ActionWorld } from '../support/action-world.ts';
import { BOT, freshId, issueOf, soon, startAppWorld, type AppWorld } from '../support/app-world.ts';
import { end, type FakeRun } from '../support/fake-service.ts';
import { ownHead } from '../support/own-branch.ts';
import { addPull, newSha } from '../support/pull-scene.ts';

let app: AppWorld;
let action: ActionWorld;
beforeAll(async () => {
  [app, action] = await Promise.all([startAppWorld(), startWorld()]);
  app.service.play = undefined;
  action.service.play = undefined;
});
afterAll(async () => {
  await Promise.all([app.close(), action.close()]);
});

interface Claim {
  /** Who reported the pull request, as the service says; absent on one that does not say. */
  by?: string;
  /** Who opened it on GitHub. */
  login: string;
  ref: (run: FakeRun) => string;
}

const topic = (): string => 'topic';
const ours = (run: FakeRun): string => ownHead(run).ref;
const almost = (run: FakeRun): string => `${ownHead(run).ref}-more`;

const FALSE: [what: string, claim: Claim][] = [
  ['a person’s, reported by the run itself', { by: 'run', login: 'alice', ref: topic }],
  ['a person’s, and nobody says who reported it', { login: 'alice', ref: topic }],
  ['our bot’s for another run', { by: 'run', login: BOT, ref: topic }],
  ['one whose branch is almost the run’s', { by: 'run', login: 'alice', ref: almost }],
];
const TRUE: [what: string, claim: Claim][] = [
  ['pushed for the run', { by: 'run', login: BOT, ref: ours }],
  ['reported by a person’s key', { by: 'person', login: 'alice', ref: topic }],
];

/** A run that ends with a pull request that it says it made. */
function endWithClaim(
  run: FakeRun,
  url: string,
  { by }: Claim,
  { service }: AppWorld | ActionWorld,
) {
  const { created_at } = run;
  const artifact = { artifact_type: 'PULL_REQUEST', created_at, data: { url }, reported_by: by };
  service.references.push({ url, run_id: run.run_id });
  end(service, run, 'SUCCEEDED', { artifacts: [artifact] });
}

/** By the App: what it posts on the pull request, and where a command there goes. */
async function claimByApp(claim: Claim) {
  const asked = app.place();
  await app.reasonOf(await app.say(asked, '/agent fix it'));
  const run = await app.runOf(asked);
  const place = { repository: asked.repository, number: freshId() + 700_000 };
  const url = addPull(app, place, newSha(), { login: claim.login, ref: claim.ref(run) });
  endWithClaim(run, url, claim, app);
  await vi.waitFor(() => expect(app.bodiesOn(asked).join()).toContain(url), soon);
  const issue = issueOf(place, { pull_request: { url: 'x' }, html_url: url });
  const posted = app.bodiesOn(place);
  const reason = await app.reasonOf(await app.say(place, '/agent more', undefined, { issue }));
  return { posted: posted.length, reason, told: run.followups.length };
}

/** By the Action, likewise. */
async function claimByAction(claim: Claim) {
  const number = freshId() + 800_000;
  const asking = action.run(commentOn(freshId(), '/agent fix it'));
  const before = action.service.runs.length;
  const run = await vi.waitFor(() => {
    const started = action.service.runs[before];
    if (!started) throw new Error('no run');
    return started;
  }, soon);
  const head = { ref: claim.ref(run), sha: newSha(), repo: { full_name: 'acme/widgets' } };
  const { html_url } = action.github.addPull({ number, head, user: { login: claim.login } });
  endWithClaim(run, html_url, claim, action);
  await asking;
  const posted = action.github.comments.filter(({ issue }) => issue === number);
  const issue = { html_url, pull_request: { url: 'x' } };
  const inputs = { wait: 'false' };
  const step = await action.run(commentOn(number, '/agent more', issue), { inputs });
  const reason = step.outputs['reason-code'];
  return { posted: posted.length, reason, told: run.followups.length };
}

function commentOn(number: number, body: string, issue: object = {}) {
  const id = freshId();
  const html_url = `https://github.example/acme/widgets/issues/${number}`;
  const whole = { number, node_id: `I_${number}`, html_url, ...issue };
  return commentEvent(body, { issue: whole, comment: { id, node_id: `IC_${id}` } });
}

describe('a pull request that a run says is its own (threats.md G17)', () => {
  it.each(FALSE)('%s, gets nothing from the App and sends it no command', async (_, claim) => {
    expect(await claimByApp(claim)).toEqual({ posted: 0, reason: 'started', told: 0 });
  });

  it.each(FALSE)('%s, gets nothing from the Action and sends it no command', async (_, claim) => {
    expect(await claimByAction(claim)).toEqual({ posted: 0, reason: 'started', told: 0 });
  });

  it.each(TRUE)('%s, is believed by both', async (_, claim) => {
    expect(await claimByApp(claim)).toMatchObject({ reason: 'followed_up', told: 1 });
    expect(await claimByAction(claim)).toMatchObject({ reason: 'followed_up', told: 1 });
  });
});
