import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as keda from '@kubernetes-models/keda/keda.sh/v1alpha1';
import * as apps from 'kubernetes-models/apps/v1';
import * as networking from 'kubernetes-models/networking.k8s.io/v1';
import * as policy from 'kubernetes-models/policy/v1';
import * as core from 'kubernetes-models/v1';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { createProgram } from '../../src/cli/program.ts';
import { operatorConfig } from '../../src/config/operator-config.ts';

const DEPLOY = resolve(import.meta.dirname, '../../deploy/kubernetes');
const program = await createProgram();

interface Container {
  name: string;
  image: string;
  args: string[];
  command?: string[];
  envFrom?: { secretRef?: { name: string } }[];
  ports?: { name: string; containerPort: number }[];
  securityContext: Record<string, unknown>;
  resources: { limits: Record<string, string> };
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean }[];
}
interface PodTemplate {
  metadata: { labels: Record<string, string> };
  spec: {
    hostUsers: boolean;
    automountServiceAccountToken: boolean;
    restartPolicy?: string;
    terminationGracePeriodSeconds: number;
    securityContext: Record<string, unknown>;
    containers: Container[];
    initContainers?: Container[];
    volumes: Record<string, unknown>[];
  };
}
interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string };
  data?: Record<string, string>;
  spec: Record<string, unknown> & {
    template?: PodTemplate;
    jobTargetRef?: { template: PodTemplate };
  };
}

const KINDS: Record<string, object> = {
  'apps/v1': apps,
  v1: core,
  'policy/v1': policy,
  'networking.k8s.io/v1': networking,
  'keda.sh/v1alpha1': keda,
};

/** As `kubectl kustomize` makes it where there is one; else the files as they stand. */
function manifestsOf(overlay: string): { manifests: Manifest[]; isBuilt: boolean } {
  const read = (text: string): Manifest[] =>
    parseAllDocuments(text, { merge: true }).map((document) => document.toJS() as Manifest);
  try {
    const text = execFileSync('kubectl', ['kustomize', join(DEPLOY, 'overlays', overlay)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return { manifests: read(text), isBuilt: true };
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'ENOENT') throw error;
    const files = [
      ...['namespace', 'serve', 'network'].map((name) => join(DEPLOY, 'base', `${name}.yaml`)),
      join(DEPLOY, 'overlays', overlay, 'worker.yaml'),
    ];
    return { manifests: files.flatMap((file) => read(readFileSync(file, 'utf8'))), isBuilt: false };
  }
}

const podOf = ({ spec }: Manifest): PodTemplate | undefined =>
  spec?.template ?? spec?.jobTargetRef?.template;

describe.each(['workers', 'keda'])('the manifests of the overlay %s', (overlay) => {
  const { manifests, isBuilt } = manifestsOf(overlay);
  const pods = manifests.flatMap((one) => podOf(one) ?? []);
  const containers = pods.flatMap(({ spec }) => [
    ...spec.containers,
    ...(spec.initContainers ?? []),
  ]);

  it('fit the published schemas', () => {
    expect(manifests.length).toBeGreaterThan(6);
    for (const manifest of manifests) {
      const { apiVersion, kind, metadata } = manifest;
      const known = KINDS[apiVersion] as Record<string, new (data: never) => { validate(): void }>;
      const Model = known?.[kind];
      if (!Model) throw new Error(`no schema of ${apiVersion} ${kind}`);
      expect(
        () => new Model(manifest as never).validate(),
        `${kind} ${metadata.name}`,
      ).not.toThrow();
    }
  });

  it('start our commands with options that they have', () => {
    for (const { args, command: other } of containers) {
      if (other) continue;
      const [name, ...words] = args;
      const command = program.commands.find((one) => one.name() === name);
      const known = command?.options.flatMap(({ long }) => long ?? []) ?? [];
      const given = words.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0]);
      expect(given.filter((word) => !known.includes(word ?? ''))).toEqual([]);
    }
  });

  it.runIf(isBuilt)('are of one image, in our namespace', () => {
    const ours = containers.filter(({ name }) => name !== 'agent');
    expect(new Set(ours.map(({ image }) => image)).size).toBe(1);
    expect(containers[0]?.image).toMatch(/^registry\.example\.org\/runlink:/);
    const elsewhere = manifests.filter(
      ({ kind, metadata }) => kind !== 'Namespace' && metadata.namespace !== 'runlink',
    );
    expect(elsewhere).toEqual([]);
  });

  it('give no pod rights, tokens or more of the node than it needs', () => {
    for (const { spec } of pods) {
      expect(spec).toMatchObject({ hostUsers: false, automountServiceAccountToken: false });
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
      expect(spec.volumes.some((volume) => 'hostPath' in volume)).toBe(false);
    }
    for (const { securityContext, resources } of containers) {
      expect(securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(resources.limits['memory']).toBeDefined();
    }
  });

  it('let every pod of ours through its network policies and no other', () => {
    const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy');
    const [deny] = policies.filter(({ metadata }) => metadata.name === 'deny');
    expect(deny?.spec).toMatchObject({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
    const selected = policies.map(({ spec }) => JSON.stringify(spec['podSelector']));
    for (const { metadata } of pods)
      expect(selected).toContain(JSON.stringify({ matchLabels: metadata.labels }));
  });

  it('leave a pod the time that its process takes to end', () => {
    const seconds = { s: 1, m: 60, h: 3600 };
    for (const { spec } of pods)
      for (const { args } of spec.containers) {
        const [, count, unit] = /--grace=(\d+)([smh])/.exec(args.join(' ')) ?? [];
        const grace = Number(count) * seconds[unit as 's'];
        expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(grace);
      }
  });
});

it('the configuration in the base is one that the service takes', () => {
  const config = parse(readFileSync(join(DEPLOY, 'base/runlink.yaml'), 'utf8')) as unknown;
  expect(operatorConfig.safeParse(config).success).toBe(true);
});

it('one pod for each run takes one run of its environment, and is not tried again', () => {
  const job = manifestsOf('keda').manifests.find(({ kind }) => kind === 'ScaledJob');
  expect(job?.spec).toMatchObject({
    rollout: { strategy: 'gradual' },
    jobTargetRef: { backoffLimit: 0, template: { spec: { restartPolicy: 'Never' } } },
  });
  const [worker] = job?.spec.jobTargetRef?.template.spec.containers ?? [];
  expect(worker?.args).toEqual(
    expect.arrayContaining(['--once', '--environment=web', '--sandbox=sidecar']),
  );
  expect(job?.spec['triggers']).toMatchObject([
    { metadata: { query: 'max(runlink_environment_waiting{environment="web"})' } },
  ]);
});

it('the agent of a pod has another user, no key, and of the volumes its run’s alone', () => {
  const job = manifestsOf('keda').manifests.find(({ kind }) => kind === 'ScaledJob');
  const { spec } = job?.spec.jobTargetRef?.template ?? {};
  expect(spec).not.toHaveProperty('shareProcessNamespace');
  const [programs, errands, agent] = spec?.initContainers ?? [];
  for (const each of [errands, agent]) {
    expect(each).toMatchObject({ restartPolicy: 'Always', securityContext: { runAsUser: 1001 } });
    expect(each).not.toHaveProperty('envFrom');
  }
  expect(errands).not.toHaveProperty('env');
  // What it says of its image is its image.
  expect(agent).toMatchObject({ env: [{ name: 'RUNLINK_POD_IMAGE', value: agent?.image }] });
  const mountsOf = (container: Container | undefined) => container?.volumeMounts ?? [];
  const writable = mountsOf(agent).filter(({ readOnly }) => !readOnly);
  expect(writable.map(({ mountPath }) => mountPath).toSorted()).toEqual([
    ...['artifacts', 'home', 'tmp', 'workspace'].map((name) => `/agent/${name}`),
    '/tmp',
  ]);
  const seen = mountsOf(agent).filter(({ readOnly }) => readOnly);
  expect(seen.map(({ name }) => name)).toEqual(['programs', 'agent-socket', 'given']);
  expect(programs?.command?.join(' ')).toContain('/runlink/build/worker/inside');
});
