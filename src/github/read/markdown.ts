import type { Nodes, Root } from 'mdast';

/** Parses GitHub-flavoured Markdown. Loaded on first use: paths without a command pay nothing. */
export async function parseMarkdown(source: string): Promise<Root> {
  return (await import('./parse-markdown.ts')).parseMarkdown(source);
}

/** Every node under `node`, itself first. */
export function* walk(node: Nodes): Generator<Nodes> {
  yield node;
  if ('children' in node) for (const child of node.children) yield* walk(child);
}

/** Where a node stands in the source, as [start, end) in UTF-16 units. */
export function span(node: Nodes): [number, number] {
  return [node.position?.start.offset ?? 0, node.position?.end.offset ?? 0];
}
