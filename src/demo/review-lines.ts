/** A comment of a review, as sent by the client. */
export interface LineComment {
  path?: unknown;
  line?: unknown;
  side?: unknown;
  start_line?: unknown;
  start_side?: unknown;
}

interface DiffRow {
  /** Number of the hunk within the file. */
  hunk: number;
  left: number | undefined;
  right: number | undefined;
}

/**
 * GitHub's error for a comment that is not on lines of the diff, which does not say which comment;
 * undefined if it is accepted. `patches` are the diff's patches by file.
 */
export function faultOfLine(
  patches: ReadonlyMap<string, string>,
  { path, line, side = 'RIGHT', start_line, start_side = side }: LineComment,
): string | undefined {
  const patch = typeof path === 'string' ? patches.get(path) : undefined;
  if (patch === undefined) return 'Path could not be resolved';
  const rows = rowsOf(patch);
  const find = (at: unknown, where: unknown): DiffRow | undefined =>
    rows.find((row) => (where === 'LEFT' ? row.left : row.right) === at);
  const end = find(line, side);
  if (typeof line !== 'number' || !end) return 'Line could not be resolved';
  if (start_line === undefined || start_line === null) return undefined;
  const start = find(start_line, start_side);
  if (!start || start.hunk !== end.hunk) return 'Start line could not be resolved';
  return Number(start_line) < line ? undefined : 'start_line must precede the end line.';
}

function rowsOf(patch: string): DiffRow[] {
  let [left, right, hunk] = [0, 0, 0];
  return patch.split('\n').flatMap((text): DiffRow[] => {
    const places = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text);
    if (places) {
      [left, right, hunk] = [Number(places[1]), Number(places[2]), hunk + 1];
      return [];
    }
    if (text.startsWith('-')) return [{ hunk, left: left++, right: undefined }];
    if (text.startsWith('+')) return [{ hunk, left: undefined, right: right++ }];
    return text.startsWith(' ') ? [{ hunk, left: left++, right: right++ }] : [];
  });
}
