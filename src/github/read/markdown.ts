import type { Nodes } from 'mdast';

/** `node` and every node under it. */
export function* walk(node: Nodes): Generator<Nodes> {
  const open: Nodes[] = [node];
  for (let next = open.pop(); next; next = open.pop()) {
    yield next;
    if ('children' in next) open.push(...next.children.toReversed());
  }
}

/** Where a node stands in the source, as [start, end) in UTF-16 units. */
export function sourceRange(node: Nodes): [number, number] {
  return [node.position?.start.offset ?? 0, node.position?.end.offset ?? 0];
}

export interface Edit {
  start: number;
  end: number;
  text: string;
}

/** Applies edits; leaves out any that overlap one already applied. */
export function applyEdits(source: string, edits: Edit[]): string {
  const ordered = edits.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, text } of ordered) {
    if (start < at) continue;
    parts.push(source.slice(at, start), text);
    at = end;
  }
  return parts.join('') + source.slice(at);
}
