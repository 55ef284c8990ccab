import { expect, it, onTestFinished } from 'vitest';
import { readOutputSchema } from '../../src/action/output-schema.ts';
import { commentEvent, runOnThread, startWorld } from '../support/action-world.ts';
import { end, leftFile, now } from '../support/fake-service.ts';

const SCHEMA = JSON.stringify({
  type: 'object',
  required: ['verdict', 'findings'],
  properties: {
    verdict: { enum: ['good', 'bad'], pattern: '^(\\w+)+$' },
    findings: { type: 'array', items: { type: 'object', required: ['path'] } },
  },
});

/** A step whose run leaves these files. */
async function step(schema: string, files: Record<string, string>) {
  const world = await startWorld();
  onTestFinished(() => world.close());
  world.service.play = (run, service) => {
    const artifacts = Object.entries(files).map(([name, text]) => leftFile(service, name, text));
    end(service, run, 'SUCCEEDED', { artifacts });
  };
  const inputs = { 'output-schema': schema };
  return { ...(await world.run(commentEvent('/agent review it'), { inputs })), world };
}

it('what a run leaves in output.json becomes outputs', async () => {
  const left = { verdict: 'good', findings: [{ path: 'a.ts' }], '<<x\ny': 1, 'größe a.b': 2 };
  const id = '1234567890123456789';
  const text = `{"id": ${id}, ${JSON.stringify(left).slice(1)}`;
  const files = { 'output.json': text, 'other.json': '{}' };
  const { outputs, exitCode, stderr, world } = await step(SCHEMA, files);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(JSON.parse(outputs['result'] ?? '')).toEqual({ id, ...left });
  expect(outputs).toMatchObject({
    'result.id': id,
    'result.verdict': 'good',
    'result.findings': '[{"path":"a.ts"}]',
    'result.größe a.b': '2',
  });
  expect(Object.keys(outputs).filter((name) => name.startsWith('result.'))).toHaveLength(4);
  expect(JSON.parse(outputs['outcome'] ?? '')).toMatchObject({
    version: 1,
    result: { id, ...left },
  });
  expect(world.service.runs[0]?.prompt).toContain('output.json');
  expect(world.service.runs[0]?.prompt).toContain(SCHEMA);
});

it.each([
  ['is missing', {}, 'it left no output.json'],
  ['is not JSON', { 'output.json': '{"verdict": good}' }, '"verdict": good'],
  [
    'does not fit',
    { 'output.json': '{"verdict": "good", "findings": [{"path": "a"}, {}]}' },
    'at #/findings/1: Instance does not have required property "path"',
  ],
  [
    'is too deep',
    { 'output.json': '['.repeat(100_000) + ']'.repeat(100_000) },
    'nested more than 200',
  ],
  [
    'keeps a pattern busy for ever',
    { 'output.json': JSON.stringify({ verdict: `${'a'.repeat(50)}!`, findings: [] }) },
    'takes too long',
  ],
  ['is huge', { 'output.json': JSON.stringify('x'.repeat(600_000)) }, 'larger than 512 KB'],
])('a step fails and says where when output.json %s', async (_, files, words) => {
  const { outputs, exitCode, stdout, summary } = await step(SCHEMA, files);
  expect(exitCode).toBe(1);
  expect(outputs).toMatchObject({
    state: 'SUCCEEDED',
    'reason-code': 'output_invalid',
    result: '',
  });
  expect(stdout).toContain(words);
  expect(summary).toContain('output_invalid');
});

it.each([
  ['{"type": "object"', 'Expected'],
  ['schema.json', 'schema.json'],
  ['{"$ref": "#/$defs/none"}', '$ref #/$defs/none leads nowhere'],
  ['{"properties": {"a": {"items": {"$ref": "https://x.example/s"}}}}', 'none is fetched'],
  ['{"properties": {"a": {"pattern": "("}}}', '( is not a regular expression'],
  ['{"patternProperties": {"[": {}}}', '[ is not a regular expression'],
  ['{"allOf": [{"$ref": "#"}]}', 'go round in a circle'],
  ['{"type": "objekt"}', 'at #/type: expected one of null, boolean, object'],
  ['{"properties": {"a": {"required": "b"}}}', 'at #/properties/a/required: Invalid input'],
  ['{"anyOf": [true, 5]}', 'at #/anyOf/1: Invalid input: expected object'],
])('a schema that is none is refused before anything starts: %s', async (schema, words) => {
  const { exitCode, stdout, world } = await step(schema, {});
  expect(exitCode).toBe(1);
  expect(stdout).toContain('output-schema');
  expect(stdout).toContain(words);
  expect(world.service.seen).toEqual([]);
});

it('what may hold itself, and a result that is no object, are held against a schema', async () => {
  const schema =
    '{"$defs": {"tree": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}, "$ref": "#/$defs/tree"}';
  const fits = await step(schema, { 'output.json': '[[], [[]]]' });
  expect([fits.exitCode, fits.outputs['result']]).toEqual([0, '[[],[[]]]']);
  const wrong = await step(schema, { 'output.json': '[[], [5]]' });
  expect(wrong.stdout).toContain('at #/1/0: Instance type "number" is invalid.');
});

it('a result that the service does not hand out fails the step, and the comment still says how the run ended', async () => {
  const world = await startWorld();
  onTestFinished(() => world.close());
  world.service.play = (run, service) => {
    const artifact = leftFile(service, 'output.json', '{}');
    service.files = {};
    end(service, run, 'SUCCEEDED', { artifacts: [artifact] });
  };
  const inputs = { 'output-schema': SCHEMA };
  const { outputs } = await world.run(commentEvent('/agent review it'), { inputs });
  expect(outputs).toMatchObject({ state: 'SUCCEEDED', 'reason-code': 'output_invalid' });
  expect(world.github.comments.map(({ body }) => body).join()).not.toContain('nobody watches');
});

it('what an earlier execution left is no result of a follow-up, until it is left anew', async () => {
  const world = await startWorld();
  onTestFinished(() => world.close());
  const { service } = world;
  const run = await runOnThread(world, 'SUCCEEDED');
  const file = leftFile(service, 'output.json', '{"verdict": "good", "findings": []}');
  const data: Record<string, unknown> = file.data;
  run.artifacts.push({ ...file, created_at: '2026-01-01T00:00:00Z', data });
  const follow = async (id: number) => {
    const event = commentEvent('/agent judge again', { comment: { id, node_id: `IC_${id}` } });
    return world.run(event, { inputs: { 'output-schema': SCHEMA } });
  };
  service.play = (one) => end(service, one, 'SUCCEEDED', { executions: [{ queued_at: now() }] });
  const without = await follow(502);
  expect(without.outputs['reason-code']).toBe('output_invalid');
  expect(without.stdout).toContain('it left no output.json');
  service.play = (one) => {
    const executions = [{ queued_at: now() }];
    data['written_at'] = now();
    end(service, one, 'SUCCEEDED', { executions });
  };
  expect((await follow(503)).outputs['result.verdict']).toBe('good');
});

it('brackets in texts are no depth, and a byte order mark is no letter', async () => {
  const left = { verdict: 'good', findings: [], text: `\\"${'['.repeat(500)}` };
  const text = `\uFEFF${JSON.stringify(left)}`;
  const { exitCode, outputs } = await step(SCHEMA, { 'output.json': text });
  expect([exitCode, JSON.parse(outputs['result'] ?? '')]).toEqual([0, left]);
});

it('a list is no schema', async () => {
  await expect(readOutputSchema('[]')).rejects.toThrow('not an object');
});
