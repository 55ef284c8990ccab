import { z } from 'zod';
import { ask, listAll, splitRepository, statusOf, type Github } from './octokit.ts';

/** Lines of a file that a comment is for. */
export interface LinePlace {
  path: string;
  line: number;
  startLine: number | undefined;
  side: 'LEFT' | 'RIGHT';
}

/** The lines of a pull request's diff on which GitHub accepts comments. */
export interface DiffLines {
  /** By the current name of the file. */
  hunks: ReadonlyMap<string, readonly Hunk[]>;
  /** Current names, by the old ones. */
  renamed: ReadonlyMap<string, string>;
}

/** First and last line of a hunk on the right, and its deleted lines on the left. */
interface Hunk {
  right: readonly [first: number, last: number];
  deleted: ReadonlySet<number>;
}

const file = z.object({
  filename: z.string(),
  previous_filename: z.string().optional(),
  /** Missing for binary files and very large diffs. */
  patch: z.string().optional(),
});
const files = z.array(file);
const compared = z.object({ files: files.default([]) });

/**
 * The diff for a review of this commit: the pull request's own if the commit is its head, otherwise
 * the comparison of the commit with the base. Empty if GitHub no longer has the commit.
 */
export async function readDiffLines(
  github: Github,
  pull: { repository: string; number: number; headSha: string; baseSha: string },
  sha: string,
): Promise<DiffLines> {
  const listed =
    sha === pull.headSha ? await listFiles(github, pull) : await compareFiles(github, pull, sha);
  const hunks = new Map(listed.map(({ filename, patch }) => [filename, readHunks(patch ?? '')]));
  const renamed = listed.flatMap(({ filename, previous_filename: before }): [string, string][] =>
    before === undefined || hunks.has(before) ? [] : [[before, filename]],
  );
  return { hunks, renamed: new Map(renamed) };
}

async function listFiles(
  github: Github,
  { repository, number }: { repository: string; number: number },
): Promise<z.output<typeof files>> {
  const route = 'GET /repos/{owner}/{repo}/pulls/{number}/files';
  return files.parse(await listAll(github, route, { ...splitRepository(repository), number }));
}

async function compareFiles(
  github: Github,
  { repository, baseSha }: { repository: string; baseSha: string },
  sha: string,
): Promise<z.output<typeof files>> {
  const route = 'GET /repos/{owner}/{repo}/compare/{basehead}';
  try {
    const query = { ...splitRepository(repository), basehead: `${baseSha}...${sha}`, per_page: 1 };
    return compared.parse(await ask(github, route, query)).files;
  } catch (error) {
    if (statusOf(error) === 404) return [];
    throw error;
  }
}

const HEADER = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

function readHunks(patch: string): Hunk[] {
  const hunks: Hunk[] = [];
  let [left, right] = [0, 0];
  let open: { first: number; deleted: Set<number> } | undefined;
  const close = (): void => {
    if (open) hunks.push({ right: [open.first, right - 1], deleted: open.deleted });
  };
  for (const row of patch.split('\n')) {
    const [, oldStart, newStart] = HEADER.exec(row) ?? [];
    if (oldStart !== undefined) {
      close();
      [left, right] = [Number(oldStart), Number(newStart)];
      open = { first: right, deleted: new Set() };
    } else if (row.startsWith('-')) {
      open?.deleted.add(left);
      left += 1;
    } else if (row.startsWith('+')) right += 1;
    else if (row.startsWith(' ')) [left, right] = [left + 1, right + 1];
  }
  close();
  return hunks;
}

/**
 * Whether GitHub accepts a comment there: all its lines must be in one hunk (github.md, "Reviews").
 */
export function isInDiff(
  { hunks }: DiffLines,
  { path, line, startLine, side }: LinePlace,
): boolean {
  const first = startLine ?? line;
  return (hunks.get(path) ?? []).some(({ right, deleted }) =>
    side === 'RIGHT'
      ? right[0] <= first && line <= right[1]
      : deleted.has(first) && deleted.has(line),
  );
}
