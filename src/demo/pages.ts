import { Hono } from 'hono';
import { html, raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import { request } from 'undici';
import { z } from 'zod';
import { gitPlaceOf, read, type StandInContext } from './context.ts';
import { gitText } from './git.ts';
import { manifestPages } from './manifest-pages.ts';
import { renderAsGithub } from './markdown.ts';
import { oauthRoutes } from './oauth.ts';
import { STYLE } from './page-style.ts';
import { DEMO_PEOPLE } from './seed.ts';

type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

const person = z.looseObject({ login: z.string() }).nullish();
const thread = z.looseObject({
  number: z.int(),
  title: z.string(),
  state: z.string(),
  body: z.string().nullish(),
  user: person,
  created_at: z.string(),
  /** Only pull requests have one. */
  head: z.unknown().optional(),
});
const comments = z.array(
  z.looseObject({ id: z.int(), body: z.string(), user: person, created_at: z.string() }),
);
const pull = z.looseObject({
  merged: z.boolean().optional(),
  head: z.looseObject({ ref: z.string(), sha: z.string() }),
  base: z.looseObject({ ref: z.string(), sha: z.string() }),
});
const reviews = z.array(
  z.looseObject({
    id: z.int(),
    node_id: z.string(),
    state: z.string(),
    body: z.string().nullish(),
    user: person,
    submitted_at: z.string().nullish(),
  }),
);
const lineComments = z.array(
  z.looseObject({
    id: z.int(),
    body: z.string(),
    path: z.string(),
    line: z.int().nullish(),
    pull_request_review_id: z.int().nullish(),
    user: person,
    created_at: z.string(),
  }),
);
const checks = z.looseObject({
  check_runs: z.array(
    z.looseObject({
      name: z.string(),
      status: z.string(),
      conclusion: z.string().nullish(),
      details_url: z.string().nullish(),
      output: z.looseObject({ title: z.string().nullish() }).nullish(),
    }),
  ),
});

const LINE_CLASS: Readonly<Record<string, string>> = { '+': 'added', '-': 'removed', '@': 'place' };

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
};

/** Pages for people who follow the demo's links: issues and pull requests. */
export function createThreadPages(context: StandInContext, clientSecret: string): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(HEADERS)) c.header(name, value);
  });
  app.get('/_standin.css', (c) => c.body(STYLE, 200, { 'content-type': 'text/css' }));
  app.get('/', (c) => {
    const links = [...context.state.refs.keys()].map(
      (name) => html`<li><a href="/${name}">${name}</a></li>`,
    );
    const list = html`<ul>
      ${links}
    </ul>`;
    return c.html(layout('Stand-in for github.com', list));
  });
  app.route('/login/oauth', oauthRoutes(context, clientSecret, layout));
  app.get('/:owner/:repo', async (c) => {
    const repository = `${c.req.param('owner')}/${c.req.param('repo')}`;
    if (!context.state.refs.has(repository)) return c.notFound();
    return c.html(layout(repository, await listView(context, repository)));
  });
  app.get('/:owner/:repo/:kind{issues|pull}/:number{[0-9]+}', async (c) => {
    const repository = `${c.req.param('owner')}/${c.req.param('repo')}`;
    const number = c.req.param('number');
    const view = await threadView(context, `/repos/${repository}/issues/${number}`);
    if (!view) return c.notFound();
    const changes = await pullView(context, repository, number);
    const said = changes
      ? await reviewsView(context, `/repos/${repository}/pulls/${number}`)
      : html``;
    const content = html`${view} ${said} ${commentForm(new URL(c.req.url).pathname)}
    ${changes ?? ''}`;
    return c.html(layout(`${repository}#${number}`, content));
  });
  app.post('/:owner/:repo/:kind{issues|pull}/:number{[0-9]+}/comments', async (c) => {
    // Only from our own page, because the comment is posted in somebody's name.
    if (c.req.header('origin') !== context.state.publicUrl) return c.text('Not from here.', 403);
    const { body } = await c.req.parseBody();
    if (typeof body !== 'string' || body.trim() === '') return c.text('Say something.', 400);
    const { owner, repo, number } = c.req.param();
    return c.redirect(await say(context, `/repos/${owner}/${repo}/issues/${number}`, body), 303);
  });
  manifestPages(app, context, layout);
  return app;
}

function layout(title: string, content: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
        <link rel="stylesheet" href="/_standin.css" />
      </head>
      <body>
        <header>
          <a href="/">Stand-in for github.com</a>
          <span>a local copy for the demo; nothing here leaves this machine</span>
        </header>
        <main>${content}</main>
      </body>
    </html>`;
}

function post(item: {
  user?: z.infer<typeof person>;
  created_at: string;
  body?: string | null | undefined;
  id?: number | undefined;
}): Html {
  return html`<article id="${item.id === undefined ? 'top' : `issuecomment-${item.id}`}">
    <p class="who"><b>${item.user?.login ?? 'ghost'}</b> <time>${item.created_at}</time></p>
    <div class="text">${raw(renderAsGithub(item.body ?? ''))}</div>
  </article>`;
}

function diffView(diff: string): Html {
  const lines = diff.split('\n').map((line) => {
    const kind = /^(\+\+\+|---)/.test(line) ? 'file' : (LINE_CLASS[line.charAt(0)] ?? 'same');
    return html`<span class="${kind}">${line} </span>`;
  });
  return html`<pre class="diff">${lines}</pre>`;
}

/** An issue, or the pull request with that number, which emulate does not return as an issue. */
async function threadView(context: StandInContext, base: string): Promise<Html | undefined> {
  const issue = await read(context, base);
  const found = thread.safeParse(
    issue ?? (await read(context, base.replace('/issues/', '/pulls/'))),
  );
  if (!found.success) return undefined;
  const { data } = found;
  const replies =
    comments.safeParse(await read(context, `${base}/comments?per_page=100`)).data ?? [];
  return html`<h1>${data.title} <small>#${data.number}</small></h1>
    <p class="state ${data.state}">${data.state}</p>
    ${post(data)} ${replies.map(post)}`;
}

/** The form in which a visitor comments as the maintainer. */
function commentForm(page: string): Html {
  const { login } = DEMO_PEOPLE.maintainer;
  return html`<form class="say" method="post" action="${page}/comments">
    <label for="body">Comment as <b>${login}</b></label>
    <textarea
      id="body"
      name="body"
      rows="3"
      required
      maxlength="65536"
      placeholder="/agent help"
    ></textarea>
    <button>Comment</button>
  </form>`;
}

/** Posts the comment through the API, as a person would. Returns its URL. */
async function say(context: StandInContext, issue: string, body: string): Promise<string> {
  const { tokens, publicUrl } = context.state;
  const { login } = DEMO_PEOPLE.maintainer;
  const [token = ''] =
    [...tokens].find(([, actor]) => actor.kind === 'user' && actor.login === login) ?? [];
  const answer = await request(`${publicUrl}${issue}/comments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ body }),
  });
  const said: unknown = await answer.body.json();
  return z.looseObject({ html_url: z.string() }).parse(said).html_url;
}

/** Reviews with their comments on lines, and whether those are resolved. */
async function reviewsView(context: StandInContext, path: string): Promise<Html> {
  const all = reviews.parse((await read(context, `${path}/reviews?per_page=100`)) ?? []);
  const lines = lineComments.parse((await read(context, `${path}/comments?per_page=100`)) ?? []);
  const { resolved, minimized } = context.state;
  const shown = all.map((review) => {
    const own = lines.filter((one) => one.pull_request_review_id === review.id);
    return html`<section class="review" id="pullrequestreview-${review.id}">
      <h2>Review, ${review.state.toLowerCase()}</h2>
      ${
        minimized.has(review.node_id)
          ? html`<p class="state">outdated: a later review took its place</p>`
          : post({ ...review, created_at: review.submitted_at ?? '', id: undefined })
      }
      ${own.map(
        (one) =>
          html`<p class="place" id="discussion_r${one.id}">
              <code>${one.path}</code> line ${one.line ?? '?'}
              ${resolved.has(one.id) ? html`<b>resolved</b>` : ''}
            </p>
            ${post({ ...one, id: undefined })}`,
      )}
    </section>`;
  });
  return html`${shown}`;
}

async function pullView(
  context: StandInContext,
  repository: string,
  number: string,
): Promise<Html | undefined> {
  const found = pull.safeParse(await read(context, `/repos/${repository}/pulls/${number}`));
  if (!found.success) return undefined;
  const { head, base } = found.data;
  const place = gitPlaceOf(context, repository);
  const diff = await gitText(place, ['diff', `${base.sha}...${head.sha}`]).catch(() => '');
  const runs = checks.safeParse(
    await read(context, `/repos/${repository}/commits/${head.sha}/check-runs`),
  );
  return html`<p><code>${head.ref}</code> into <code>${base.ref}</code></p>
    <ul class="checks">
      ${(runs.data?.check_runs ?? []).map(
        (run) =>
          html`<li>
            <b>${run.name}</b> ${run.conclusion ?? run.status} ${run.output?.title ?? ''}
            ${run.details_url ? html`<a href="${run.details_url}">details</a>` : ''}
          </li>`,
      )}
    </ul>
    ${diffView(diff)}`;
}

async function listView(context: StandInContext, repository: string): Promise<Html> {
  const list = async (kind: string): Promise<z.infer<typeof thread>[]> =>
    z
      .array(thread)
      .parse(await read(context, `/repos/${repository}/${kind}?state=all&per_page=100`));
  const all = [...(await list('issues')), ...(await list('pulls'))];
  return html`<h1>${repository}</h1>
    <ul>
      ${all.map((item) => {
        const kind = item.head ? 'pull' : 'issues';
        return html`<li>
          <a href="/${repository}/${kind}/${item.number}">#${item.number} ${item.title}</a>
          ${item.state}
        </li>`;
      })}
    </ul>`;
}
