import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseYaml } from '../../src/base/yaml.ts';
import { repositoryConfigSchema } from '../../src/app/config/json-schema.ts';
import { DEFAULT_CONFIG, repositoryConfig } from '../../src/app/config/schema.ts';

const EXAMPLE = readFileSync(resolve(import.meta.dirname, '../../examples/runlink.yml'), 'utf8');
const PUBLISHED = resolve(import.meta.dirname, '../../docs/runlink-yml.schema.json');

describe('.github/runlink.yml', () => {
  it('needs nothing: everything has a default', () => {
    expect(DEFAULT_CONFIG).toMatchObject({ 'when-busy': 'follow-up', 'allow-forks': false });
  });

  it('is described by the published schema as the code reads it (update: npm run generate)', async () => {
    const schema = `${JSON.stringify(repositoryConfigSchema(), undefined, 2)}\n`;
    await expect(schema).toMatchFileSnapshot(PUBLISHED);
    const validate = new Ajv({ strict: false }).compile(repositoryConfigSchema());
    validate(parse(EXAMPLE));
    expect(validate.errors).toBeNull();
    expect(parseYaml(EXAMPLE, repositoryConfig)).toMatchObject({ ok: true });
  });

  it.for(Object.keys(repositoryConfig.shape))('%s stands in the example', (name) => {
    expect(EXAMPLE).toMatch(new RegExp(`^(?:# )?${name}:`, 'm'));
  });

  it('lets a trigger ask for a review without a command of its own', () => {
    const text = 'triggers:\n  - on: opened\n    command: review\n';
    expect(parseYaml(text, repositoryConfig)).toMatchObject({ ok: true });
  });

  it.each([
    ['commands:\n  Fix:\n    prompt: x\n', 3, 'lower-case'],
    ['commands:\n  status:\n    prompt: x\n', 3, 'a command of Runlink itself'],
    ['commands:\n  fix:\n    description: no prompt\n', 3, 'needs a prompt or a skill'],
    ['when-busy: queue\n', 1, 'follow-up'],
    ['allow-forks: yes please\n', 1, 'boolean'],
    ['users: ["*"]\n', 1, 'exactly one login'],
    ['triggers:\n  - on: label\n    label: agent\n    command: nope\n', 4, 'no command "nope"'],
    ['colour: blue\n', 1, 'not a known setting'],
  ])('places the fault of %j', (text, line, message) => {
    const parsed = parseYaml(text, repositoryConfig);
    if (parsed.ok) throw new Error('was read');
    expect(parsed.issues[0]?.line).toBe(line);
    expect(parsed.issues.map((issue) => issue.message).join()).toContain(message);
  });
});
