import { html } from 'hono/html';
import type { RunItem } from '../../contract/run.ts';
import { card } from '../card.ts';
import type { Html } from '../html.ts';
import { splitAsked } from '../text.ts';

/** A prompt up to this length is shown unfolded. */
const UNFOLDED = 700;

/** The prompt, with the context that was sent along folded. */
export function promptView({ prompt, metadata }: RunItem): Html {
  const isOfFace = metadata?.['runlink.repository'] !== undefined;
  const { asked, along } = isOfFace ? splitAsked(prompt) : { asked: prompt, along: '' };
  const short = asked.length > UNFOLDED ? asked.slice(0, UNFOLDED).toWellFormed() : asked;
  const rest = short === asked ? ['Sent along', along] : ['All of it', prompt];
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
