import { trimEnd } from '../../base/trim-end.ts';

const SLUG_MAX = 40;

/** `runlink/<slug>-<short id>`: readable, unique to the run, always a valid ref. */
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

/** The last twelve hex digits: of a time-ordered id these are the random ones. */
export function branchId(runId: string): string {
  const hex = runId.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();
  return hex.slice(-12) || 'run';
}
