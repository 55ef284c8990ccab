import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { runCliCommand } from '../support/cli-process.ts';

const ROOT = resolve(import.meta.dirname, '../..');

it('--version says the package’s', async () => {
  const { version } = JSON.parse(readFileSync(resolve(ROOT, 'package.json'), 'utf8')) as {
    version: string;
  };
  expect(await runCliCommand(['--version'])).toEqual({
    code: 0,
    stdout: `${version}\n`,
    stderr: '',
  });
});

it('ends without a word when its reader has left', async () => {
  const child = spawn(process.execPath, ['src/cli/main.ts', '--help'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  await once(child, 'close');
  expect({ code: child.exitCode, stderr }).toEqual({ code: 141, stderr: '' });
});
