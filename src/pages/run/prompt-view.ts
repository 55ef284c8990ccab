import { html } from 'hono/html';
import type { RunItem } from '../../contract/run.ts';
import { card } from '../card.ts';
import type { Html } from '../html.ts';

/** What is asked is open from the start up to this length. */
const UNFOLDED = 700;

/** Where the faces begin to say what belongs to the question (github/read/prompt.ts). */
const CONTEXT = '\n\nRepository: ';

/** What was asked, and folded what was sent along. */
export function promptView({ prompt, metadata }: RunItem): Html {
  const at = metadata?.['runlink.repository'] === undefined ? -1 : prompt.indexOf(CONTEXT);
  const asked = at > 0 ? prompt.slice(0, at) : prompt;
  const short = asked.length > UNFOLDED ? asked.slice(0, UNFOLDED).toWellFormed() : asked;
  const rest =
    short === asked ? ['Sent along', prompt.slice(asked.length).trim()] : ['All of it', prompt];
  return card(
    'prompt',
    'Prompt',
    html`<pre class="prompt wrap">${short}${short === asked ? '' : '…'}</pre>
      ${
        rest[1] === ''
          ? ''
          : html`<details class="help">
              <summary>${rest[0]}</summary>
              <pre class="prompt wrap">${rest[1]}</pre>
            </details>`
      }`,
  );
}
