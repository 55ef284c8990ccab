import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import type { Lease } from '../../src/contract/lease.ts';
import type { WorkerOptions } from '../../src/worker/worker-options.ts';
import { openBench, SANDBOX, temporaryDirectory } from '../support/worker-bench.ts';
import { FAKE_HARNESSES, makeRemote, script } from '../support/worker-remote.ts';
import type { ServedRun } from '../support/worker-protocol.ts';

const MODEL_KEY = 'sk-model-key-of-the-operator';
const PASSED_ON = 'value-that-the-operator-passes-on';
const VARIABLE = 'value-of-the-environment';

/**
 * Everything that a program can know, on both ways out; it ends before it has said a word of
 * protocol.
 */
const TELL_ALL =
  'env; env >&2; printf %s "$RUNLINK_API_KEY" | base64 -w0 >&2; echo " DEPLOY_KEY=$DEPLOY_KEY" >&2; exit 3';

/** A worker that logs everything, and what it logged. */
async function openTelling(harnesses: WorkerOptions['harnesses']) {
  const bench = await openBench();
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk, _, done) {
      lines.push(String(chunk));
      done();
    },
  });
  await bench.start({
    sandbox: SANDBOX,
    harnesses: { ...FAKE_HARNESSES, ...harnesses },
    environment: { PATH: process.env['PATH'], ANTHROPIC_API_KEY: MODEL_KEY, TOKEN: PASSED_ON },
    log: createLog('worker', { level: 'trace', destination }),
  });
  const lease = (change: Partial<Lease>, setup: string[] = []): Lease => {
    const made = bench.lease(change, makeRemote(temporaryDirectory()));
    const { environment } = made;
    if (!environment) return made;
    const variables = { DEPLOY_KEY: VARIABLE };
    return { ...made, environment: { ...environment, setup_commands: setup, variables } };
  };
  const run = (change: Partial<Lease>, setup?: string[]): Promise<ServedRun> =>
    bench.ended(bench.service.offer(lease(change, setup)));
  /** Everything that left the worker about a run. */
  const told = ({ events, completed, files, artifacts }: ServedRun): string =>
    JSON.stringify({ events, completed, artifacts, files: files.map(String) }) + lines.join('');
  return { ...bench, run, told };
}

function expectNoSecret(text: string, { lease }: ServedRun): void {
  for (const secret of [
    lease.token,
    lease.run_key,
    lease.git?.token ?? '',
    'rl_worker_key_of_the_test',
    MODEL_KEY,
    PASSED_ON,
    VARIABLE,
  ]) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(Buffer.from(secret).toString('base64'));
  }
}

const harness = (type: string) => ({ config: { harness: { type } } });
const telling = ['/bin/sh', '-c', TELL_ALL];

describe('what an agent prints (threats.md S20, G9)', () => {
  it('before it has a session tells no secret, in the run or in the log', async () => {
    const { run, told } = await openTelling({
      dying: { agent: 'acp', command: telling, variables: ['TOKEN'] },
      claude: { agent: 'claude', command: telling },
    });
    for (const type of ['dying', 'claude']) {
      const found = await run(harness(type));
      expect(found.completed).toMatchObject([{ state: 'ERROR' }]);
      expect(found.completed[0]?.message).toContain('RUNLINK_API_KEY=***');
      expect(found.completed[0]?.message).toContain('DEPLOY_KEY=***');
      expectNoSecret(told(found), found);
    }
  });

  it('on its own ways, of a set-up command too, tells no secret', async () => {
    const { run, told } = await openTelling({
      own: { agent: 'exec', command: telling, variables: ['TOKEN'] },
    });
    const own = await run(harness('own'));
    expect(own.completed).toMatchObject([{ error_code: 'agent_process_failed' }]);
    expect(JSON.stringify(own.events)).toContain('TOKEN=***');
    expectNoSecret(told(own), own);
    const setup = await run(harness('fake'), [TELL_ALL]);
    expect(setup.completed).toMatchObject([{ error_code: 'environment_setup_failed' }]);
    expect(JSON.stringify(setup.events)).toContain('DEPLOY_KEY=***');
    expectNoSecret(told(setup), setup);
  });

  it('by every way of the protocol tells no secret', async () => {
    const { run, told } = await openTelling({});
    const key = '$RUNLINK_API_KEY';
    const steps = script(
      { environment: true },
      {
        shell: `env; echo ${key} > ${key}; git add -A; git commit -qm "${key}"; git checkout -qb "x${key}"`,
      },
      { shell: `echo ${key} > "$RUNLINK_ARTIFACTS/${key}.txt"` },
      { raw: '{"jsonrpc":"2.0","method":"session/update"}' },
      { environment: true },
    );
    const found = await run({ ...harness('fake'), prompt: steps });
    expect(found.completed).toMatchObject([{ state: 'SUCCEEDED' }]);
    expect(found.files.map(({ path }) => path)).toEqual(['***.txt']);
    const { files: _, ...rest } = found;
    expectNoSecret(told({ ...rest, files: [] }), found);
  });
});
