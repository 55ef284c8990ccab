import { isFields, asText } from './corrections.ts';

type Fields = Record<string, unknown>;

/** Fields that an issue and its pull request share. */
const SHARED = [
  'number',
  'title',
  'body',
  'user',
  'state',
  'locked',
  'labels',
  'assignee',
  'assignees',
  'milestone',
  'comments',
  'created_at',
  'updated_at',
  'closed_at',
  'html_url',
  'author_association',
] as const;

/** A pull request as the issue that it also is. */
export function issueOfPull(pull: unknown): Fields {
  if (!isFields(pull)) return {};
  const url = asText(pull['issue_url']);
  const shared = Object.fromEntries(SHARED.map((field) => [field, pull[field]]));
  return {
    ...shared,
    id: pull['id'],
    node_id: pull['node_id'],
    url,
    repository_url: url.replace(/\/issues\/\d+$/, ''),
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    timeline_url: `${url}/timeline`,
    state_reason: null,
    active_lock_reason: null,
    closed_by: null,
    draft: pull['draft'],
    performed_via_github_app: null,
    reactions: { url: `${url}/reactions` },
    pull_request: {
      url: pull['url'],
      html_url: pull['html_url'],
      diff_url: pull['diff_url'],
      patch_url: pull['patch_url'],
      merged_at: pull['merged_at'],
    },
  };
}
