import { z } from 'zod';

/** The artifact that a face posts as a review of the pull request that the run was asked on. */
export const REVIEW_FILE = 'review.json';
const COMMENTS_MAX = 500;

const line = z.int().min(1).max(10_000_000);
const words = (max: number): z.ZodString => z.string().trim().min(1).max(max);

const comment = z
  .object({
    path: words(1024)
      .overwrite((path) => path.replace(/^(?:\.\/)+/, ''))
      .describe('File, from the top of the repository.'),
    line: line.describe(
      'Line the comment is about, or the last of several, as numbered on its side.',
    ),
    start_line: line.nullish().describe('First of several lines.'),
    side: z
      .enum(['LEFT', 'RIGHT'])
      .default('RIGHT')
      .describe('RIGHT: a line as it is now. LEFT: a line that the pull request deletes.'),
    text: words(10_000).describe('What is to be said, in Markdown.'),
    suggestion: z
      .string()
      .max(10_000)
      .nullish()
      .describe('What the lines should become, without marks of a diff; only on the RIGHT.'),
  })
  .refine(({ line: last, start_line: first }) => (first ?? last) <= last, {
    path: ['start_line'],
    error: 'must not come after line',
  })
  .refine(({ side, suggestion }) => side === 'RIGHT' || suggestion == null, {
    path: ['suggestion'],
    error: 'only lines on the RIGHT can be replaced',
  });

/**
 * The contents of `review.json`; published as docs/review.schema.json. Unknown names at the top are
 * refused, because findings under a misspelt name would be lost silently; additional fields of a
 * finding are ignored.
 */
export const reviewFile = z.strictObject({
  $schema: z.string().optional().describe('Address of this schema, for editors.'),
  summary: words(20_000).describe('What the pull request does and how it is, in Markdown.'),
  verdict: z
    .enum(['approve', 'request_changes', 'comment'])
    .default('comment')
    .describe('Given only as far as the repository lets reviews go; shown in words in any case.'),
  comments: z
    .array(comment)
    .max(COMMENTS_MAX)
    .default([])
    .describe('Findings, the weightiest first. They are numbered from 1 in this order.'),
  settled: z
    .array(z.int().min(1))
    .max(1000)
    .default([])
    .describe('Numbers of findings of the review before this one that are settled now.'),
});

export type ReviewFile = z.output<typeof reviewFile>;
export type ReviewFinding = ReviewFile['comments'][number];

/** The JSON Schema of a review, for agents and editors. */
export function reviewSchema(): Record<string, unknown> {
  return {
    title: 'Runlink: a review of a pull request (review.json among the artifacts of a run)',
    ...z.toJSONSchema(reviewFile, { io: 'input', target: 'draft-7' }),
  };
}

/** What is wrong with a value that should be a review, and where; undefined if it is valid. */
export function readReviewFile(value: unknown): { review: ReviewFile } | { fault: string } {
  const read = reviewFile.safeParse(value);
  if (read.success) return { review: read.data };
  const [issue] = read.error.issues;
  const place = (issue?.path ?? []).map((part) =>
    typeof part === 'number' ? `[${part}]` : `.${String(part)}`,
  );
  const where = place.join('').replace(/^\./, '') || 'the file';
  return { fault: `${where}: ${issue?.message ?? 'is not as it should be'}` };
}
