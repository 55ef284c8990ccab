import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { RunItem } from '../../src/contract/run.ts';
import { branchId } from '../../src/worker/git/branch-name.ts';
import { readRunFile } from '../../src/worker/lease/run-file.ts';
import { killMarked, pidsMarked } from '../../src/worker/sandbox/process-marker.ts';
import type { RunLimits, WorkerOptions } from '../../src/worker/worker-options.ts';
import { startFake, type FakeServer } from './fake-http.ts';
import { openGate, type Gate } from './gate.ts';
import { driveRuns, type RunDriver } from './run-driver.ts';
import { startTestService, type TestService } from './service.ts';
import { FAKE_AGENT, FAKE_HARNESSES, gitIn, makeRemote, script } from './worker-remote.ts';
import { cleanEnvironment } from './clean-environment.ts';
import { programFile } from './programs.ts';

const WORKER = programFile('test/support/worker-process.ts');

/** Stops at its first visit until somebody ends it, and passes from then on. */
const stopOnce = (mark: string): string => `[ -e ${mark} ] || { touch ${mark}; sleep 600; }`;

const HARNESSES = {
  ...FAKE_HARNESSES,
  slow: {
    ...FAKE_HARNESSES.fake,
    command: [
      '/bin/sh',
      '-c',
      `${stopOnce('"$HOME/at-session"')}; exec "$0" "$1"`,
      process.execPath,
      FAKE_AGENT,
    ],
  },
};

/** A run whose worker or agent dies or freezes somewhere on its way. */
export interface StagedRun {
  id: string;
  short: string;
  host: string;
  remote: string;
  get(): Promise<RunItem>;
  /** Starts a worker process that takes this run; each name has a data directory of its own. */
  startWorker(name?: string, limits?: Partial<RunLimits>): Promise<ChildProcess>;
  /** The run's directory in that worker's data. */
  directory(name?: string): string;
  dataDirectory(name?: string): string;
  /** Processes of the run that this worker started. */
  processes(name?: string): Promise<number[]>;
  /** Makes the lease look as old as its end, so that nobody waits half a minute. */
  ageLease(): Promise<void>;
}

export interface StagedRuns {
  service: TestService;
  /** Between workers and the service, and between workers and GitHub. */
  gate: Gate;
  github: Gate;
  pulls: { head: string }[];
  /** Creates a run in a repository of its own, which stops where it is told to. */
  create(stop: { setup?: boolean; session?: boolean; prompt?: boolean }): Promise<StagedRun>;
  close(): Promise<void>;
}

const environmentId = (index: number): string =>
  `stagedEnvironment${String(index).padStart(5, '0')}`;

/** GitHub as far as a pull request needs it. */
async function startGithub(pulls: { head: string }[]): Promise<FakeServer> {
  const github = await startFake(({ method, query, body }) => {
    const shown = (head: string) => {
      const number = pulls.findIndex((pull) => pull.head === head) + 1;
      return { number, html_url: `${github.url}/o/demo/pull/${number}`, head: { ref: head } };
    };
    if (method === 'POST') {
      const { head } = body as { head: string };
      pulls.push({ head });
      return { status: 201, json: shown(head) };
    }
    const wanted = query.get('head')?.split(':')[1];
    const found = pulls.filter(({ head }) => head === wanted);
    return { status: 200, json: found.map(({ head }) => shown(head)) };
  });
  return github;
}

/** A real service with `count` repositories, reached through gates. */
export async function openStagedRuns(count: number): Promise<StagedRuns> {
  const root = mkdtempSync(join(tmpdir(), 'runlink-staged-'));
  const pulls: { head: string }[] = [];
  const fakeGithub = await startGithub(pulls);
  const github = await openGate(fakeGithub.url);
  const seed = makeRemote(root);
  const remotes = Array.from({ length: count }, (_, index) => join(root, `remote-${index}.git`));
  for (const remote of remotes) cpSync(seed, remote, { recursive: true });
  const environments = [false, true].flatMap((setup) =>
    remotes.map((clone_url, index) => ({
      id: environmentId(index + (setup ? count : 0)),
      name: `staged ${index}${setup ? ' with set-up' : ''}`,
      repositories: [{ owner: 'o', repo: 'demo', clone_url }],
      setup_commands: setup ? [stopOnce('../at-setup')] : [],
    })),
  );
  const service = await startTestService({
    config: {
      allow_insecure_remotes: true,
      environments,
      harnesses: HARNESSES,
      github: { api_url: github.url },
    },
  });
  const gate = await openGate(service.url);
  const runs = driveRuns(service, await service.personalKey(), '');
  const world = { root, gate, service, runs, workerKey: await service.workerKey('default') };
  let next = 0;
  return {
    service,
    gate,
    github,
    pulls,
    async create({ setup = false, session = false, prompt = false }) {
      const index = next++;
      const host = `host-${index}`;
      const id = await runs.create({
        prompt: script(
          { shell: prompt ? stopOnce('../at-prompt') : 'true' },
          { write: 'from-agent.txt', text: 'y' },
          { say: 'done' },
        ),
        title: 'Staged',
        config: {
          environment_id: environmentId(index + (setup ? count : 0)),
          harness: { type: session ? 'slow' : 'fake' },
          worker_host: host,
        },
      });
      return stagedRun(world, { id, host, remote: remotes[index] ?? '' });
    },
    async close() {
      await gate.close();
      await service.close();
      await github.close();
      await fakeGithub.close();
      rmSync(root, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

interface World {
  root: string;
  gate: Gate;
  service: TestService;
  runs: RunDriver;
  workerKey: string;
}

function stagedRun(
  world: World,
  { id, host, remote }: { id: string; host: string; remote: string },
): StagedRun {
  const dataDirectory = (name = 'first'): string => join(world.root, host, name);
  const directory = (name?: string): string => join(dataDirectory(name), 'runs', id);
  return {
    id,
    short: branchId(id),
    host,
    remote,
    get: () => world.runs.get(id),
    directory,
    dataDirectory,
    startWorker: (name, limits: Partial<RunLimits> = {}) =>
      startWorkerProcess({
        baseUrl: `${world.gate.url}/api/v1`,
        apiKey: world.workerKey,
        dataDir: dataDirectory(name),
        workerHost: host,
        gitToken: 'ghs_a_token_of_the_test',
        // A worker with room left would have a claim open, which a frozen one goes on holding.
        capacity: 1,
        harnesses: HARNESSES,
        allowInsecureRemotes: true,
        limits: { cancelGraceMs: 500, ...limits },
      }),
    async processes(name) {
      const file = await readRunFile(directory(name));
      return file ? pidsMarked(file.process_marker) : [];
    },
    async ageLease() {
      await world.service.service.context.database.pool.query(
        `update runlink_jobs.job j set heartbeat_on = now() - interval '31 s', started_on = now() - interval '31 s'
         from runs r where r.id = $1 and j.name = 'runs' and j.id = r.job_id and j.state = 'active'`,
        [id],
      );
    },
  };
}

type WorkerProcessOptions = Omit<WorkerOptions, 'environment' | 'log'>;

async function startWorkerProcess(options: WorkerProcessOptions): Promise<ChildProcess> {
  mkdirSync(options.dataDir, { recursive: true });
  const marker = randomUUID();
  const child = spawn(process.execPath, [WORKER], {
    env: {
      ...cleanEnvironment(),
      RUN_MARKER: marker,
      WORKER_OPTIONS: JSON.stringify(options),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await killMarked(marker);
  });
  await once(child.stdout, 'data');
  return child;
}

/** Commits on the run's branch that are not on main; undefined where it was never pushed. */
export function commitsOf({ remote, short }: StagedRun): number | undefined {
  const branches = gitIn(remote, 'for-each-ref', '--format=%(refname)', 'refs/heads/runlink/');
  const ref = branches.split('\n').find((name) => name.endsWith(short));
  return ref === undefined
    ? undefined
    : Number(gitIn(remote, 'rev-list', '--count', `main..${ref}`));
}
