import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSkill } from '../../../src/service/skills/read-skill.ts';

const PATH = '.claude/skills/review/SKILL.md';

describe('a SKILL.md', () => {
  it('is YAML front matter and the text below it', () => {
    const text =
      '---\nname: Review\ndescription: Reads a diff\nlicense: MIT\n---\n\n# Do it\n---\nx\n';
    expect(readSkill(PATH, text)).toEqual({
      path: PATH,
      name: 'Review',
      description: 'Reads a diff',
      content: '# Do it\n---\nx',
      error: null,
    });
  });

  it('may use Windows line ends', () => {
    expect(readSkill(PATH, '---\r\nname: a\r\ndescription: b\r\n---\r\nc')).toMatchObject({
      name: 'a',
      content: 'c',
      error: null,
    });
  });

  it.each([
    ['no front matter', '# Review\n', `${PATH}:1:1: has no YAML front matter`],
    ['front matter that never ends', '---\nname: a\n', `${PATH}:1:1: has no YAML front matter`],
    ['no description', '---\nname: a\n---\n', `${PATH}:2:1: description: is needed`],
    ['an empty name', '---\nname: ""\ndescription: b\n---\n', `${PATH}:2:7: name: is needed`],
    ['broken YAML', '---\nname: [\n---\n', `${PATH}:3:`],
  ])('with %s is listed under its folder with the error', (_, text, error) => {
    const skill = readSkill(PATH, text);
    expect(skill).toMatchObject({ name: 'review', description: '', content: '' });
    expect(skill.error?.slice(0, error.length)).toBe(error);
  });

  it('never throws', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string().map((inner) => `---\n${inner}\n---\n`),
    );
    const readable = fc.property(text, (given) => readSkill(PATH, given).path === PATH);
    expect(fc.check(readable)).toMatchObject({ failed: false });
  });
});
