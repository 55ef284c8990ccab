import { createRequire } from 'node:module';
import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { listenForEvents, pushFile, startStandIn, type ReceivedEvent } from '../support/standin.ts';

const fields = z.record(z.string(), z.unknown());
const definitions = z.array(z.object({ name: z.string(), examples: z.array(fields) }));
const EXAMPLES = definitions.parse(createRequire(import.meta.url)('@octokit/webhooks-examples'));
const repo = { owner: 'acme', repo: 'widgets' };

/** The field of each event that says what happened to what. */
const SUBJECTS: Readonly<Record<string, readonly string[]>> = {
  issue_comment: ['comment', 'issue'],
  issues: ['issue'],
  pull_request: ['pull_request'],
  pull_request_review: ['review', 'pull_request'],
  pull_request_review_comment: ['comment', 'pull_request'],
  check_run: ['check_run'],
};
/**
 * Of GitHub's fields those that not every such event has, or of products the stand-in does not
 * show.
 */
const UNSHOWN = new Set([
  'organization',
  'enterprise',
  'active_lock_reason',
  'changes',
  'draft',
  'sub_issues_summary',
  'issue_dependencies_summary',
  'type',
  'deployment',
  'check_suite',
  'start_line',
  'start_side',
  'original_line',
  'original_start_line',
  'original_position',
  'side',
]);

function exampleOf(event: ReceivedEvent): Record<string, unknown> | undefined {
  const all = EXAMPLES.find(({ name }) => name === event.event)?.examples ?? [];
  return all.find((example) => example['action'] === event.payload.action) ?? all[0];
}

const missing = (example: unknown, ours: unknown): string[] =>
  Object.keys(fields.parse(example)).filter(
    (field) => !(field in fields.parse(ours)) && !UNSHOWN.has(field),
  );

/** What GitHub's own example of this event has and ours has not. */
function gaps(event: ReceivedEvent): string[] {
  const example = exampleOf(event);
  if (!example) return [`${event.event}: no example`];
  const subjects = SUBJECTS[event.event] ?? [];
  return [
    ...missing(example, event.payload).filter((field) => field !== 'installation'),
    ...subjects.flatMap((subject) =>
      missing(example[subject], event.payload[subject]).map((field) => `${subject}.${field}`),
    ),
  ].map((field) => `${event.event} ${event.payload.action ?? ''}: ${field}`);
}

describe('the payloads of the stand-in', () => {
  it('have what those of GitHub have', async () => {
    const github = await startStandIn();
    const { events } = await listenForEvents(github);
    const person = new Octokit({ baseUrl: github.apiUrl, auth: github.maintainer.token });
    const { id: appId, privateKey, installationId } = github.app;
    const app = new Octokit({
      baseUrl: github.apiUrl,
      authStrategy: createAppAuth,
      auth: { appId, privateKey, installationId },
    });
    const { data: issue } = await person.issues.create({ ...repo, title: 'Another' });
    const thread = { ...repo, issue_number: issue.number };
    await person.issues.addLabels({ ...thread, labels: ['agent'] });
    const { data: comment } = await person.issues.createComment({ ...thread, body: 'one' });
    await person.issues.updateComment({ ...repo, comment_id: comment.id, body: 'two' });
    await person.issues.deleteComment({ ...repo, comment_id: comment.id });
    const change = { branch: 'topic', file: 'a.txt', token: github.maintainer.token };
    const sha = await pushFile(github, { ...change, content: 'a\n' });
    const { data: pull } = await person.pulls.create({
      ...repo,
      head: 'topic',
      base: 'main',
      title: 'T',
    });
    const review = { ...repo, pull_number: pull.number };
    await person.pulls.createReview({ ...review, event: 'COMMENT', body: 'hm' });
    const line = { commit_id: sha, path: 'a.txt', line: 1 };
    await person.pulls.createReviewComment({ ...review, ...line, body: 'why?' });
    await pushFile(github, { ...change, content: 'b\n' });
    const check = { ...repo, name: 'Runlink', head_sha: sha };
    const { data: run } = await app.checks.create({ ...check, status: 'in_progress' });
    await app.checks.update({
      ...repo,
      check_run_id: run.id,
      conclusion: 'success',
      status: 'completed',
    });
    await person.pulls.update({ ...review, state: 'closed' });
    await person.issues.update({ ...thread, state: 'closed' });

    const expected = [
      'check_run completed',
      'check_run created',
      'issue_comment created',
      'issue_comment deleted',
      'issue_comment edited',
      'issues closed',
      'issues labeled',
      'issues opened',
      'pull_request closed',
      'pull_request opened',
      'pull_request synchronize',
      'pull_request_review submitted',
      'pull_request_review_comment created',
      'push ',
    ];
    const kinds = (): string[] => [
      ...new Set(events.map(({ event, payload }) => `${event} ${payload.action ?? ''}`)),
    ];
    await vi.waitFor(() => expect(kinds()).toEqual(expect.arrayContaining(expected)), 30_000);
    expect(events.flatMap(gaps)).toEqual([]);
    const edited = events.find(({ payload }) => payload.action === 'edited');
    expect(edited?.payload).toMatchObject({ changes: { body: { from: 'one' } } });
  });
});
