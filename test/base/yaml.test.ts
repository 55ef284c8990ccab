import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { z } from 'zod';
import { RunlinkError } from '../../src/base/error.ts';
import { formatYamlIssue, parseYaml, readYaml } from '../../src/base/yaml.ts';

const schema = z.strictObject({
  name: z.string(),
  list: z.array(z.strictObject({ id: z.string().min(3, 'needs 3 characters') })).optional(),
});

function issuesOf(text: string): string[] {
  const result = parseYaml(text, schema);
  return result.ok ? [] : result.issues.map((issue) => formatYamlIssue('f.yaml', issue));
}

describe('reading YAML by a schema', () => {
  it('gives the data of a valid text', () => {
    expect(readYaml('name: a\nlist:\n  - id: abc\n', schema, 'f.yaml')).toEqual({
      name: 'a',
      list: [{ id: 'abc' }],
    });
  });

  it('points at the value that is wrong', () => {
    expect(issuesOf('name: a\nlist:\n  - id: abc\n  - id: x\n')).toEqual([
      'f.yaml:4:9: list[1].id: needs 3 characters',
    ]);
  });

  it('points at the mapping that lacks a key, and at a key without a value', () => {
    expect(issuesOf('name: a\nlist:\n  - {}\n')[0]).toMatch(/^f\.yaml:3:5: list\[0\]\.id: /);
    expect(issuesOf('list: []\nname:\n')[0]).toMatch(/^f\.yaml:2:1: name: /);
  });

  it('points at every key it does not know', () => {
    expect(issuesOf('name: a\nnmae: b\nlist:\n  - id: abc\n    extra: 1\n')).toEqual([
      'f.yaml:5:5: list[0].extra: is not a known setting',
      'f.yaml:2:1: nmae: is not a known setting',
    ]);
  });

  it('points at broken syntax, a key given twice and an unknown tag', () => {
    expect(issuesOf('name: "a\n')[0]).toMatch(/^f\.yaml:2:1: /);
    expect(issuesOf('name: a\nname: b\n')[0]).toMatch(/^f\.yaml:2:1: .*twice/);
    expect(issuesOf('name: !!js/function a\n')[0]).toMatch(/^f\.yaml:1:7: .*tag/);
  });

  it('takes an empty text as an empty mapping', () => {
    expect(parseYaml('# nothing\n', z.object({ a: z.string().default('x') }))).toEqual({
      ok: true,
      value: { a: 'x' },
    });
  });

  it('refuses a document whose aliases explode, and one that is too long', () => {
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]'];
    for (const [name, from] of Object.entries({ b: 'a', c: 'b', d: 'c', e: 'd' }))
      bomb.push(`${name}: &${name} [${Array(9).fill(`*${from}`).join(',')}]`);
    expect(parseYaml(bomb.join('\n'), z.unknown()).ok).toBe(false);
    expect(issuesOf('#'.repeat(1024 * 1024 + 1))[0]).toMatch(/^f\.yaml:1:1: is longer/);
  });

  it('is quick with thousands of keys or of faults, and names the first hundred', () => {
    const keys = Array.from({ length: 20_000 }, (_, n) => `k${n}: 1`).join('\n');
    expect(issuesOf(keys)).toHaveLength(101);
    expect(issuesOf('a: b: c\n'.repeat(3000))).toHaveLength(100);
    expect(issuesOf(`${keys}\nk0: 2`)).toEqual([
      expect.stringMatching(/^f\.yaml:20001:1: .*twice/),
    ]);
  });

  it('throws one line per fault', () => {
    const read = () => readYaml('list:\n  - id: x\n', schema, 'runlink.yaml');
    expect(read).toThrow(RunlinkError);
    expect(read).toThrow(/^runlink\.yaml:1:1: name: .*\nrunlink\.yaml:2:9: list\[0\]\.id: /);
  });

  it('reads back whatever was written', () => {
    const readsBack = fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (data) => {
      const clean = JSON.parse(JSON.stringify(data)) as unknown;
      expect(parseYaml(stringify(clean), z.unknown())).toEqual({ ok: true, value: clean });
    });
    expect(fc.check(readsBack)).toMatchObject({ failed: false });
  });

  it('never throws, and places every fault inside the text', () => {
    const misplaced = (text: string): number => {
      const result = parseYaml(text, schema);
      const lines = text.split('\n').length;
      return result.ok ? 0 : result.issues.filter(({ line }) => line < 1 || line > lines).length;
    };
    expect(
      fc.check(fc.property(fc.string({ unit: 'binary' }), (text) => misplaced(text) === 0)),
    ).toMatchObject({ failed: false });
  });
});
