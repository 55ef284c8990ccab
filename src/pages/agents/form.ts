import { html } from 'hono/html';
import type { Identity } from '../../contract/identity.ts';
import type { ProblemError } from '../../contract/problem.ts';
import type { Choices } from '../compose/choices.ts';
import { environmentOptions, modelOptions } from '../compose/view.ts';
import { fieldView, onceField, problemView } from '../forms.ts';
import type { Html } from '../html.ts';
import { tokenField, type Viewer } from '../layout.ts';
import { keptRest, startOf } from '../long-text.ts';
import { select } from '../select.ts';

/** The empty form of an agent; `skills` are paths, one per line. */
export const NO_AGENT = {
  name: '',
  description: '',
  prompt: '',
  skills: '',
  environment: '',
  model: '',
  harness: '',
  host: '',
};
export type AgentDraft = typeof NO_AGENT;

export function draftOfAgent(agent: Identity): AgentDraft {
  return {
    name: agent.name,
    description: agent.description ?? '',
    prompt: agent.prompt ?? '',
    skills: agent.skills.join('\n'),
    environment: agent.environment_id ?? '',
    model: agent.base_model ?? '',
    harness: agent.harness?.type ?? '',
    host: agent.worker_host ?? '',
  };
}

/** The body of the request to the service; an empty field clears the value. */
export function agentRequest(draft: AgentDraft, before?: Identity) {
  const { environment, model, skills, harness, host, ...texts } = draft;
  const isSame = harness === (before?.harness?.type ?? '');
  const paths = skills.split('\n').map((line) => line.trim());
  return {
    ...texts,
    skills: paths.filter((path) => path !== ''),
    environment_id: environment,
    base_model: model,
    worker_host: host,
    // If the harness stays the same, its other settings are kept.
    ...(isSame ? {} : { harness: harness === '' ? {} : { type: harness } }),
  };
}

const HARNESS_HINT = html`Such as <code>claude</code> or <code>codex</code>; empty for the usual one
  of this service.`;
const HOST_HINT = html`Only workers that were started with this <code>--worker-host</code> take its
  runs; empty for the service’s own.`;

interface AgentForm {
  viewer: Viewer;
  choices: Choices;
  draft: AgentDraft;
  /** Id of the agent to edit; undefined for a new one. */
  uid?: string;
  problem?: ProblemError;
  /** The prompt is shown whole, however long. */
  isWhole?: boolean;
}

/** The form for creating or editing an agent. */
export function agentForm(form: AgentForm): Html {
  const { viewer, choices, draft, uid, problem, isWhole = true } = form;
  const prompt = startOf(draft.prompt, isWhole);
  const rest = keptRest(prompt, draft.prompt, '?all=yes');
  const action = uid === undefined ? '/agents' : `/agents/${encodeURIComponent(uid)}`;
  const skillHint = html`One a line, such as
    <code>octo/shop:.agents/skills/release/SKILL.md</code>.`;
  return html`<form class="card stack" method="post" action="${action}">
    ${tokenField(viewer, action)} ${onceField()} ${problemView(problem)}
    ${fieldView({ name: 'name', label: 'Name', value: draft.name, required: true })}
    ${fieldView({ name: 'description', label: 'Description', value: draft.description })}
    ${fieldView({
      name: 'prompt',
      label: 'Prompt',
      value: prompt,
      rows: 4,
      hint: html`Comes before the prompt of each of its runs. ${rest}`,
    })}
    ${fieldView({ name: 'skills', label: 'Skills', value: draft.skills, rows: 2, hint: skillHint })}
    <div class="choices">
      ${select('environment', 'Environment', environmentOptions(choices), draft.environment)}
      ${
        choices.models.length > 0 || draft.model
          ? select('model', 'Model', modelOptions(choices), draft.model)
          : ''
      }
    </div>
    ${fieldView({ name: 'harness', label: 'Harness', value: draft.harness, mono: true, hint: HARNESS_HINT })}
    ${fieldView({ name: 'host', label: 'Worker host', value: draft.host, mono: true, hint: HOST_HINT })}
    <p class="buttons">
      <button class="primary">${uid === undefined ? 'Create agent' : 'Save'}</button>
      <a class="button" href="${action}">Cancel</a>
    </p>
  </form>`;
}
