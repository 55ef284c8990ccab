import type { html } from 'hono/html';

/** Escaped markup, as `html` of hono/html makes it. Only strings and numbers may be put into it. */
export type Html = ReturnType<typeof html>;
