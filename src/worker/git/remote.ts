import { hash } from 'node:crypto';
import { RunlinkError } from '../../base/error.ts';
import type { GitProtocol } from './git.ts';

export interface GitRemote {
  url: string;
  transports: readonly GitProtocol[];
  /** A unique directory name for this remote. */
  slug: string;
}

const NAME = /^[A-Za-z0-9_.][A-Za-z0-9_.-]{0,99}$/;
const SCP_LIKE = /^[A-Za-z0-9_][A-Za-z0-9_.-]*@[A-Za-z0-9][A-Za-z0-9.-]*:[^-].*$/;

/**
 * Throws `bad_remote` for names that git could take for an option, or that would lead out of their
 * directory.
 */
export function assertName(name: string): string {
  if (!NAME.test(name) || name === '.' || name === '..')
    throw new RunlinkError('bad_remote', `"${name}" cannot be the name of a repository.`);
  return name;
}

/**
 * A repository's remote, if its transport is allowed: https and ssh always, http and local paths
 * only if the operator turned them on (threats.md S6). Throws `bad_remote`.
 */
export function readRemote(
  repository: { owner: string; name: string; clone_url: string },
  allowInsecure: boolean,
): GitRemote {
  const { owner, name, clone_url: url } = repository;
  assertName(owner);
  assertName(name);
  const transports = transportsOf(url, allowInsecure);
  const digest = hash('sha256', url).slice(0, 16);
  return { url, transports, slug: `${owner}__${name}-${digest}`.toLowerCase() };
}

const BY_PROTOCOL: Readonly<Record<string, GitProtocol>> = {
  'https:': 'https',
  'ssh:': 'ssh',
  'http:': 'http',
  'file:': 'file',
};

function transportOf(url: string): GitProtocol | undefined {
  if (url.startsWith('/')) return 'file';
  const parsed = URL.parse(url);
  if (!parsed || parsed.password !== '' || parsed.hostname.startsWith('-')) return undefined;
  return BY_PROTOCOL[parsed.protocol];
}

function transportsOf(url: string, allowInsecure: boolean): readonly GitProtocol[] {
  const transport = SCP_LIKE.test(url) ? 'ssh' : transportOf(url);
  if (transport === 'https' || transport === 'ssh') return [transport];
  if (allowInsecure && transport !== undefined) return [transport];
  throw new RunlinkError('bad_remote', `The remote "${url.slice(0, 200)}" is not allowed.`, {
    hint: 'Remotes are https or ssh; others need `allow_insecure_remotes: true` in runlink.yaml.',
  });
}
