import type { FakeGithub } from './fake-github-shape.ts';
import type { Answer, Seen } from './fake-http.ts';

let last = 0;
export function addReaction(github: FakeGithub, seen: Seen, [kind, id]: string[]): Answer {
  const { content } = seen.body as { content: string };
  const on = `${kind}/${id}`;
  const known = github.reactions.find((one) => one.on === on && one.content === content);
  const reaction = known ?? { on, content };
  if (!known) github.reactions.push(reaction);
  return {
    status: known ? 200 : 201,
    json: { id: idOf(reaction), content, user: { login: github.login } },
  };
}

export function listReactions(github: FakeGithub, seen: Seen, [kind, id]: string[]): Answer {
  const all = github.reactions.filter(
    ({ on, content }) => on === `${kind}/${id}` && content === seen.query.get('content'),
  );
  const user = { login: github.login };
  return { status: 200, json: all.map((one) => ({ ...one, id: idOf(one), user })) };
}

export function removeReaction(github: FakeGithub, _: Seen, [id]: string[]): Answer {
  const at = github.reactions.findIndex((one) => idOf(one) === Number(id));
  if (at === -1) return { status: 404, json: { message: 'Not Found' } };
  github.reactions.splice(at, 1);
  return { status: 204 };
}

const ids = new WeakMap<object, number>();

/** GitHub's number of what has none here. */
export function idOf(thing: object): number {
  const id = ids.get(thing) ?? (last += 1);
  ids.set(thing, id);
  return id;
}
