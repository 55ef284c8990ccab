import { z } from 'zod';

/** GitHub's ids may exceed 2^53, so they are handled as text. */
export const githubId = z.union([z.number(), z.bigint(), z.string()]).transform(String);
const optionalText = z
  .string()
  .nullish()
  .transform((value) => value ?? '');

const user = z
  .object({ login: z.string(), type: z.string().optional() })
  .nullish()
  .transform((value) => value ?? { login: 'ghost', type: 'User' });

const branch = z.object({
  ref: z.string(),
  sha: z.string(),
  repo: z.object({ full_name: z.string(), fork: z.boolean().optional() }).nullish(),
});

export const pullRequest = z.object({
  number: z.int(),
  node_id: z.string().default(''),
  html_url: z.string(),
  title: optionalText,
  body: optionalText,
  user,
  comments: z.int().optional(),
  updated_at: z.string().default(''),
  state: z.string().nullish(),
  head: branch,
  base: branch,
});

const issue = z.object({
  number: z.int(),
  node_id: z.string().default(''),
  html_url: z.string(),
  title: optionalText,
  body: optionalText,
  user,
  comments: z.int().optional(),
  updated_at: z.string().default(''),
  pull_request: z.object({ url: z.string().optional() }).nullish(),
});

const place = {
  path: z.string().nullish(),
  line: z.int().nullish(),
  original_line: z.int().nullish(),
  diff_hunk: z.string().nullish(),
  in_reply_to_id: githubId.nullish(),
  pull_request_review_id: githubId.nullish(),
};

/** A comment on a thread or on a line, as payloads and lists have it. */
export const comment = z.object({
  id: githubId,
  node_id: z.string().default(''),
  html_url: z.string().default(''),
  body: optionalText,
  user,
  created_at: z.string().default(''),
  ...place,
});

export const review = z.object({
  id: githubId,
  node_id: z.string().default(''),
  html_url: z.string().default(''),
  body: optionalText,
  user,
  state: z.string().optional(),
  submitted_at: z.string().nullish(),
});

const repositoryId = githubId.optional().catch(undefined);
const pullRequests = z
  .array(
    z
      .object({
        number: z.int(),
        base: z.object({ repo: z.object({ id: repositoryId }).nullish() }).nullish(),
      })
      .nullable(),
  )
  .nullish()
  .transform((list) => (list ?? []).filter((one) => one !== null));
const commit = z.object({ message: optionalText }).nullish();

const absent = z
  .string()
  .nullish()
  .transform((value) => value ?? undefined);

/** A workflow run, check suite or check run; each has some of these fields. */
const checks = z.object({
  id: githubId,
  name: optionalText,
  app: z.object({ slug: z.string().optional(), name: z.string().optional() }).nullish(),
  conclusion: absent,
  html_url: optionalText,
  head_sha: z.string(),
  head_branch: absent,
  head_commit: commit,
  head_repository: z.object({ full_name: z.string() }).nullish(),
  event: absent,
  run_attempt: z.int().default(1),
  pull_requests: pullRequests,
});

/** The fields that we read of a webhook's or workflow's payload; all others are ignored. */
export const githubPayload = z.object({
  action: z.string().optional(),
  repository: z
    .object({
      id: repositoryId,
      fork: z.boolean().optional(),
      full_name: z.string(),
      html_url: z.string().default(''),
      default_branch: z.string().optional(),
    })
    .nullish(),
  sender: z.object({ login: z.string(), type: z.string().optional() }).nullish(),
  issue: issue.optional(),
  pull_request: pullRequest.optional(),
  comment: comment.optional(),
  review: review.optional(),
  changes: z
    .object({
      old_issue: z.unknown(),
      old_repository: z.unknown(),
      body: z.object({ from: optionalText }).optional().catch(undefined),
    })
    .partial()
    .nullish(),
  label: z.object({ name: z.string() }).nullish(),
  assignee: z.object({ login: z.string() }).nullish(),
  ref: z.string().nullish(),
  after: z.string().nullish(),
  head_commit: commit,
  merge_group: z.object({ head_sha: z.string(), head_ref: z.string() }).optional(),
  workflow_run: checks.nullish(),
  check_suite: checks.nullish(),
  check_run: checks.nullish(),
  installation: z.object({ id: z.int() }).nullish(),
  inputs: z.record(z.string(), z.unknown()).nullish(),
  client_payload: z.record(z.string(), z.unknown()).nullish(),
});
export type GithubPayload = z.infer<typeof githubPayload>;
