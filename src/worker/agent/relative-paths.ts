import type { EntryDraft } from './translate.ts';

/**
 * Makes paths relative to the root of the workspace: nobody needs to know where it lies on this
 * machine.
 */
export function relativePaths(draft: EntryDraft, root: string): EntryDraft {
  if (draft.type === 'permission') return { ...draft, title: shorten(draft.title, root) };
  if (draft.type !== 'tool_call') return draft;
  const { title, paths, diff } = draft;
  return {
    ...draft,
    ...(title === undefined ? {} : { title: shorten(title, root) }),
    ...(paths === undefined ? {} : { paths: paths.map((path) => shorten(path, root)) }),
    ...(diff === undefined ? {} : { diff: { ...diff, path: shorten(diff.path, root) } }),
  };
}

export function shorten(text: string, root: string): string {
  return text === root ? '.' : text.replaceAll(`${root}/`, '');
}
