import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import type { Nodes, Root } from 'mdast';
import { describe, expect, it } from 'vitest';
import { ROOT, readFiles } from '../support/repository-files.ts';

interface Page {
  name: string;
  tree: Root;
}

const pages: Page[] = readFiles(['*.md', '{docs,bench,examples,deploy,test}/**/*.md']).map(
  ({ name, text }) => ({
    name,
    tree: fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }),
  }),
);

function* walk(node: Nodes): Generator<Nodes> {
  yield node;
  if ('children' in node) for (const child of node.children) yield* walk(child);
}

function textOf(node: Nodes): string {
  return [...walk(node)].map((part) => ('value' in part ? part.value : '')).join('');
}

/** How GitHub names a heading in an address. */
function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');
}

function anchorsOf({ tree }: Page): Set<string> {
  const seen = new Map<string, number>();
  const headings = [...walk(tree)].filter((node) => node.type === 'heading').map(textOf);
  return new Set(
    headings.map((heading) => {
      const name = slug(heading);
      const count = seen.get(name) ?? 0;
      seen.set(name, count + 1);
      return count === 0 ? name : `${name}-${count}`;
    }),
  );
}

function linksOf({ tree }: Page): string[] {
  return [...walk(tree)].flatMap((node) =>
    node.type === 'link' || node.type === 'image' || node.type === 'definition' ? [node.url] : [],
  );
}

const anchors = new Map(pages.map((page) => [page.name, anchorsOf(page)]));

/** What is wrong with a relative link; nothing for one that leads somewhere, or to another site. */
function fault(page: Page, url: string): string | undefined {
  if (/^[a-z][a-z+.-]*:/i.test(url)) return undefined;
  const [path = '', anchor] = url.split('#');
  const target = path === '' ? page.name : join(dirname(page.name), decodeURI(path));
  if (!existsSync(resolve(ROOT, target))) return `${page.name}: ${url} leads nowhere`;
  if (anchor === undefined || !target.endsWith('.md')) return undefined;
  return anchors.get(target)?.has(anchor) ? undefined : `${page.name}: ${url} has no such heading`;
}

describe('Markdown pages', () => {
  it('link only to files and headings that are there', () => {
    const links = pages.flatMap((page) => linksOf(page).map((url) => fault(page, url)));
    expect(links.length).toBeGreaterThan(50);
    expect(links.filter((text) => text !== undefined)).toEqual([]);
  });

  it.each(['docs', 'docs/design'])('of %s are all named in its README', (folder) => {
    const index = pages.find(({ name }) => name === `${folder}/README.md`);
    const named = index ? linksOf(index).map((url) => join(folder, url.split('#')[0] ?? '')) : [];
    const missing = pages
      .map(({ name }) => name)
      .filter((name) => dirname(name) === folder && name !== `${folder}/README.md`)
      .filter((name) => !named.includes(name));
    expect(missing.map((name) => relative(folder, name))).toEqual([]);
  });
});
