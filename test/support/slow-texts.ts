import * as fc from 'fast-check';

/** Most that GitHub takes as the body of a comment. */
export const COMMENT_CHARS = 65_536;

/** The parts of these lines between `¶`. */
export function split(...lines: string[]): string[] {
  return lines.flatMap((line) => line.split('¶'));
}

/** What texts are made slow of: repeated, nested or never closed, each has held some parser up. */
export const ATOMS: readonly string[] = split(
  'a¶a ¶\n¶\t¶    a\n¶\r¶\r\n¶\u2028¶\0¶é¶😀¶\u200B¶\u202E¶_a*¶*a_¶***a¶a**b¶*a* ¶*',
  '**¶_¶__¶_.¶~a¶~~¶a~¶\\¶x\n===\n¶=\n¶---\n¶***\n¶# a\n¶a  \n¶a\\\n¶```\n¶~~~\n¶`',
  '``a¶`a` ¶- a\n¶  - a\n¶- [ ] a\n¶- - ¶1. 1. ¶1) ¶> ¶> > ¶>- ¶>¶*\n¶* ¶a|b\n-|-\n',
  '|-|\n¶| a\n| -\n¶|¶<!--¶-->¶<?¶<![CDATA[¶<!A¶</¶<¶>¶<a¶<a b="¶<div>\n¶<div>\n\n',
  '<img ¶<rp>¶<input type="checkbox"¶<a@b.c>¶![¶[¶](¶[[¶]]¶[a](¶[a](<¶[a](b "¶![a](b',
  '[a][b]¶[a]: b\n¶[a]:"\n¶[^a]¶[^a]: b\n¶[a]¶(((((¶&¶&#¶&amp;¶&#8203;¶@a¶a@b.c ¶a@',
  'www.¶www.a.b ¶http://¶http://a.b ¶https://a(¶https://github.com/a/b/issues/1 ¶#1',
  'GH-¶/agent ¶/agent\n¶/agent help\n¶--model ¶--a=¶--a="¶"¶\'¶:¶::¶##[¶\u001B[',
  '\u001B[31m¶\u001B[1;¶\u001B]¶\u009B¶$¶$\\a¶{{¶}}¶diff --git a b\n¶@@ -1 +1 @@\n',
  '+a\n¶-a\n¶\\\n¶%¶=¶;¶/¶//¶.¶-¶+',
);

/** `atom` again and again, `size` characters long. */
export function repeated(atom: string, size: number): string {
  return atom.repeat(Math.ceil(size / atom.length)).slice(0, size);
}

/**
 * Texts of one atom each, alone, behind a command, and before one: as an attacker would write them.
 */
export function slowTexts(size: number): { name: string; text: string }[] {
  return ATOMS.flatMap((atom) => {
    const many = repeated(atom, size - 20);
    return [
      { name: atom, text: many },
      { name: `/agent ${atom}`, text: `/agent ${many}` },
      { name: `${atom} /agent`, text: `${many}\n\n/agent fix it` },
    ];
  });
}

/** Any mixture of atoms, and pieces of one nested in another. */
export const slowMixture: fc.Arbitrary<string> = fc
  .array(fc.tuple(fc.constantFrom(...ATOMS), fc.integer({ min: 1, max: 40 })), { maxLength: 8 })
  .map((parts) => parts.map(([atom, times]) => atom.repeat(times)).join(''));
