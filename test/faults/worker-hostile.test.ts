import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { openBench, SANDBOX, temporaryDirectory } from '../support/worker-bench.ts';
import { gitIn, makeRemote } from '../support/worker-remote.ts';

/** A repository that does what it can to whoever checks it out, reads it or pushes it. */
function makeHostileRemote(mark: string): string {
  const root = temporaryDirectory();
  const run = `touch ${mark}`;
  const remote = makeRemote(root, {
    'README.md': '# Fine\n',
    '-rf': 'x\n',
    '--upload-pack=x/--exec': 'x\n',
    '.gitattributes': '* filter=evil diff=evil merge=evil\n',
    '.gitmodules': `[submodule "sub"]\n\tpath = sub\n\turl = ext::sh -c ${run}\n\tupdate = !${run}\n`,
    '.lfsconfig': `[lfs]\n\turl = http://127.0.0.1:9/\n`,
  });
  const work = join(root, 'work');
  gitIn(root, 'clone', '--quiet', remote, work);
  symlinkSync('/etc', join(work, 'out'));
  symlinkSync('../../run.json', join(work, 'lease'));
  gitIn(work, 'add', '--', 'out', 'lease');
  gitIn(work, 'update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},sub`);
  gitIn(work, 'commit', '--quiet', '-m', 'Links');
  gitIn(work, 'push', '--quiet');
  return remote;
}

/** What an agent that such a repository has won over does to its clone. */
const takeOver = (mark: string): string =>
  [
    `for h in pre-commit post-commit pre-push post-checkout reference-transaction; do printf '#!/bin/sh\\ntouch ${mark}' > .git/hooks/$h; chmod +x .git/hooks/$h; done`,
    `git config core.fsmonitor 'touch ${mark}'`,
    `git config uploadpack.packObjectsHook 'touch ${mark}'`,
    `git config remote.origin.url 'ext::sh -c "touch ${mark}"'`,
    'cat lease || echo unseen',
    'echo x > out/runlink-was-here || echo refused',
    'echo changed >> README.md',
    'exec 2>/dev/null',
  ].join('; ');

describe('a hostile repository', () => {
  it('is cloned, worked in and published as what it is, and gets nowhere (threats.md S7, S8, S13, S14)', async () => {
    const bench = await openBench();
    const mark = join(bench.dataDir, 'pwned');
    const lines: string[] = [];
    const destination = new Writable({
      write(chunk, _, done) {
        lines.push(String(chunk));
        done();
      },
    });
    await bench.start({
      sandbox: SANDBOX,
      log: createLog('worker', { level: 'trace', destination }),
    });
    const remote = makeHostileRemote(mark);
    // Hooks run where the agent commits, inside its own sandbox: it changes files only.
    const run = await bench.ended(
      bench.fake([{ shell: takeOver(mark) }, { say: 'done' }], {}, remote),
    );
    expect(run.completed).toMatchObject([{ state: 'SUCCEEDED', message: 'done' }]);
    expect(existsSync(mark)).toBe(false);
    expect(existsSync('/etc/runlink-was-here')).toBe(false);
    const output = run.events
      .map((event) => (event.type === 'tool_call' && event.output_delta) || '')
      .join('');
    expect(output).toContain('unseen\nrefused\n');
    const changed = run.events.findLast((event) => event.type === 'changes');
    expect(changed).toMatchObject({ files: [{ path: 'README.md', status: 'modified' }] });
    const branch = run.completed[0]?.branch ?? '';
    expect(gitIn(remote, 'diff', '--name-only', 'main', branch)).toBe('README.md\n');
    expect(bench.service.pulls).toHaveLength(1);
    expect(await bench.processesOf(run)).toEqual([]);
    const logged = lines.join('');
    expect(logged).toContain(run.lease.run_id);
    for (const secret of [
      run.lease.token,
      run.lease.run_key,
      run.lease.git?.token ?? '',
      'rl_worker_key_of_the_test',
      'pre-commit',
    ])
      expect(logged).not.toContain(secret);
  });

  it('whose branches and tags look like options is refused or read as names', async () => {
    const bench = await openBench();
    await bench.start();
    const remote = makeRemote(temporaryDirectory());
    const sha = gitIn(remote, 'rev-parse', 'main').trim();
    writeFileSync(
      join(remote, 'packed-refs'),
      `${sha} refs/heads/--upload-pack=x\n${sha} refs/tags/-f\n`,
    );
    const lease = bench.lease({}, remote);
    const [repository] = lease.environment?.repositories ?? [];
    const environment = lease.environment && {
      ...lease.environment,
      repositories: repository ? [{ ...repository, ref: '--upload-pack=x' }] : [],
    };
    const run = await bench.ended(
      bench.service.offer({ ...lease, ...(environment ? { environment } : {}) }),
    );
    expect(run.completed).toHaveLength(1);
    expect(run.completed[0]?.error_code ?? 'none').toMatch(/none|environment_setup_failed/);
    expect(await bench.processesOf(run)).toEqual([]);
  });
});
