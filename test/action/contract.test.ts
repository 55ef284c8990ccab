import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { INPUTS, type InputDefinition } from '../../src/action/inputs.ts';
import { OUTPUTS } from '../../src/action/outputs.ts';
import { renderActionFile, renderTables } from '../support/render-action.ts';

const inputs: [string, InputDefinition][] = Object.entries(INPUTS);
const ROOT = resolve(import.meta.dirname, '../..');

describe('action.yml and the code (update: npm run generate)', () => {
  it('name the same inputs with the same defaults, and the same outputs', () => {
    const file = parse(renderActionFile()) as {
      inputs: Record<string, { default?: string; description: string }>;
      outputs: Record<string, { description: string }>;
      runs: Record<string, string>;
    };
    expect(Object.keys(file.inputs)).toEqual(Object.keys(INPUTS));
    for (const [name, input] of Object.entries(file.inputs)) {
      const known = inputs.find(([one]) => one === name)?.[1];
      expect([name, input.default]).toEqual([name, known?.default]);
    }
    expect(Object.keys(file.outputs)).toEqual(Object.keys(OUTPUTS));
    expect(file.runs).toEqual({ using: 'node24', main: 'dist/index.js', post: 'dist/index.js' });
  });

  it('action.yml is what the tables render to', async () => {
    await expect(renderActionFile()).toMatchFileSnapshot('../../action.yml');
  });

  it('the documentation’s tables are what the tables render to', async () => {
    const docs = await readFile(resolve(ROOT, 'docs/action.md'), 'utf8');
    const current = docs.replace(
      /(<!-- tables -->\n)[\s\S]*?(<!-- \/tables -->)/,
      (_, open: string, close: string) => `${open}${renderTables().trim()}\n${close}`,
    );
    await expect(current).toMatchFileSnapshot('../../docs/action.md');
  });
});
