import { trimEnd } from '../../base/trim-end.ts';

const SLUG_MAX = 40;

/** Returns `runlink/<slug>-<short id>`: readable, unique to the run, and always a valid ref. */
export function branchName(title: string, runId: string): string {
  const slug = title
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG_MAX)
    .replace(/^-/, '');
  const short = trimEnd(slug, '-');
  return `runlink/${short === '' ? 'run' : short}-${branchId(runId)}`;
}

/** The last twelve hex digits: in a time-ordered id these are random. */
export function branchId(runId: string): string {
  const hex = runId.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();
  return hex.slice(-12) || 'run';
}
