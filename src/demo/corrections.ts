import type { components } from '@octokit/openapi-types';
import { DEMO_APP } from './seed.ts';
import { countReactions } from './reactions.ts';
import type { StandInState } from './state.ts';

type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const REPOSITORY = /\/repos\/([\w.-]+\/[\w.-]+)/;

/** `owner/name` from the URL of an API resource. */
export function repositoryOf(url: unknown): string {
  return REPOSITORY.exec(asText(url))?.[1] ?? '';
}

/** The App, as GitHub shows it on everything that the App created. */
export function appItem(state: StandInState): components['schemas']['integration'] {
  const made = '2026-01-01T00:00:00Z';
  return {
    id: DEMO_APP.id,
    slug: DEMO_APP.slug,
    node_id: `A_${DEMO_APP.id}`,
    client_id: DEMO_APP.clientId,
    owner: ownerItem(state),
    name: DEMO_APP.name,
    description: null,
    external_url: `${state.publicUrl}/apps/${DEMO_APP.slug}`,
    html_url: `${state.publicUrl}/apps/${DEMO_APP.slug}`,
    created_at: made,
    updated_at: made,
    permissions: { ...DEMO_APP.permissions },
    events: [...DEMO_APP.events],
  };
}

function ownerItem(state: StandInState): components['schemas']['enterprise'] {
  return {
    id: 1,
    slug: 'acme',
    name: 'Acme',
    node_id: 'E_1',
    avatar_url: '',
    html_url: `${state.publicUrl}/acme`,
    created_at: null,
    updated_at: null,
  };
}

function correctPull(pull: Fields, state: StandInState): Fields {
  const key = `${repositoryOf(pull['url'])}#${String(pull['number'])}`;
  const head = isFields(pull['head']) ? pull['head'] : {};
  const sha = state.pullHeads.get(key) ?? head['sha'];
  const merge = state.merges.get(key);
  return {
    ...pull,
    head: { ...head, sha },
    ...(pull['statuses_url'] !== undefined && {
      statuses_url: asText(pull['statuses_url']).replace(/(?<=\/)[^/]*$/, String(sha)),
    }),
    ...(merge && { merge_commit_sha: merge }),
  };
}

function correctIssue(issue: Fields, state: StandInState): Fields {
  const repository = repositoryOf(issue['url']);
  const number = String(issue['number']);
  if (!state.pullHeads.has(`${repository}#${number}`)) return issue;
  const page = `${state.publicUrl}/${repository}/pull/${number}`;
  return {
    ...issue,
    html_url: page,
    pull_request: {
      url: `${state.publicUrl}/repos/${repository}/pulls/${number}`,
      html_url: page,
      diff_url: `${page}.diff`,
      patch_url: `${page}.patch`,
      merged_at: null,
      ...(isFields(issue['pull_request']) ? issue['pull_request'] : {}),
    },
  };
}

function correctComment(comment: Fields, state: StandInState): Fields {
  const issue = asText(comment['issue_url']);
  const number = issue.split('/').at(-1) ?? '';
  const isPull = state.pullHeads.has(`${repositoryOf(issue)}#${number}`);
  const page = asText(comment['html_url']);
  return isPull ? { ...comment, html_url: page.replace('/issues/', '/pull/') } : comment;
}

function correctReviewComment(comment: Fields, state: StandInState): Fields {
  const link = (field: string): { href: unknown } => ({ href: comment[field] });
  const links = {
    self: link('url'),
    html: link('html_url'),
    pull_request: link('pull_request_url'),
  };
  const { line, side = 'RIGHT', start_line } = state.reviewLines.get(Number(comment['id'])) ?? {};
  const place = line === undefined ? {} : { line, side, start_line: start_line ?? null };
  return { ...comment, ...place, _links: links };
}

function correctCheck(check: Fields, state: StandInState): Fields {
  const repository = repositoryOf(check['url']);
  const numbers = [...state.pullHeads].flatMap(([key, sha]) =>
    sha === check['head_sha'] && key.startsWith(`${repository}#`) ? [key.split('#')[1]] : [],
  );
  return {
    ...check,
    app: appItem(state),
    pull_requests: numbers.map((number) => ({
      number: Number(number),
      url: `${state.publicUrl}/repos/${repository}/pulls/${number}`,
    })),
  };
}

/** Adds the App to everything that its bot wrote. */
function correctAuthor(item: Fields, state: StandInState): Fields {
  const user = isFields(item['user']) ? item['user'] : {};
  if (user['type'] !== 'Bot' || !('performed_via_github_app' in item)) return item;
  return { ...item, performed_via_github_app: appItem(state) };
}

/** For this long after creating something, the emulator may still be changing it. */
const FINISHING_MS = 50;

function correctTimes(item: Fields, state: StandInState): Fields {
  const made = state.times.get(asText(item['node_id']));
  const [created, updated] = [asText(item['created_at']), asText(item['updated_at'])];
  if (made === undefined || created === '') return item;
  const untouched =
    updated < state.bornAt || Date.parse(updated) - Date.parse(created) < FINISHING_MS;
  return { ...item, created_at: made, ...(updated !== '' && untouched && { updated_at: made }) };
}

function correctReactions(item: Fields, state: StandInState): Fields {
  const rollup = isFields(item['reactions']) ? item['reactions'] : undefined;
  const path = asText(rollup?.['url']).slice(state.publicUrl.length);
  return rollup ? { ...item, reactions: { ...rollup, ...countReactions(state, path) } } : item;
}

function correctKind(item: Fields, state: StandInState): Fields {
  if ('head' in item && 'base' in item && 'diff_url' in item) return correctPull(item, state);
  if ('labels_url' in item && 'repository_url' in item) return correctIssue(item, state);
  if ('issue_url' in item && 'body' in item) return correctComment(item, state);
  if ('pull_request_review_id' in item) return correctReviewComment(item, state);
  if ('check_suite' in item && 'external_id' in item) return correctCheck(item, state);
  return item;
}

/** Turns a response or payload of the emulator into what GitHub would send. */
export function correct(value: unknown, state: StandInState): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => correct(item, state));
  if (!isFields(value)) return value;
  const inner = Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, correct(field, state)]),
  );
  const item = correctKind(inner, state);
  return correctTimes(correctReactions(correctAuthor(item, state), state), state);
}

/** Remembers when the objects that this request creates were requested, now or before a restart. */
export function noteTimes(value: unknown, state: StandInState): void {
  if (Array.isArray(value)) for (const item of value) noteTimes(item, state);
  else if (isFields(value)) {
    const id = asText(value['node_id']);
    if (id && asText(value['created_at']) >= state.asked.began && !state.times.has(id))
      state.times.set(id, state.asked.at);
    for (const field of Object.values(value)) noteTimes(field, state);
  }
}
