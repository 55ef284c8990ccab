import { html } from 'hono/html';
import { ATTACHMENTS_MAX, createRunRequest, runMode } from '../../contract/run.ts';
import type { Html } from '../html.ts';
import { onceField } from '../forms.ts';
import { tokenField, type Viewer } from '../layout.ts';
import { select, type Option } from '../select.ts';
import { environmentName, type Choices, type Draft } from './choices.ts';

export interface Composer {
  viewer: Viewer;
  choices: Choices;
  draft: Draft;
  /** Metadata of the pull request that the run may work on (choices.ts). */
  pull?: Record<string, string>;
  /** Why the last attempt failed. */
  problem?: Html;
  /** Said of the part of a long prompt that the box does not show. */
  rest?: Html | '';
}

const IMAGE_TYPES = createRunRequest.shape.attachments
  .unwrap()
  .element.shape.mime_type.out.options.join(',');
const MODES: Record<string, string> = {
  normal: 'Do it',
  plan: 'Plan only',
  orchestrate: 'Split among agents',
};

export function environmentOptions({ environments }: Choices): Option[] {
  const all = environments.map((it): Option => [it.uid, environmentName(it)]);
  return [['', 'No environment'], ...all];
}

export function modelOptions({ models, defaultModel }: Choices): Option[] {
  const usual = models.find((model) => model.id === defaultModel)?.display_name;
  const all = models.map(({ id, display_name }): Option => [id, display_name]);
  return [['', usual ?? 'Default model'], ...all];
}

/** Fields for environment, agent and model, shared by runs and schedules. */
export function workFields(choices: Choices, draft: Draft): Html {
  const { agents, models } = choices;
  const named = agents.map(({ uid, name }): Option => [uid, name]);
  const agentOptions: Option[] = [['', 'As myself'], ...named];
  const modeOptions = runMode.options.slice(1).map((mode): Option => [mode, MODES[mode] ?? mode]);
  return html`${select('environment', 'Environment', environmentOptions(choices), draft.environment)}
  ${agents.length > 0 || draft.agent ? select('agent', 'Agent', agentOptions, draft.agent) : ''}
  ${models.length > 0 || draft.model ? select('model', 'Model', modelOptions(choices), draft.model) : ''}
  ${select('mode', 'Mode', [['', 'Do it'], ...modeOptions], draft.mode)}`;
}

function pullField(pull: Record<string, string>, on = ''): Html {
  const { 'runlink.repository': repository, 'runlink.pull_request': number } = pull;
  return html`<label title="It begins at that pull request, and its commits go there"
    ><input type="checkbox" name="on" value="${on}" checked /> On ${repository}#${number}</label
  >`;
}

/** The form for a new run. Images can be chosen, dropped or pasted. */
export function composerView({ viewer, choices, draft, pull, problem, rest }: Composer): Html {
  return html`<form
    class="composer card"
    method="post"
    action="/new"
    enctype="multipart/form-data"
    id="composer"
  >
    ${tokenField(viewer, '/new')} ${onceField()}
    ${problem === undefined ? '' : html`<p class="alert" role="alert">${problem}</p>`}
    <label class="visually-hidden" for="prompt">What should be done?</label>
    <textarea
      id="prompt"
      name="prompt"
      rows="2"
      required
      placeholder="What should be done?"
      aria-keyshortcuts="c Control+Enter"
    >
${draft.prompt}</textarea>
    ${rest ? html`<p class="muted">${rest}<input type="hidden" name="from" value="${draft.from ?? ''}" /></p>` : ''}
    <div class="choices">
      ${workFields(choices, draft)}
      <label title="Nobody else of the team sees it"
        ><input
          type="checkbox"
          name="personal"
          value="yes"
          ${draft.personal ? html`checked` : ''}
        />
        Only for me</label
      >
      ${pull === undefined ? '' : pullField(pull, draft.on)}
      <label class="button images"
        ><span aria-hidden="true">+</span> <span data-count-of="images">Images</span>
        <input
          class="visually-hidden"
          type="file"
          id="images"
          name="images"
          accept="${IMAGE_TYPES}"
          multiple
          data-max="${ATTACHMENTS_MAX}"
          aria-label="Images, ${ATTACHMENTS_MAX} at most"
      /></label>
      <button type="button" class="quiet" id="no-images" hidden>Remove images</button>
      <span class="buttons">
        <button name="then" value="schedule" title="Start it again and again">
          Save as schedule
        </button>
        <button class="primary" title="Ctrl+Enter or ⌘+Enter">Run</button>
      </span>
    </div>
  </form>`;
}
