import { html } from 'hono/html';
import { endpoints } from '../../contract/endpoints.ts';
import type { WorkerItem } from '../../contract/connected-worker.ts';
import type { Environment } from '../../contract/environment.ts';
import type { Api } from '../api.ts';
import { environmentName } from '../compose/choices.ts';
import { plural } from '../format.ts';
import type { Html } from '../html.ts';
import { ago } from '../time-view.ts';
import { inOrder } from './in-order.ts';
import { partOf, type ListPlace } from './part.ts';
import { listingView } from './table.ts';

/** The environments of a team, and the workers for them. */
export async function environmentsView(api: Api, place: ListPlace, now: Date): Promise<Html> {
  const [{ environments }, { workers }] = await Promise.all([
    api.json(endpoints.environments.list, { query: { sort_by: 'name' } }),
    api.json(endpoints.workers.all),
  ]);
  const where = partOf(place, 'environments', inOrder(environments, environmentName));
  const all = partOf(place, 'workers', inOrder(workers, workerName));
  return html`${listingView({
    title: 'Where runs can work',
    columns: ['Name', 'Repositories', 'Image', 'Set-up', 'Last run', 'Id'],
    rows: where.shown.map((environment) => rowOf(environment, now)),
    ways: where.ways,
    empty: html`No environments yet. Whoever runs this service lists them in
      <code>runlink.yaml</code>.`,
  })}
  ${listingView({
    title: 'Workers',
    columns: ['Worker', 'Slots in use', 'Works on', 'Harnesses', 'Sandbox', 'Version', 'Last seen'],
    rows: all.shown.map((worker) => workerRow(worker, now)),
    ways: all.ways,
    empty: html`No worker is connected, so runs wait. Start one with
      <code>runlink worker --base-url URL</code>.`,
  })}`;
}

const workerName = ({ worker_host, worker_id }: WorkerItem): string => worker_host ?? worker_id;

function rowOf(environment: Environment, now: Date): (Html | string)[] {
  const { uid, config } = environment;
  const repositories = config.github_repos ?? [];
  const lastRun = environment.last_task_run_timestamp;
  return [
    html`<a href="/runs?environment=${encodeURIComponent(uid)}"
      ><bdi>${environmentName(environment)}</bdi></a
    >`,
    html`<bdi>${repositories.map(({ owner, repo }) => `${owner}/${repo}`).join(', ')}</bdi>`,
    config.docker_image ? html`<bdi>${config.docker_image}</bdi>` : '',
    environment.setup_failed ? html`<span class="badge failed">Set-up failed</span>` : '',
    lastRun ? ago(lastRun, now) : 'never',
    html`<code>${uid}</code>`,
  ];
}

function workerRow(worker: WorkerItem, now: Date): (Html | string)[] {
  const { working, free, runs } = worker;
  const others = working - runs.length;
  const at = runs.map(
    (run) =>
      html`<li>
        <a href="/runs/${encodeURIComponent(run.run_id)}"><bdi>${run.title}</bdi></a>
      </li>`,
  );
  return [
    html`<bdi>${workerName(worker)}</bdi>`,
    `${working} of ${working + free}`,
    html`<ul class="plain words">
      ${at}
      ${others > 0 ? html`<li class="muted">${plural(others, 'run')} of other teams</li>` : ''}
    </ul>`,
    html`<bdi>${worker.harnesses.join(', ')}</bdi>`,
    worker.sandbox ?? '',
    worker.version ?? '',
    ago(worker.last_seen_at, now),
  ];
}
