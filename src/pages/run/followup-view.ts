import { html } from 'hono/html';
import { isTerminal, type RunItem } from '../../contract/run.ts';
import type { Html } from '../html.ts';
import { onceField } from '../forms.ts';
import { tokenField, type Viewer } from '../layout.ts';
import { runPath } from '../format.ts';

export function followupView(run: RunItem, viewer: Viewer, draft: string): Html {
  const action = `${runPath(run.run_id)}/followups`;
  return html`<form class="followup card" method="post" action="${action}" id="followup">
    ${tokenField(viewer, action)} ${onceField()}
    <label class="visually-hidden" for="message"
      >${run.state === 'BLOCKED' ? 'Your answer' : 'Follow up'}</label
    >
    <textarea
      id="message"
      name="message"
      rows="1"
      required
      placeholder="${run.state === 'BLOCKED' ? 'Your answer' : 'Follow up: what else?'}"
      aria-describedby="followup-hint"
    >
${draft}</textarea>
    <div class="row">
      <span class="muted" id="followup-hint">${hint(run)}</span>
      <button class="primary">Send</button>
    </div>
  </form>`;
}

/** What a follow-up does in the run's state (run-lifecycle.md, "Follow-ups"). */
function hint(run: RunItem): string {
  if (run.state === 'QUEUED') return 'It is added to the prompt before the agent starts.';
  if (!isTerminal(run.state))
    return 'The agent gets it as its next message, before the run may end.';
  return run.state === 'BLOCKED'
    ? 'The agent gets your answer and goes on.'
    : 'Starts the agent again on the same run: same conversation, same branch and pull request.';
}
