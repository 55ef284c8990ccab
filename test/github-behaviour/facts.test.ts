import { Octokit } from '@octokit/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { renderSummary } from '../../src/action/render-summary.ts';
import { endOfRun } from '../../src/action/step-outcome.ts';
import { runCheck } from '../../src/commands/run-posts.ts';
import { writePost } from '../../src/github/write/write-post.ts';
import { startFakeGithub } from '../support/fake-github.ts';

const isLong = process.env['RUNLINK_TEST_LONG'] !== undefined;

describe('a job summary', () => {
  it.each([
    ['letters', 'x'],
    ['letters of four bytes', '🦀'],
    ['marks that are escaped', '@a #1 '],
    // Each takes more than a second to be given up by the parser.
    ...(isLong ? [['fences', '```\n'] as const, ['lines', '<details>\n\n'] as const] : []),
  ] as const)(
    'of 3 MB of %s stays below 1 MiB, or GitHub would show none (docs: workflow-commands)',
    async (_, text) => {
      const run = { run_id: 'r-1', state: 'SUCCEEDED', title: text.repeat(1000) };
      const finalMessage = text.repeat(3_000_000 / text.length);
      const outcome = { ...endOfRun(run, ['FAILED']), finalMessage };
      const bytes = Buffer.byteLength(await renderSummary(outcome, new Date()));
      expect(bytes).toBeGreaterThan(1000);
      expect(bytes).toBeLessThan(1024 * 1024);
    },
  );
});

describe('a check made with a workflow’s own token', () => {
  it('is found by its external_id, wherever its link leads and whichever suite it is put into (actions/github-script#143, LouisBrunner/checks-action#26)', async () => {
    const github = await startFakeGithub();
    onTestFinished(() => github.close());
    const octokit = new Octokit({ baseUrl: github.url });
    const head = { repository: 'acme/widgets', headSha: 'a'.repeat(40) };
    const output = { title: 'Done', summary: 'Done.' };
    const content = {
      name: 'Runlink',
      status: 'completed',
      conclusion: 'success',
      output,
    } as const;
    const write = async (runId: string): Promise<string> => {
      const post = runCheck({ run_id: runId }, head, content);
      const us = { login: async () => 'github-actions[bot]' };
      return (await writePost(octokit, post, { remoteId: undefined, mayExist: true }, us)).id;
    };
    const [first, second] = [await write('r-1'), await write('r-2')];
    // What GitHub makes of them: the link is its own, the suite that of any workflow of the commit.
    for (const check of github.checks) {
      const details_url = 'https://github.com/acme/widgets/actions/runs/9/job/9';
      Object.assign(check, {
        details_url,
        check_suite: { id: 9 },
        app: { slug: 'github-actions' },
      });
    }
    expect([await write('r-1'), await write('r-2')]).toEqual([first, second]);
    expect(github.checks).toHaveLength(2);
  });
});
