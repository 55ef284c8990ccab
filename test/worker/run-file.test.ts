import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newRunFile, readRunFile, writeRunFile } from '../../src/worker/lease/run-file.ts';
import { temporaryDirectory } from '../support/worker-bench.ts';

it('reads what it wrote, and what 0.1.0 wrote', async () => {
  const dir = temporaryDirectory();
  const file = newRunFile('run');
  await writeRunFile(dir, file);
  expect(await readRunFile(dir)).toEqual(file);
  const { process_marker: cookie, ...rest } = file;
  await writeFile(join(dir, 'run.json'), JSON.stringify({ ...rest, cookie }));
  expect(await readRunFile(dir)).toEqual(file);
  await writeFile(join(dir, 'run.json'), 'torn');
  expect(await readRunFile(dir)).toBeUndefined();
});
