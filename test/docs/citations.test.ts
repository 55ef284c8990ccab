import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, readFiles, type RepositoryFile } from '../support/repository-files.ts';

const CITING = ['{src,test,bench,examples,docs,deploy}/**/*.{ts,js,css,md,yml,yaml}', '*.{md,yml}'];
/** One or more places after the page's name: `4.2`, `4.2, 7`, `G1, G13`, `D2`, `"Follow-ups"`. */
const PLACE = String.raw`(?:\d[\d.]*\d|\d|[A-Z]\d+|"[^"]+")`;
const CITATION = new RegExp(
  String.raw`(?<![\w./-])([a-z][a-z-]*)\.md(?:,? (${PLACE}(?:, ${PLACE})*))?`,
  'g',
);

const pages = new Map(
  readFiles(['docs/design/*.md']).map(({ name, text }) => [
    name.slice('docs/design/'.length, -'.md'.length),
    placesOf(text),
  ]),
);

/**
 * What a citation of this page can name: section numbers, numbers of threats and decisions,
 * headings.
 */
function placesOf(text: string): Set<string> {
  const headings = [...text.matchAll(/^#{2,} (.+)$/gm)].map((match) => match[1] ?? '');
  const numbered = headings.map((heading) => /^(\d[\d.]*?|[A-Z]\d+)\.? /.exec(heading)?.[1] ?? '');
  const rows = [...text.matchAll(/^\| ([A-Z]\d+) \|/gm)].map((match) => match[1] ?? '');
  return new Set([...numbered, ...rows, ...headings.map((heading) => `"${heading}"`)]);
}

/** Comments and paragraphs as one line each, Markdown links left out: other tests follow those. */
function flat({ name, text }: RepositoryFile): string {
  const prose = name.endsWith('.md') ? text.replaceAll(/\[[^\]]*\]\([^)]*\)/g, '') : text;
  return prose.replaceAll(/\n\s*(?:\*|\/\/)? ?/g, ' ').replaceAll(String.raw`\"`, '"');
}

/** A page's name as a value of the program, such as `'agents.md'`, cites nothing. */
const IS_VALUE = /['"`]$/;

interface Citation {
  file: string;
  page: string;
  places: string[];
}

function citationsOf(file: RepositoryFile): Citation[] {
  const text = flat(file);
  return [...text.matchAll(CITATION)]
    .filter(
      ({ 1: page = '', 2: places, index }) =>
        places !== undefined || (pages.has(page) && !IS_VALUE.test(text.slice(0, index))),
    )
    .map(([, page = '', places = '']) => ({
      file: file.name,
      page,
      places: [...places.matchAll(new RegExp(PLACE, 'g'))].map(([place]) => place),
    }));
}

function fault({ file, page, places }: Citation): string | undefined {
  const known = pages.get(page);
  if (!known) return `${file}: there is no docs/design/${page}.md`;
  if (places.length === 0) return `${file}: ${page}.md is cited without a place in it`;
  const missing = places.filter((place) => !known.has(place));
  return missing.length === 0 ? undefined : `${file}: ${page}.md has no ${missing.join(', ')}`;
}

const files = readFiles(CITING);
const citations = files.flatMap(citationsOf);

describe('citations of docs/design', () => {
  it('are found at all', () => {
    expect(citations.length).toBeGreaterThan(250);
    expect(new Set(citations.map(({ page }) => page))).toEqual(
      new Set([...pages.keys()].filter((page) => page !== 'README')),
    );
  });

  it('lead to a page, a section, a threat, a decision or a heading that is there', () => {
    expect(citations.map(fault).filter((text) => text !== undefined)).toEqual([]);
  });

  it('of other pages name files that are there', () => {
    const named = new Set(readFiles(['docs/**/*.md', 'bench/**/*.md']).map(({ name }) => name));
    const missing = files.flatMap((file) =>
      [...file.text.matchAll(/(?<![\w./-])(?:docs|bench)\/[\w/-]+\.md/g)]
        .filter(([path]) => !named.has(path))
        .map(([path]) => `${file.name}: ${path}`),
    );
    expect(missing).toEqual([]);
  });
});

it('each decision says what, why, what was measured, and what would change it', () => {
  const text = readFiles(['docs/design/decisions.md'])[0]?.text ?? '';
  const [, ...decisions] = text.split(/^### /m);
  const parts = ['What', 'Why', 'Measured', 'Would change it'];
  const missing = decisions.flatMap((decision) =>
    parts
      .filter((part) => !decision.includes(`**${part}.**`))
      .map((part) => [decision.slice(0, 3), part]),
  );
  expect(decisions.length).toBeGreaterThan(25);
  expect(missing).toEqual([]);
});

describe('docs/design/threats.md', () => {
  const path = resolve(ROOT, 'docs/design/threats.md');
  const ROW = /^(\| ([GS]\d+) \|.*\|)[^|]*\|$/gm;

  /** The tests that cite a threat, as `folder/name`. */
  function shownBy(threat: string): string {
    const citing = citations
      .filter(({ file, page }) => page === 'threats' && /^test\/.*\.test\.ts$/.test(file))
      .filter(({ places }) => places.includes(threat))
      .map(({ file }) => file.slice('test/'.length, -'.test.ts'.length));
    return [...new Set(citing)].map((name) => `\`${name}\``).join(', ') || 'nothing yet';
  }

  it('has every number once, without a gap', async () => {
    const numbers = [...(await readFile(path, 'utf8')).matchAll(ROW)].map((match) => match[2]);
    const upTo = (letter: string): string[] =>
      numbers
        .filter((number) => number?.startsWith(letter))
        .map((_, index) => `${letter}${index + 1}`);
    expect(numbers).toEqual([...upTo('G'), ...upTo('S')]);
    expect(numbers.length).toBeGreaterThan(30);
  });

  it('names the tests that cite each threat (update: npm run generate)', async () => {
    const text = await readFile(path, 'utf8');
    const current = text.replaceAll(
      ROW,
      (_, row: string, threat: string) => `${row} ${shownBy(threat)} |`,
    );
    await expect(current).toMatchFileSnapshot(path);
  });
});
