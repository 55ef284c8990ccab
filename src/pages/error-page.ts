import type { Context } from 'hono';
import { html } from 'hono/html';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { ERROR_CATALOGUE, ProblemError } from '../contract/problem.ts';
import type { Html } from './html.ts';
import { keptWords, pageOfForm } from './kept-words.ts';
import { showPage, type PagesEnv } from './layout.ts';

interface Trouble {
  status: ContentfulStatusCode;
  title: string;
  /** What to do next. */
  advice: Html;
}

const BACK = html`<a class="button" href="/runs">See all runs</a>`;

const NOT_FOUND: Trouble = {
  status: 404,
  title: 'There is nothing here',
  advice: html`<p>The address is wrong, or what was here belongs to another team.</p>
    ${BACK}`,
};

const FORBIDDEN: Trouble = {
  status: 403,
  title: 'This form was not sent from our page',
  advice: html`<p>
      The form was too old or came from another site, so nothing was changed. Open the page again
      and repeat what you did.
    </p>
    ${BACK}`,
};

const TOO_LARGE: Trouble = {
  status: 413,
  title: 'That is too much at once',
  advice: html`<p>Nothing was changed. Go back and send a shorter text, or fewer images.</p>`,
};

const UNAVAILABLE: Trouble = {
  status: 503,
  title: 'The service is not available right now',
  advice: html`<p>
      The service cannot reach its database. Nothing is lost: runs that were accepted will go on.
      Reload this page in a few seconds.
    </p>
    ${BACK}`,
};

const BROKEN: Trouble = {
  status: 500,
  title: 'Something went wrong on our side',
  advice: html`<p>
      Reload the page. If this happens again, ask the people who run this service to check its log.
    </p>
    ${BACK}`,
};

/** What to show for anything that was thrown. */
export function troubleOf(error: unknown): Trouble {
  if (error instanceof ProblemError) return refused(error);
  return error instanceof HTTPException ? byStatus(error.status) : BROKEN;
}

export function notFound(): Trouble {
  return NOT_FOUND;
}

export async function errorPage(c: Context<PagesEnv>, trouble: Trouble): Promise<Response> {
  const kept = await keptWords(c);
  const body = html`<div class="narrow card">
    <p class="muted">${trouble.status}</p>
    <h1>${trouble.title}</h1>
    ${trouble.advice} ${kept}
    ${kept === '' ? '' : html`<a class="button" href="${pageOfForm(c)}">Open the page again</a>`}
  </div>`;
  if (trouble.status === 503) c.header('Retry-After', '5');
  return showPage(c, { title: trouble.title, body }, trouble.status);
}

function byStatus(status: number): Trouble {
  const known = [NOT_FOUND, FORBIDDEN, TOO_LARGE, UNAVAILABLE].find((it) => it.status === status);
  return known ?? BROKEN;
}

/** For readers who press a button, and for members who open an owners' page. */
function notAllowed(error: ProblemError): Trouble {
  return {
    status: 403,
    title: 'You may not do this',
    advice: html`<p>${error.details.detail} Ask an owner of your team.</p>
      ${BACK}`,
  };
}

function refused(error: ProblemError): Trouble {
  if (error.code === 'not_authorized') return notAllowed(error);
  const { status, title } = ERROR_CATALOGUE[error.code];
  const known = byStatus(status);
  if (known !== BROKEN || status >= 500) return known;
  return {
    status,
    title,
    advice: html`<p>${error.details.detail}</p>
      ${BACK}`,
  };
}
