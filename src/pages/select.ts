import { html } from 'hono/html';
import type { Html } from './html.ts';

export type Option = readonly [value: string, label: string];

/**
 * A drop-down whose label only screen readers need, because the chosen value is clear by itself. A
 * value that cannot be chosen any more stays until somebody takes another.
 */
export function select(
  name: string,
  label: string,
  options: readonly Option[],
  chosen: string,
): Html {
  const isKnown = chosen === '' || options.some(([value]) => value === chosen);
  const all = isKnown ? options : [[chosen, `${chosen} (not available)`] as const, ...options];
  return html`<label
    ><span class="visually-hidden">${label}</span>
    <select name="${name}" title="${label}">
      ${all.map(
        ([value, text]) =>
          html`<option value="${value}" ${value === chosen ? html`selected` : ''}>${text}</option>`,
      )}
    </select></label
  >`;
}
