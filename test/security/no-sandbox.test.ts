import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { openBench, temporaryDirectory } from '../support/worker-bench.ts';
import { startMountedWorker } from '../support/mounted-worker.ts';
import { FAKE_AGENT, FAKE_HARNESSES } from '../support/worker-remote.ts';

const HARNESSES = {
  ...FAKE_HARNESSES,
  own: { agent: 'exec' as const, command: ['/bin/echo', 'hello'] },
  posing: { agent: 'demo' as const, command: [process.execPath, FAKE_AGENT] },
};
/** Isolates nothing, whatever it is asked for. */
const PRETENDS = '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n';

describe('a machine on which no sandbox works (threats.md S17)', () => {
  it.each([
    ['that has no bubblewrap', undefined],
    ['whose bubblewrap fails', '#!/bin/sh\necho no namespaces here >&2\nexit 1\n'],
    ['whose bubblewrap hides nothing', PRETENDS],
  ])('%s runs the demo agent only, and says why', async (_, program) => {
    const bench = await openBench();
    const instead = join(temporaryDirectory(), 'bwrap');
    if (program) writeFileSync(instead, program, { mode: 0o755 });
    await startMountedWorker(bench, {
      mount: 'mount --bind "$0" "$(command -v bwrap)"',
      at: program ? instead : '/dev/null',
      options: { harnesses: HARNESSES, defaultHarness: 'demo' },
    });
    const offer = (type: string) => bench.fake([{ say: 'ran' }], { config: { harness: { type } } });
    const others = ['fake', 'own', 'posing'].map(offer);
    for (const run of others) {
      await bench.ended(run);
      expect(run.completed).toMatchObject([{ error_code: 'integration_not_configured' }]);
      expect(run.completed[0]?.message).toMatch(
        /not run without a sandbox[\s\S]*does not work here[\s\S]*apt-get install bubblewrap[\s\S]*driver: direct/,
      );
      expect(JSON.stringify(run.events)).not.toMatch(/ran|hello/);
    }
    const demo = await bench.ended(bench.service.offer(bench.lease()));
    expect(demo.completed).toMatchObject([{ state: 'SUCCEEDED' }]);
  });

  it('does not run the demo agent in what another agent left', async () => {
    const bench = await openBench();
    const before = await bench.start({ sandbox: 'bwrap' });
    const run = await bench.ended(bench.fake([{ shell: 'echo "touch pwned" > x' }]));
    await before.drain(5000);
    await startMountedWorker(bench, {
      mount: 'mount --bind "$0" "$(command -v bwrap)"',
      at: '/dev/null',
      options: { defaultHarness: 'demo' },
    });
    const { run_id } = run.lease;
    const next = await bench.ended(bench.service.offer(bench.lease({ run_id, attempt: 2 })));
    expect(next.completed).toMatchObject([{ error_code: 'integration_not_configured' }]);
  });

  it('runs every agent where the operator wrote `direct`, and says so in log and run', async () => {
    const bench = await openBench();
    const lines: string[] = [];
    const destination = new Writable({
      write: (chunk, _, done) => {
        lines.push(String(chunk));
        done();
      },
    });
    await bench.start({ sandbox: 'direct', log: createLog('worker', { destination }) });
    const run = await bench.ended(bench.fake([{ say: 'ran' }]));
    expect(run.completed).toMatchObject([{ state: 'SUCCEEDED', message: 'ran' }]);
    expect(run.events.find(({ type }) => type === 'agent_started')).toMatchObject({
      sandbox: 'direct',
    });
    expect(run.events.find(({ type }) => type === 'notice')).toMatchObject({
      text: expect.stringContaining('not isolated'),
    });
    expect(lines.join('')).toContain('agents are run without isolation, as configured');
  });
});
