import { expect, it } from 'vitest';
import { issueToClose, renderPullRequest } from '../../src/github/render/pull-request.ts';

const HERE = { owner: 'acme', name: 'widgets', pull: undefined };
const ASKED = { 'runlink.thread': 'acme/widgets#12', 'runlink.closes': '12' };

it('a pull request closes the issue that its run was asked in, where that is wished', async () => {
  expect(issueToClose(ASKED, HERE)).toBe(12);
  const text = { runId: 'r', sessionLink: 'x', title: 'Fix it', message: 'Fixes #3, @all' };
  const { body } = await renderPullRequest({ ...text, closes: 12 });
  expect(body).toContain('\n\nFixes #12.\n');
  expect(body.match(/fixes #\d+/gi)).toEqual(['Fixes #12']);
  expect((await renderPullRequest(text)).body).not.toMatch(/fixes #\d/i);
  const words = { thread: 'a/b#1 fixes #4', requester: '@acme/all closes #5' };
  const posed = await renderPullRequest({ ...text, ...words });
  expect(posed.body.replace(/^<!--.*-->/, '')).not.toMatch(/(?:fixes|closes) #\d|@acme/i);
});

it.each([
  ['without the wish', { 'runlink.thread': 'acme/widgets#12' }, HERE],
  ['another issue', { ...ASKED, 'runlink.closes': '13' }, HERE],
  ['another repository’s issue', { ...ASKED, 'runlink.thread': 'acme/other#12' }, HERE],
  ['in a second repository of the environment', ASKED, { ...HERE, name: 'docs' }],
  ['for a fork’s or anybody’s pull request', ASKED, { ...HERE, pull: 7 }],
  ['asked on a pull request', { ...ASKED, 'runlink.pull_request': '12' }, HERE],
  ['with words for a number', { ...ASKED, 'runlink.closes': '12, fixes #1' }, HERE],
])('closes nothing: %s (threats.md G22)', (_, metadata, clone) => {
  expect(issueToClose(metadata, clone)).toBeUndefined();
});
