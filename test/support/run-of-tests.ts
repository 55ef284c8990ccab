import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureEmbeddedServer } from '../../src/database/embedded-server.ts';
import setup from './test-run.ts';

/**
 * A test run in small, to be killed: its server, and processes of tests that left their parents.
 */
const given: { databaseDir?: string } = {};
const end = await setup({ provide: (name, value) => Object.assign(given, { [name]: value }) });
const { databaseDir = '' } = given;
const server = await ensureEmbeddedServer(databaseDir, { settings: { fsync: 'off' } });
const directory = join(tmpdir(), 'inside');
await mkdir(directory);
const forLong = ['-e', 'setTimeout(() => undefined, 600_000)'];
const children = [
  spawn(process.execPath, forLong, { cwd: directory, env: {}, detached: true, stdio: 'ignore' }),
  spawn(process.execPath, [...forLong, directory], { env: {}, detached: true, stdio: 'ignore' }),
];
process.on('message', () => {
  for (const child of children) child.kill();
  void end().then(() => process.exit());
});
const pids = [server.pid, ...children.map((child) => child.pid)];
process.send?.({ folders: [databaseDir, tmpdir()], pids });
