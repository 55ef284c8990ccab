import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { as } from '../support/app.ts';
import { IMAGE, podman, prepareContainers } from '../support/containers.ts';
import { startDriver } from '../support/run-driver.ts';
import { startTestService } from '../support/service.ts';
import { startStandIn } from '../support/standin.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const OVERLAY = join(ROOT, 'deploy/kubernetes/overlays/keda');
const isLong = process.env['RUNLINK_TEST_LONG'] === '1';
const without = isLong ? await prepareContainers() : 'only in test:long';
const POD = 'worker-web';

interface Container {
  name: string;
  image: string;
  imagePullPolicy?: string;
  restartPolicy?: string;
  command?: string[];
  envFrom?: unknown;
  ports?: unknown;
  env?: { name: string; value: string }[];
  volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[];
}
interface Pod {
  hostUsers?: boolean;
  initContainers: Container[];
  containers: Container[];
  volumes: { name: string }[];
}

const INIT = '/usr/bin/catatonit';
const HOST = join(ROOT, 'src/worker/inside/host.ts');
/** Paths of the image, and what is there of this machine in the test. */
const HERE: Record<string, string> = {
  '/usr/bin/tini-static': INIT,
  '/usr/local/bin/node': realpathSync(process.execPath),
  '/runlink/build/worker/inside/host.js': HOST,
  '/runlink/build/worker/inside': dirname(HOST),
  '/runlink/package.json': join(ROOT, 'package.json'),
  // No agent of a package is tried here.
  '/usr/local/lib/node_modules': '',
};

/** A word of a command, as it has to be where the programs are this machine's. */
function here(text: string): string {
  const path = new RegExp(Object.keys(HERE).join('|'), 'g');
  return text.replace(path, (found) => HERE[found] ?? '');
}

/**
 * The pod of the ScaledJob, with the programs of this machine for the image's. What podman 4 does
 * not know is left out.
 */
function podOf(folder: string, env: NonNullable<Container['env']>): string {
  const text = execFileSync('kubectl', ['kustomize', OVERLAY], { encoding: 'utf8' });
  const manifests = parseAllDocuments(text).map((document) => document.toJS() as never);
  const job = manifests.find(({ kind }: { kind: string }) => kind === 'ScaledJob') as unknown as {
    spec: { jobTargetRef: { template: { metadata: object; spec: Pod } } };
  };
  const { metadata, spec } = job.spec.jobTargetRef.template;
  delete spec.hostUsers;
  // Containers that live beside the others are none that come first, to podman.
  const isBeside = ({ restartPolicy }: Container): boolean => restartPolicy !== undefined;
  spec.containers.push(...spec.initContainers.filter(isBeside));
  spec.initContainers = spec.initContainers.filter((each) => !isBeside(each));
  const shown = { usr: '/usr', app: ROOT };
  for (const each of [...spec.containers, ...spec.initContainers]) {
    Object.assign(each, { image: IMAGE, imagePullPolicy: 'Never' });
    delete each.restartPolicy;
    if (each.command) each.command = each.command.map(here);
    if (each.name === 'agent') continue;
    for (const [name, mountPath] of Object.entries(shown))
      each.volumeMounts.push({ name, mountPath, readOnly: true });
  }
  const [worker] = spec.containers;
  if (!worker) throw new Error('the template has no container');
  delete worker.envFrom;
  delete worker.ports;
  worker.command = [process.execPath, join(ROOT, 'src/cli/main.ts')];
  worker.env = env;
  const hostPath = (name: string, path: string) => ({ name, hostPath: { path } });
  // podman gives an emptyDir to root alone, whatever fsGroup says.
  const volumes = spec.volumes.map(({ name }) => {
    const path = join(folder, name);
    execFileSync('mkdir', ['-m', '1777', path]);
    return hostPath(name, path);
  });
  spec.volumes = [...volumes, ...Object.entries(shown).map(([name, path]) => hostPath(name, path))];
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name: POD }, spec };
  const file = join(folder, 'pod.yaml');
  writeFileSync(file, stringify(pod));
  return file;
}

/** What an agent that looks around finds, beside its work. */
const LOOK = [
  'cat >/dev/null; id -u; pwd',
  'ls -d /data /home /agent/* /proc/[0-9]* 2>&1 | tr "\\n" " "; echo',
  'env | grep -c "^RUNLINK_API_KEY=rl_" ; env | grep WORKER_ONLY || echo nothing of the worker',
  'touch /agent/given/x 2>/dev/null || touch /run/runlink/agent/x 2>/dev/null || echo kept',
  'setsid sleep 1000 & echo x >FIXED.md; echo mine > /agent/artifacts/it.txt',
].join('\n');

describe.runIf(without === undefined)('the pod of the ScaledJob, under podman', () => {
  it('takes one run, works in a container of its own image beside the worker, and ends', async () => {
    const github = await startStandIn();
    const { owner, name, cloneUrl } = github.repository;
    const config = {
      harnesses: { patch: { agent: 'exec', command: ['/bin/sh', '-c', LOOK] } },
      allow_insecure_remotes: true,
      github: { api_url: github.apiUrl },
      environments: [
        {
          id: 'podEnvironment00000001',
          name: 'web',
          repositories: [{ owner, repo: name, clone_url: cloneUrl }],
          setup_commands: ['echo set up by $(id -u) > ../set-up'],
        },
      ],
    };
    const variables = { APP_ID: String(github.app.id), PRIVATE_KEY: github.app.privateKey };
    const { service, runs, workerKey } = await startDriver(() =>
      startTestService({ config, variables }),
    );
    onTestFinished(() => service.close());
    const id = await runs.create({
      config: { environment_id: 'podEnvironment00000001', harness: { type: 'patch' } },
    });
    const folder = mkdtempSync(join(tmpdir(), 'runlink-pod-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    chmodSync(folder, 0o755);
    const file = podOf(folder, [
      { name: 'RUNLINK_BASE_URL', value: service.url },
      { name: 'RUNLINK_API_KEY', value: workerKey },
      { name: 'WORKER_ONLY', value: 'secret' },
    ]);
    onTestFinished(async () => void (await podman('pod', 'rm', '--force', '--time=0', POD)));
    await podman('play', 'kube', '--network=host', file);
    await vi.waitFor(async () => expect((await runs.get(id)).state).toBe('SUCCEEDED'), {
      timeout: 120_000,
      interval: 500,
    });
    const { rows } = await service.service.context.database.pool.query<{ text: string }>(
      `select string_agg(data::text, ' ') as text from runlink.run_events where run_id = $1`,
      [id],
    );
    const said = rows[0]?.text ?? '';
    expect(said).toMatch(
      /"1001\\n"[\s\S]*"\/agent\/workspace\/widgets\\n"[\s\S]*'\/data': No such file/,
    );
    expect(said).toContain('nothing of the worker');
    expect(said).toContain('kept');
    const { data: pulls } = await as(github, github.maintainer).request(
      'GET /repos/{owner}/{repo}/pulls',
      { owner, repo: name },
    );
    expect(pulls).toHaveLength(1);
    expect(JSON.stringify((await runs.get(id)).artifacts)).toContain('it.txt');
    const seen =
      '{{.State.Status}} {{.State.ExitCode}} {{.Config.User}} {{.HostConfig.ReadonlyRootfs}} {{.EffectiveCaps}}';
    // The worker's end is the end of what is beside it.
    for (const [container, user] of Object.entries({
      worker: '1000:1000',
      agent: '1001:1001',
      errands: '1001:1001',
    }))
      await vi.waitFor(
        async () =>
          expect(await podman('inspect', '--format', seen, `${POD}-${container}`)).toBe(
            `exited 0 ${user} true []`,
          ),
        { timeout: 60_000, interval: 500 },
      );
  }, 300_000);
});
