import { z } from 'zod';
import { RunlinkError } from '../base/error.ts';
import { gitIn, gitText, type GitPlace } from './git.ts';
import type { Emulator } from './upstream.ts';

const created = z.object({ sha: z.string() });
const FIELDS = ['%T', '%P', '%an', '%ae', '%aI', '%cn', '%ce', '%cI', '%B'].join('%x00');

interface Target {
  upstream: Emulator;
  place: GitPlace;
  /** `owner/name`. */
  repository: string;
  /** Objects that the emulator already has. */
  known: Set<string>;
}

/** Copies a commit with everything that it needs from the bare repository to the emulator. */
export async function copyCommits(target: Target, tip: string): Promise<void> {
  const list = await gitText(target.place, ['rev-list', '--reverse', '--topo-order', tip]);
  for (const sha of list.split('\n')) if (!target.known.has(sha)) await copyCommit(target, sha);
}

async function copyBlob(target: Target, sha: string): Promise<void> {
  if (target.known.has(sha)) return;
  const content = await gitIn(target.place, ['cat-file', 'blob', sha]);
  const body = { content: content.toString('base64'), encoding: 'base64' };
  await target.upstream.ask('POST', `/repos/${target.repository}/git/blobs`, body);
  target.known.add(sha);
}

async function copyTree(target: Target, sha: string): Promise<void> {
  if (target.known.has(sha)) return;
  const list = await gitText(target.place, ['ls-tree', '-r', '-z', sha]);
  const entries = list
    .split('\0')
    .filter(Boolean)
    .map((line) => {
      const [head = '', path = ''] = line.split('\t');
      const [mode = '', type = '', object = ''] = head.split(' ');
      return { path, mode, type, sha: object };
    });
  for (const entry of entries) if (entry.type === 'blob') await copyBlob(target, entry.sha);
  await target.upstream.ask('POST', `/repos/${target.repository}/git/trees`, { tree: entries });
  target.known.add(sha);
}

async function copyCommit(target: Target, sha: string): Promise<void> {
  const text = (await gitIn(target.place, ['show', '-s', `--format=${FIELDS}`, sha])).toString();
  const [tree = '', parents = '', an, ae, ad, cn, ce, cd, message = ''] = text.split('\0');
  await copyTree(target, tree);
  const answer = await target.upstream.ask('POST', `/repos/${target.repository}/git/commits`, {
    tree,
    parents: parents === '' ? [] : parents.split(' '),
    author: { name: an, email: ae, date: ad },
    committer: { name: cn, email: ce, date: cd },
    message: message.replace(/(?<!\n)\n+$/, '\n'),
  });
  const copy = created.parse(answer).sha;
  if (copy !== sha) {
    throw new RunlinkError('standin_commit', `Commit ${sha} cannot be shown.`, {
      hint: 'The stand-in only accepts unsigned commits with messages in UTF-8.',
    });
  }
  target.known.add(sha);
}
