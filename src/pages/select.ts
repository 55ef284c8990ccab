import { html } from 'hono/html';
import type { Html } from './html.ts';

export type Option = readonly [value: string, label: string];

/** A choice whose name only screen readers need, since what is chosen says what it is about. */
export function select(
  name: string,
  label: string,
  options: readonly Option[],
  chosen: string,
): Html {
  return html`<label
    ><span class="visually-hidden">${label}</span>
    <select name="${name}" title="${label}">
      ${options.map(
        ([value, text]) =>
          html`<option value="${value}" ${value === chosen ? html`selected` : ''}>${text}</option>`,
      )}
    </select></label
  >`;
}
