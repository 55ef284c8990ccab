import { html } from 'hono/html';
import type { RunItem } from '../../contract/run.ts';
import { card } from '../card.ts';
import type { Html } from '../html.ts';
import { lightStart, splitAsked } from '../text.ts';
import { restView } from './rest-view.ts';

/** A prompt up to this length is shown unfolded. */
const UNFOLDED = 700;
const WEIGHT = 4000;

/** The prompt, with the context that was sent along folded. */
export function promptView({ prompt, metadata }: RunItem, isWhole = false): Html {
  const isOfFace = metadata?.['runlink.repository'] !== undefined;
  const { asked, along } = isOfFace ? splitAsked(prompt) : { asked: prompt, along: '' };
  const short = asked.length > UNFOLDED ? asked.slice(0, UNFOLDED).toWellFormed() : asked;
  const [name, rest] = short === asked ? ['Context', along] : ['Full prompt', prompt];
  const shown = isWhole ? rest : lightStart(rest, WEIGHT);
  return card(
    'prompt',
    'Prompt',
    html`<pre class="prompt wrap">${short}${short === asked ? '' : '…'}</pre>
      ${
        rest === ''
          ? ''
          : html`<details class="help">
              <summary>${name}</summary>
              <pre class="prompt wrap">${shown}</pre>
              ${restView(shown, rest)}
            </details>`
      }`,
  );
}
