import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { IMAGE, podman, prepareContainers } from '../support/containers.ts';
import { startDriver } from '../support/run-driver.ts';
import { startTestService } from '../support/service.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const OVERLAY = join(ROOT, 'deploy/kubernetes/overlays/keda');
const isLong = process.env['RUNLINK_TEST_LONG'] === '1';
const without = isLong ? await prepareContainers() : 'only in test:long';
const POD = 'worker-web';

interface Container {
  image: string;
  imagePullPolicy?: string;
  command?: string[];
  envFrom?: unknown;
  ports?: unknown;
  env: { name: string; value: string }[];
  volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[];
}
interface Pod {
  hostUsers?: boolean;
  containers: Container[];
  volumes: Record<string, unknown>[];
}

/** The pod of the ScaledJob, with the programs of this machine for the image's. What podman 4 does not know is left out. */
function podOf(folder: string, env: Container['env']): string {
  const text = execFileSync('kubectl', ['kustomize', OVERLAY], { encoding: 'utf8' });
  const manifests = parseAllDocuments(text).map((document) => document.toJS() as never);
  const job = manifests.find(({ kind }: { kind: string }) => kind === 'ScaledJob') as unknown as {
    spec: { jobTargetRef: { template: { metadata: object; spec: Pod } } };
  };
  const { metadata, spec } = job.spec.jobTargetRef.template;
  delete spec.hostUsers;
  const [worker] = spec.containers;
  if (!worker) throw new Error('the template has no container');
  delete worker.envFrom;
  delete worker.ports;
  const shown = { usr: '/usr', app: ROOT };
  const hostPath = (name: string, path: string): object => ({ name, hostPath: { path } });
  Object.assign(worker, {
    image: IMAGE,
    imagePullPolicy: 'Never',
    command: [process.execPath, join(ROOT, 'src/cli/main.ts')],
    env,
    volumeMounts: [
      ...worker.volumeMounts,
      ...Object.entries(shown).map(([name, mountPath]) => ({ name, mountPath, readOnly: true })),
    ],
  });
  // podman gives an emptyDir to root alone, whatever fsGroup says.
  const volumes = spec.volumes.map(({ name }) => {
    const path = join(folder, String(name));
    execFileSync('mkdir', ['-m', '1777', path]);
    return hostPath(String(name), path);
  });
  spec.volumes = [
    ...volumes,
    ...Object.entries(shown).map(([name, path]) => hostPath(name, path)),
  ] as Pod['volumes'];
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name: POD }, spec };
  const file = join(folder, 'pod.yaml');
  writeFileSync(file, stringify(pod));
  return file;
}

describe.runIf(without === undefined)('the pod of the ScaledJob, under podman', () => {
  it('takes one run as an ordinary user without rights, carries it out and ends', async () => {
    const config = { environments: [{ id: 'podEnvironment00000001', name: 'web' }] };
    const { service, runs, workerKey } = await startDriver(() => startTestService({ config }));
    onTestFinished(() => service.close());
    const id = await runs.create({
      config: { environment_id: 'podEnvironment00000001', harness: { type: 'demo' } },
    });
    const folder = mkdtempSync(join(tmpdir(), 'runlink-pod-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    chmodSync(folder, 0o755);
    const file = podOf(folder, [
      { name: 'RUNLINK_BASE_URL', value: service.url },
      { name: 'RUNLINK_API_KEY', value: workerKey },
    ]);
    onTestFinished(async () => void (await podman('pod', 'rm', '--force', POD)));
    await podman('play', 'kube', '--network=host', file);
    await vi.waitFor(async () => expect((await runs.get(id)).state).toBe('SUCCEEDED'), 60_000);
    const seen =
      '{{.State.Status}} {{.State.ExitCode}} {{.Config.User}} {{.HostConfig.ReadonlyRootfs}} {{.EffectiveCaps}}';
    await vi.waitFor(
      async () =>
        expect(await podman('inspect', '--format', seen, `${POD}-worker`)).toBe(
          'exited 0 1000:1000 true []',
        ),
      30_000,
    );
  }, 200_000);
});
