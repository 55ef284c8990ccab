import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readYaml } from '../../src/base/yaml.ts';
import { operatorConfig } from '../../src/config/operator-config.ts';
import {
  agentsTable,
  callersTable,
  endpointsTable,
  errorsTable,
  inputKey,
  inputsTable,
  publicInputs,
  reasonsTable,
  regenerate,
  sdkInputs,
  settingsTable,
} from '../support/generated-docs.ts';
import { readSdk } from '../support/sdk-types.ts';

const pathOf = (name: string): string => join(import.meta.dirname, '../../docs', name);

describe('the documentation (update: npm run generate)', () => {
  it('lists every endpoint and error code as the contract has them', async () => {
    const file = pathOf('api.md');
    const text = await readFile(file, 'utf8');
    const tables = {
      endpoints: endpointsTable(),
      callers: callersTable(),
      errors: errorsTable(),
      inputs: inputsTable(await readSdk()),
    };
    const current = Object.entries(tables).reduce((now, made) => regenerate(now, ...made), text);
    await expect(current).toMatchFileSnapshot(file);
  });

  it('says of every input of the public SDK what becomes of it', async () => {
    const known = new Set(publicInputs().map(inputKey));
    const unknown = sdkInputs(await readSdk()).filter((input) => !known.has(inputKey(input)));
    expect(unknown).toEqual([]);
  });

  it('lists every setting of runlink.yaml as its schema has it', async () => {
    const file = pathOf('configuration.md');
    const text = await readFile(file, 'utf8');
    await expect(regenerate(text, 'settings', settingsTable())).toMatchFileSnapshot(file);
  });

  it('lists every reason code of both faces', async () => {
    const file = pathOf('reason-codes.md');
    const text = await readFile(file, 'utf8');
    await expect(regenerate(text, 'reasons', reasonsTable())).toMatchFileSnapshot(file);
  });

  it('lists every agent as its profile has it', async () => {
    const file = pathOf('agents.md');
    const text = await readFile(file, 'utf8');
    await expect(regenerate(text, 'agents', agentsTable())).toMatchFileSnapshot(file);
  });

  it('shows only configurations that are valid', async () => {
    const text = await readFile(pathOf('configuration.md'), 'utf8');
    const examples = [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = '']) => yaml);
    expect(examples.length).toBeGreaterThan(1);
    for (const yaml of examples)
      expect(() => readYaml(yaml, operatorConfig, 'docs/configuration.md')).not.toThrow();
  });
});
