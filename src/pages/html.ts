import type { html } from 'hono/html';

/** Escaped markup, as made by `html` of hono/html. Only strings and numbers may be put into it. */
export type Html = ReturnType<typeof html>;
