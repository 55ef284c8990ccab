import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'vitest';
import {
  alice,
  commentEvent,
  issue,
  onPullRequest,
  runOnThread,
  repository,
  startWorld,
  type ActionWorld,
} from '../support/action-world.ts';

async function world({ onTestFinished }: TestContext): Promise<ActionWorld> {
  const started = await startWorld();
  onTestFinished(() => started.close());
  return started;
}

describe.concurrent('who may not', () => {
  it('a stranger gets a thumb down and is told once, and nothing starts (threats.md G1)', async (context) => {
    const { expect } = context;
    const { service, github, run } = await world(context);
    const eve = { login: 'eve', type: 'User' };
    github.people['eve'] = { permission: 'read', role_name: 'read' };
    const event = commentEvent('/agent fix it', { comment: { user: eve }, sender: eve });
    const step = await run(event);
    expect(step.exitCode).toBe(0);
    expect(step.outputs).toMatchObject({ skipped: 'true', 'reason-code': 'actor_below_bar' });
    expect(github.reactions).toEqual([{ on: 'issues/501', content: '-1' }]);
    expect(github.comments).toHaveLength(1);
    expect(github.comments[0]?.body).toContain('`write`');
    await run(
      commentEvent('/agent please', {
        comment: { user: eve, id: 9, node_id: 'IC_9' },
        sender: eve,
      }),
    );
    expect(github.comments).toHaveLength(1);
    expect(service.seen).toEqual([]);
  });

  it.for([
    ['a bot', { login: 'helper[bot]', type: 'Bot' }, 'bot'],
    ['the workflow’s own token', { login: 'github-actions[bot]', type: 'Bot' }, 'own_comment'],
  ] as const)('%s gets nothing at all (threats.md G2)', async ([, user, reason], context) => {
    const { expect } = context;
    const { github, service, run } = await world(context);
    const step = await run(commentEvent('/agent fix it', { comment: { user }, sender: user }));
    expect(step.outputs).toMatchObject({ skipped: 'true', 'reason-code': reason });
    expect([...github.seen, ...service.seen]).toEqual([]);
  });

  it('a listed bot may', async (context) => {
    const { expect } = context;
    const { run } = await world(context);
    const user = { login: 'helper[bot]', type: 'Bot' };
    const event = commentEvent('/agent fix it', { comment: { user }, sender: user });
    const step = await run(event, { inputs: { 'allowed-bots': 'helper[bot]' } });
    expect(step.outputs['state']).toBe('SUCCEEDED');
  });

  it('a stranger steers nobody’s run: cancel, follow-up and status need the same bar (threats.md G13)', async (context) => {
    const { expect } = context;
    const w = await world(context);
    w.service.play = undefined;
    const first = await runOnThread(w, 'INPROGRESS');
    const user = { login: 'eve', type: 'User' };
    w.github.people['eve'] = { permission: 'triage', role_name: 'triage' };
    const asked = '/agent cancel\n/agent follow stop it\n/agent status\n/agent retry';
    const comment = { id: 502, node_id: 'IC_2', user };
    const step = await w.run(commentEvent(asked, { comment, sender: user }));
    expect(step.outputs['reason-code']).toBe('actor_below_bar');
    expect([first.state, first.followups, w.service.runs.length]).toEqual(['INPROGRESS', [], 1]);
  });

  it('a configuration that the checked-out branch brings grants nothing (threats.md G12)', async (context) => {
    const { expect } = context;
    const { service, github, run } = await world(context);
    const workspace = mkdtempSync(join(tmpdir(), 'runlink-workspace-'));
    context.onTestFinished(() => rmSync(workspace, { recursive: true, force: true }));
    mkdirSync(join(workspace, '.github'));
    writeFileSync(join(workspace, '.github/runlink.yml'), 'permission: none\n');
    const user = { login: 'eve', type: 'User' };
    const event = commentEvent('/agent fix it', { comment: { user }, sender: user });
    const step = await run(event, { env: { GITHUB_WORKSPACE: workspace } });
    expect(step.outputs['reason-code']).toBe('actor_below_bar');
    expect(github.seen.filter(({ path }) => path.includes('/contents/'))).toEqual([]);
    expect(service.seen).toEqual([]);
  });

  it('a pattern in a list of logins is refused before anything is asked', async (context) => {
    const { expect } = context;
    const { github, run } = await world(context);
    const step = await run(commentEvent('/agent fix it'), { inputs: { 'allowed-users': '*' } });
    expect(step.exitCode).toBe(1);
    expect(step.stdout).toContain('allowed-users');
    expect(github.seen).toEqual([]);
  });

  it('a fork’s pull request needs allow-forks and its head in the command (threats.md G6)', async (context) => {
    const { expect } = context;
    const { github, service, run } = await world(context);
    const sha = 'f'.repeat(40);
    github.addPull({ number: 12, head: { ref: 'x', sha, repo: { full_name: 'eve/widgets' } } });
    const issue = onPullRequest(github);
    const at = (body: string, id: number): ReturnType<typeof commentEvent> =>
      commentEvent(body, { issue, comment: { id, node_id: `IC_${id}` } });
    const inputs = { 'allow-forks': 'true' };
    expect((await run(at('/agent fix it', 1))).outputs['reason-code']).toBe('fork');
    expect((await run(at('/agent fix it', 2), { inputs })).outputs['reason-code']).toBe(
      'fork_sha_required',
    );
    const other = `/agent --sha ${'e'.repeat(40)} fix it`;
    expect((await run(at(other, 3), { inputs })).outputs['reason-code']).toBe('fork_sha_mismatch');
    expect(service.runs).toEqual([]);
    const step = await run(at(`/agent --sha ${sha} fix it`, 4), { inputs });
    expect(step.outputs['state']).toBe('SUCCEEDED');
    expect(service.runs[0]?.metadata['runlink.sha']).toBe(sha);
  });

  it('a command that cannot be read is answered with the nearest one', async (context) => {
    const { expect } = context;
    const { github, service, run } = await world(context);
    const step = await run(commentEvent('/agent --modle x fix it'));
    expect(step.outputs).toMatchObject({ 'reason-code': 'unknown_option', skipped: 'true' });
    expect(github.comments[0]?.body).toContain('Did you mean `--model`?');
    expect(service.runs).toEqual([]);
  });

  it('somebody who asked for nothing is not answered: a workflow with a prompt just skips', async (context) => {
    const { expect } = context;
    const { github, service, run } = await world(context);
    const eve = { login: 'eve', type: 'User' };
    const payload = { action: 'opened', repository, issue: { ...issue(), user: eve }, sender: eve };
    const step = await run(
      { eventName: 'issues', payload },
      { inputs: { prompt: 'Triage this.' } },
    );
    expect(step.outputs).toMatchObject({ skipped: 'true', 'reason-code': 'actor_below_bar' });
    expect(step.exitCode).toBe(0);
    expect([github.comments, github.reactions, service.runs]).toEqual([[], [], []]);
  });

  it('permission: none is said in a warning', async (context) => {
    const { expect } = context;
    const { run } = await world(context);
    const user = { ...alice, login: 'eve' };
    const event = commentEvent('/agent fix it', { comment: { user }, sender: user });
    const step = await run(event, { inputs: { permission: 'none' } });
    expect(step.outputs['state']).toBe('SUCCEEDED');
    expect(step.stdout).toContain('::warning::permission is none');
  });
});
