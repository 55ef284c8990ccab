import { html } from 'hono/html';
import type { RunExecution, RunItem, RunSource } from '../../contract/run.ts';
import { formatCount, formatSpan, formatUsd, shortTime } from '../format.ts';
import { card, factsView, type Fact } from '../card.ts';
import type { Html } from '../html.ts';
import type { AgentStarted } from './load.ts';
import { outLink } from './outcome-view.ts';
import { STATES } from './state.ts';

/** Names of the sources that Runlink has; the contract knows more. */
export const SOURCES: Partial<Record<RunSource, string>> = {
  API: 'API',
  CLI: 'Command line',
  LOCAL: 'Own machine',
  WEB_APP: 'These pages',
  SCHEDULED_AGENT: 'Schedule',
  GITHUB_ACTION: 'GitHub Action',
  GITHUB_WEBHOOK: 'GitHub',
  ORCHESTRATION: 'Another run',
  RUN_SCORER: 'Scorer',
};

/**
 * Where a run came from, in words. Runs asked for on GitHub are started through the API, with
 * metadata that says so.
 */
export function sourceWords({ source, metadata }: RunItem): string {
  if (source === 'API' && metadata?.['runlink.actor'] !== undefined) return 'GitHub';
  const plain = source.replaceAll('_', ' ').toLowerCase();
  return SOURCES[source] ?? plain.charAt(0).toUpperCase() + plain.slice(1);
}

/** The person on GitHub who asked for the run, if it came from there. */
export function requesterOf(run: RunItem): string | undefined {
  const login = run.metadata?.['runlink.actor'];
  return login === undefined ? undefined : `@${login}`;
}

function who(run: RunItem): Fact[] {
  const actor = requesterOf(run);
  const [creator, executor] = [run.creator, run.executor].map((it) => it?.display_name ?? it?.uid);
  return [
    ['Asked by', actor ?? (creator && html`<bdi>${creator}</bdi>`)],
    ['Runs as', executor !== creator && executor ? html`<bdi>${executor}</bdi>` : undefined],
    ['Started from', sourceWords(run)],
    ['Visible to', run.scope?.type === 'User' ? 'only its creator' : undefined],
  ];
}

/** A short name for an issue or pull request: `owner/name #12`. */
function threadName(url: string): string {
  const match = /^https?:\/\/[^/]+\/([^/]+\/[^/]+)\/(?:issues|pull)\/(\d{1,12})/.exec(url);
  return match ? `${match[1]} #${match[2]}` : url;
}

function where(run: RunItem, environmentName: string | undefined): Fact[] {
  const { metadata = {}, agent_config: config } = run;
  const address = metadata['runlink.url'] ?? run.trigger_url;
  const thread = metadata['runlink.thread'] ?? address;
  const repository = metadata['runlink.repository'];
  return [
    ['Repository', repository && html`<bdi>${repository}</bdi>`],
    ['Thread', thread && outLink(address ?? thread, threadName(thread))],
    ['Environment', environmentName ?? config?.environment_id],
    ['Schedule', run.schedule && `${run.schedule.schedule_name} (${run.schedule.cron_schedule})`],
  ];
}

function how(run: RunItem, agent: AgentStarted | undefined): Fact[] {
  const config = run.agent_config ?? {};
  const asked = config.harness ?? {};
  const skill = run.agent_skill?.name ?? config.skill_spec;
  return [
    ['Agent', agent ? `${agent.harness} ${agent.version ?? ''}` : asked.type],
    ['Sandbox', agent?.sandbox],
    ['Model', config.model_id ?? asked.model_id],
    ['Skill', skill && html`<bdi>${skill}</bdi>`],
  ];
}

const at = (value: string | null | undefined): string | undefined =>
  value ? shortTime(new Date(value)) : undefined;

/** When an execution began, how long it took and how it ended. */
function executionText({ queued_at, started_at, ended_at, outcome }: RunExecution): string {
  const took = started_at && ended_at ? formatSpan(started_at, ended_at) : undefined;
  const ended = outcome ? STATES[outcome].label : undefined;
  return [at(started_at ?? queued_at), took, ended].filter(Boolean).join(' · ');
}

function when(run: RunItem): Fact[] {
  const { executions } = run;
  const each = executions.map((it): Fact => [`Execution ${it.execution_id}`, executionText(it)]);
  return [
    ['Created', at(run.created_at)],
    ['Started', at(run.started_at)],
    ['Ended', at(run.finished_at)],
    ...(executions.length > 1 ? each : []),
  ];
}

/** Metadata that no other part of the page shows. */
function otherMetadata(run: RunItem): Html | '' {
  const rest = Object.entries(run.metadata ?? {}).filter(([key]) => !key.startsWith('runlink.'));
  if (rest.length === 0) return '';
  return html`<details class="help">
    <summary>Metadata</summary>
    ${factsView(rest)}
  </details>`;
}

function used({ request_usage: usage = {} }: RunItem): Fact[] {
  const { inference_cost_usd: cost, total_tokens: tokens, model_token_usage: models = [] } = usage;
  return [
    ['Cost', cost === undefined ? undefined : formatUsd(cost)],
    ['Tokens', tokens === undefined ? undefined : formatCount(tokens)],
    ...models.map((it): Fact => [it.model_id, formatCount(it.total_tokens)]),
  ];
}

/** Who asked, where the run came from, and what runs it. */
export function detailsView(
  run: RunItem,
  agent: AgentStarted | undefined,
  environmentName: string | undefined,
): Html {
  const parent = run.parent_run_id;
  const facts: Fact[] = [
    ...who(run),
    ...where(run, environmentName),
    ...how(run, agent),
    ...when(run),
    ...used(run),
    ['Part of', parent && html`<a href="/runs/${encodeURIComponent(parent)}">another run</a>`],
    ['Run id', html`<code class="id">${run.run_id}</code>`],
  ];
  return card('details', 'Details', html`${factsView(facts)} ${otherMetadata(run)}`);
}
