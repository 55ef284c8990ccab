import { structuredPatch } from 'diff';

export interface DiffLine {
  kind: 'add' | 'del' | 'same' | 'gap';
  text: string;
  /** Line numbers before and after the change. */
  old?: number;
  new?: number;
}

export interface FileDiff {
  path: string;
  /** Its first lines. */
  lines: DiffLine[];
  /** How many lines there are in all. */
  total: number;
}

/** A comparison that exceeds these limits gives up. */
const COMPARE = { context: 3, maxEditLength: 4000, timeout: 150 };
const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/;

/**
 * What an edit changed, with three lines of context; undefined if the texts differ too much. Call
 * it only on the thread of `page-jobs.ts`.
 */
export function compareTexts(oldText: string, newText: string): DiffLine[] | undefined {
  const patch = structuredPatch('', '', oldText, newText, '', '', COMPARE);
  return patch?.hunks.flatMap((hunk, index) => [
    ...(index > 0 ? [{ kind: 'gap' as const, text: '⋯' }] : []),
    ...numbered(hunk.lines, hunk.oldStart, hunk.newStart),
  ]);
}

/**
 * The file that a section of `git diff` is about: its new path, or the old one if it was deleted.
 */
function pathOf(header: string[]): string {
  const named = (prefix: string): string | undefined =>
    header.find((line) => line.startsWith(prefix))?.slice(prefix.length);
  const path =
    named('+++ b/') ??
    named('rename to ') ??
    named('--- a/') ??
    header[0]?.split(' b/').at(-1) ??
    '';
  return path.replace(/\t$/, '');
}

function readSection(whole: string, linesMax: number): FileDiff {
  const section = firstLines(whole, linesMax + HEADER_LINES);
  const lines = section.replace(/\n$/, '').split('\n');
  const firstHunk = lines.findIndex((line) => HUNK.test(line));
  const header = firstHunk === -1 ? lines : lines.slice(0, firstHunk);
  const binary = header.some((line) => line.startsWith('Binary files '));
  const shown: DiffLine[] = binary ? [{ kind: 'gap', text: 'Binary file' }] : [];
  let hunk: string[] = [];
  let [old, fresh] = [1, 1];
  for (const line of firstHunk === -1 ? [] : lines.slice(firstHunk)) {
    const start = HUNK.exec(line);
    if (!start) {
      hunk.push(line);
      continue;
    }
    shown.push(...numbered(hunk, old, fresh), { kind: 'gap', text: (start[3] ?? '').trim() });
    [hunk, old, fresh] = [[], Number(start[1]), Number(start[2])];
  }
  const all = [...shown, ...numbered(hunk, old, fresh)];
  const total = all.length + linesIn(whole.slice(section.length));
  return { path: pathOf(header), lines: all.slice(0, linesMax), total };
}

/** More lines than a section's header can have. */
const HEADER_LINES = 50;

/**
 * The first files of a `git diff`, with the first lines of each. If the diff was cut off, the last
 * file is shorter.
 */
export function readGitDiff(
  diff: string,
  { filesMax, linesMax }: { filesMax: number; linesMax: number },
): FileDiff[] {
  const sections = diff.split(/^(?=diff --git )/m).filter((it) => it.startsWith('diff --git '));
  return sections.slice(0, filesMax).map((section) => readSection(section, linesMax));
}

function firstLines(text: string, count: number): string {
  let end = 0;
  for (let left = count; left > 0; left -= 1) {
    end = text.indexOf('\n', end) + 1;
    if (end === 0) return text;
  }
  return text.slice(0, end);
}

function linesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

function numbered(lines: string[], oldStart: number, newStart: number): DiffLine[] {
  let [old, fresh] = [oldStart, newStart];
  return lines.flatMap((line): DiffLine[] => {
    const text = line.slice(1);
    if (line.startsWith('+')) return [{ kind: 'add', text, new: fresh++ }];
    if (line.startsWith('-')) return [{ kind: 'del', text, old: old++ }];
    if (line.startsWith('\\')) return [{ kind: 'gap', text: text.trim() }];
    return [{ kind: 'same', text, old: old++, new: fresh++ }];
  });
}
