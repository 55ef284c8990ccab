import { z } from 'zod';
import type { StandInActor } from './actor.ts';
import { loginOf, gitPlaceOf, read, type StandInContext } from './context.ts';
import { gitText } from './git.ts';
import { copyCommits } from './git-objects.ts';
import { refsOf } from './state.ts';

const NO_COMMIT = '0'.repeat(40);
const pulls = z.array(z.looseObject({ number: z.int(), head: z.looseObject({ sha: z.string() }) }));

/** A branch or tag that moved; an empty side means that it did not, or does not, exist. */
export interface RefChange {
  actor: StandInActor;
  repository: string;
  ref: string;
  before: string;
  after: string;
}

interface Moved {
  pull: z.infer<typeof pulls>[number];
  before: string;
}

/** Updates the emulator and the pull requests of a ref that moved; returns those pull requests. */
export async function followRef(context: StandInContext, change: RefChange): Promise<Moved[]> {
  await mirrorRef(context, change);
  return movePulls(context, change);
}

async function pushedCommits(context: StandInContext, change: RefChange): Promise<unknown[]> {
  if (change.after === '') return [];
  const range = change.before === '' ? change.after : `${change.before}..${change.after}`;
  const format = ['%H', '%T', '%an', '%ae', '%aI', '%B'].join('%x00');
  const place = gitPlaceOf(context, change.repository);
  const words = ['log', '--reverse', '-z', '-n', '20', `--format=${format}%x01`, range];
  const text = await gitText(place, words);
  return text
    .split('\u0001')
    .map((item) => item.replace(/^\0/, '').split('\0'))
    .filter(([id]) => id)
    .map(([id, tree, name, email, timestamp, message]) => ({
      id,
      tree_id: tree,
      message: message?.trimEnd(),
      timestamp,
      author: { name, email },
      committer: { name, email },
      distinct: true,
      added: [],
      removed: [],
      modified: [],
      url: `${context.state.publicUrl}/${change.repository}/commit/${id}`,
    }));
}

/** An actor as payloads show it. */
export async function senderOf(context: StandInContext, actor: StandInActor): Promise<unknown> {
  const login = loginOf(actor);
  const stranger = { login, id: 0, node_id: '', type: actor.kind === 'user' ? 'User' : 'Bot' };
  return (await read(context, `/users/${encodeURIComponent(login)}`)) ?? stranger;
}

/** Sends the App the events for a push and for the pull requests that it moved. */
export async function announceRef(
  context: StandInContext,
  change: RefChange,
  moved: readonly Moved[],
): Promise<void> {
  const { deliveries, state } = context;
  const repository = await read(context, `/repos/${change.repository}`);
  const sender = await senderOf(context, change.actor);
  const commits = await pushedCommits(context, change);
  const before = change.before || NO_COMMIT;
  const after = change.after || NO_COMMIT;
  await deliveries.emit('push', {
    ref: change.ref,
    before,
    after,
    created: change.before === '',
    deleted: change.after === '',
    forced: false,
    base_ref: null,
    compare: `${state.publicUrl}/${change.repository}/compare/${before.slice(0, 12)}...${after.slice(0, 12)}`,
    commits,
    head_commit: commits.at(-1) ?? null,
    pusher: { name: loginOf(change.actor), email: `${loginOf(change.actor)}@example.com` },
    repository,
    sender,
  });
  for (const { pull, before: previous } of moved) {
    await deliveries.emit('pull_request', {
      action: 'synchronize',
      number: pull.number,
      before: previous,
      after: change.after,
      pull_request: await read(context, `/repos/${change.repository}/pulls/${pull.number}`),
      repository,
      sender,
    });
  }
}

/** Finds what has changed in a bare repository since the last look, and tells the App. */
export async function takeIn(
  context: StandInContext,
  actor: StandInActor,
  repository: string,
  present: ReadonlyMap<string, string>,
): Promise<void> {
  const known = refsOf(context.state, repository);
  const names = new Set([...present.keys(), ...known.keys()]);
  for (const ref of names) {
    const [before, after] = [known.get(ref) ?? '', present.get(ref) ?? ''];
    if (before === after) continue;
    const change: RefChange = { actor, repository, ref, before, after };
    await context.journal.append({ type: 'ref', at: new Date().toISOString(), ...change });
    await announceRef(context, change, await followRef(context, change));
  }
}

async function mirrorRef(context: StandInContext, change: RefChange): Promise<void> {
  const { repository, ref, after } = change;
  const refs = refsOf(context.state, repository);
  const name = ref.slice('refs/'.length);
  const base = `/repos/${repository}/git/refs`;
  if (after === '') {
    if (refs.delete(ref)) await context.upstream.ask('DELETE', `${base}/${name}`);
    return;
  }
  const place = gitPlaceOf(context, repository);
  await copyCommits({ upstream: context.upstream, place, repository, known: context.known }, after);
  if (refs.has(ref)) {
    await context.upstream.ask('PATCH', `${base}/${name}`, { sha: after, force: true });
  } else await context.upstream.ask('POST', base, { ref, sha: after });
  refs.set(ref, after);
}

async function movePulls(context: StandInContext, change: RefChange): Promise<Moved[]> {
  const { repository, ref, after } = change;
  const branch = ref.replace('refs/heads/', '');
  if (branch === ref || after === '') return [];
  const owner = repository.split('/')[0];
  const query = new URLSearchParams({ state: 'open', head: `${owner}:${branch}` });
  const found = await context.upstream.ask('GET', `/repos/${repository}/pulls?${String(query)}`);
  return pulls.parse(found).flatMap((pull) => {
    const key = `${repository}#${pull.number}`;
    const before = context.state.pullHeads.get(key) ?? pull.head.sha;
    context.state.pullHeads.set(key, after);
    return before === after ? [] : [{ pull, before }];
  });
}
