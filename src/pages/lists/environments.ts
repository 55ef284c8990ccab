import { html } from 'hono/html';
import { endpoints } from '../../contract/endpoints.ts';
import type { Environment } from '../../contract/environment.ts';
import type { Api } from '../api.ts';
import type { Html } from '../html.ts';
import { ago } from '../time-view.ts';
import { listingView } from './table.ts';

function rowOf({ uid, config, ...environment }: Environment, now: Date): (Html | string)[] {
  const repositories = config.github_repos ?? [];
  const lastRun = environment.last_task_run_timestamp;
  return [
    html`<a href="/runs?environment=${encodeURIComponent(uid)}"
      ><bdi>${config.name ?? uid}</bdi></a
    >`,
    html`<bdi>${repositories.map(({ owner, repo }) => `${owner}/${repo}`).join(', ')}</bdi>`,
    environment.setup_failed ? html`<span class="badge failed">Set-up failed</span>` : '',
    lastRun ? ago(lastRun, now) : 'never',
    html`<code>${uid}</code>`,
  ];
}

/** Where runs can work, and the workers that would take them. */
export async function environmentsPage(api: Api, now: Date): Promise<Html> {
  const [{ environments }, { workers }] = await Promise.all([
    api.json(endpoints.environments.list, { query: { sort_by: 'name' } }),
    api.json(endpoints.workers.list),
  ]);
  return html`${listingView({
    title: 'Where runs can work',
    columns: ['Name', 'Repositories', 'Set-up', 'Last run', 'Id'],
    rows: environments.map((environment) => rowOf(environment, now)),
    empty: html`No environments yet. Whoever runs this service lists them in
      <code>runlink.yaml</code>.`,
  })}
  ${listingView({
    title: 'Self-hosted workers',
    columns: ['Host', 'Connections', 'Last seen'],
    rows: workers.map((worker) => [
      html`<bdi>${worker.worker_host}</bdi>`,
      String(worker.connection_count),
      ago(worker.last_seen_at, now),
    ]),
    empty: html`No self-hosted worker is connected. Start one with
      <code>runlink worker --base-url URL --worker-host NAME</code>.`,
  })}`;
}
