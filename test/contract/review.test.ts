import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { REVIEW_SKILL } from '../../src/commands/review-skill.ts';
import { readReviewFile, reviewSchema } from '../../src/contract/review.ts';

const SKILL = resolve(import.meta.dirname, '../../skills/review/SKILL.md');
const PUBLISHED = resolve(import.meta.dirname, '../../docs/review.schema.json');

it('review.json is described by the published schema as the code reads it (update: npm run generate)', async () => {
  await expect(`${JSON.stringify(reviewSchema(), undefined, 2)}\n`).toMatchFileSnapshot(PUBLISHED);
});

it('our skill is published as runs are told it (update: npm run generate)', async () => {
  await expect(REVIEW_SKILL).toMatchFileSnapshot(SKILL);
  const [, example = ''] = /```json\n([\s\S]*?)```/.exec(REVIEW_SKILL) ?? [];
  expect(readReviewFile(JSON.parse(example))).toHaveProperty('review');
});

it.each([
  [[], 'the file: Invalid input: expected object'],
  [{}, 'summary: Invalid input: expected string'],
  [{ summary: 'x', verdict: 'LGTM' }, 'verdict: Invalid option'],
  [{ summary: 'x', coments: [] }, 'the file: Unrecognized key: "coments"'],
  [{ summary: 'x', comments: [{ path: 'a', line: 0, text: 'b' }] }, 'comments[0].line: Too small'],
  [
    { summary: 'x', comments: [{ path: 'a', line: 1, start_line: 2, text: 'b' }] },
    'comments[0].start_line: must not come after line',
  ],
  [
    { summary: 'x', comments: [{ path: 'a', line: 1, side: 'LEFT', text: 'b', suggestion: '' }] },
    'comments[0].suggestion: only lines on the RIGHT',
  ],
])('a review like %j is told its place', (value, fault) => {
  expect(readReviewFile(value)).toEqual({ fault: expect.stringContaining(fault) });
});

it('a review may leave out and null what is optional, and a finding may say more than is known', () => {
  const comment = { path: 'a', line: 1, text: 'b', suggestion: null, severity: 'high' };
  expect(readReviewFile({ $schema: 'x', summary: 'x', comments: [comment] })).toMatchObject({
    review: { verdict: 'comment', comments: [{ side: 'RIGHT' }] },
  });
});
