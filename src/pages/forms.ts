import { hash, randomUUID } from 'node:crypto';
import { html } from 'hono/html';
import type { ProblemError } from '../contract/problem.ts';
import type { Html } from './html.ts';
import { tokenField, type Viewer } from './layout.ts';

interface Button {
  /** The path that it is sent to; its token is made for that path. */
  action: string;
  label: string;
  /** For screen readers, if the label alone is not clear. */
  about?: string;
  /** Question to confirm first, if scripts run. */
  confirm?: string;
  tone?: 'primary' | 'quiet' | 'danger' | 'danger quiet';
  /** A name and value to send along. */
  sends?: readonly [name: string, value: string];
  /** Pressing it twice, or sending the form again, has no further effect. */
  once?: boolean;
}

/**
 * A hidden field by which sending a form again has no further effect. `form` is the id of a form
 * elsewhere on the page.
 */
export function onceField(form?: string): Html {
  return html`<input
    type="hidden"
    name="once"
    value="${randomUUID()}"
    ${form === undefined ? '' : html`form="${form}"`}
  />`;
}

/** The idempotency header for a form with this content. */
export function onceHeaders(once: unknown, body: unknown): Record<string, string> {
  if (typeof once !== 'string' || once === '') return {};
  return { 'idempotency-key': hash('sha256', JSON.stringify([once, body]), 'base64url') };
}

/** A button that changes something, in a form of its own. */
export function buttonForm(
  viewer: Viewer,
  { action, label, about, confirm, tone, sends, once }: Button,
): Html {
  const name = about === undefined ? '' : html`aria-label="${label} ${about}"`;
  const ask = confirm === undefined ? '' : html`data-confirm="${confirm}"`;
  return html`<form method="post" action="${action}" ${ask}>
    ${tokenField(viewer, action)} ${once ? onceField() : ''}
    <button
      class="${tone ?? ''}"
      ${name}
      ${sends ? html`name="${sends[0]}" value="${sends[1]}"` : ''}
    >
      ${label}
    </button>
  </form>`;
}

interface Field {
  name: string;
  label: string;
  value: string;
  hint?: Html | string;
  required?: boolean;
  /** Number of lines of a text box; undefined for a single-line field. */
  rows?: number;
  mono?: boolean;
}

/** A text field with its label above and its hint below. */
export function fieldView({ name, label, value, hint, required, rows, mono }: Field): Html {
  const described = !hint ? '' : html`aria-describedby="${name}-hint"`;
  const rest = html`${required ? html`required` : ''} ${mono ? html`class="mono"` : ''} ${described}`;
  // A browser drops one line break at the beginning.
  const text = `\n${value}`;
  const box =
    rows === undefined
      ? html`<input id="${name}" name="${name}" value="${value}" autocomplete="off" ${rest} />`
      : html`<textarea id="${name}" name="${name}" rows="${rows}" ${rest}>${text}</textarea>`;
  return html`<div class="stack field">
    <label for="${name}">${label}</label>
    ${box} ${!hint ? '' : html`<p class="muted" id="${name}-hint">${hint}</p>`}
  </div>`;
}

/** Why the service refused a form. */
export function problemView(problem: ProblemError | undefined): Html | '' {
  return problem ? html`<p class="alert" role="alert">${problem.message}</p>` : '';
}

/** The form's text fields as they were typed; a missing field keeps its value from `fallback`. */
export function textsOf<T extends object>(form: Record<string, unknown>, fallback: T): T {
  const texts = Object.entries(fallback).map(([name, usual]) => {
    const given = form[name];
    return [name, typeof given === 'string' ? given.replaceAll('\r\n', '\n') : usual];
  });
  return Object.fromEntries(texts) as T;
}
