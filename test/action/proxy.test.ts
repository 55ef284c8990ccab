import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { createProxy } from 'proxy';
import { describe, it, type TestContext } from 'vitest';
import { commentEvent, startWorld, type ActionWorld } from '../support/action-world.ts';

/** Its steps are processes: the proxy is a matter of the whole one. */
async function world({ onTestFinished }: TestContext): Promise<ActionWorld> {
  const started = await startWorld();
  onTestFinished(() => started.close());
  return { ...started, run: async (event, more) => (await started.start(event, more)).done };
}

const command = commentEvent('/agent fix it');

/** A real proxy that counts what goes through it. */
async function startProxy({
  onTestFinished,
}: TestContext): Promise<{ url: string; targets: string[] }> {
  const server = createProxy(createServer());
  const targets: string[] = [];
  server.on('connect', (request) => targets.push(request.url ?? ''));
  server.on('request', (request) => targets.push(request.url ?? ''));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, targets };
}

/** An authority of one's own, and a certificate of it for localhost. */
function makeCertificate(directory: string): { ca: string; cert: string; key: string } {
  const file = (name: string): string => join(directory, name);
  const issue = (name: string, ...more: string[]): void => {
    const fresh = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1';
    const out = ['-keyout', file(`${name}.key`), '-out', file(`${name}.pem`)];
    execFileSync('openssl', [...fresh.split(' '), '-subj', `/CN=${name}`, ...out, ...more], {
      stdio: 'ignore',
    });
  };
  issue('ca');
  const extensions = ['subjectAltName=DNS:localhost', 'basicConstraints=critical,CA:FALSE'];
  const byAuthority = ['-CA', file('ca.pem'), '-CAkey', file('ca.key')];
  issue('localhost', ...byAuthority, ...extensions.flatMap((one) => ['-addext', one]));
  return { ca: file('ca.pem'), cert: file('localhost.pem'), key: file('localhost.key') };
}

/** The server behind `url`, spoken to by TLS. */
async function overTls(
  url: string,
  { cert, key }: { cert: string; key: string },
  { onTestFinished }: TestContext,
): Promise<string> {
  const port = Number(new URL(url).port);
  const options = { cert: readFileSync(cert), key: readFileSync(key) };
  const server = createTlsServer(options, (socket) => {
    const behind = connect(port, '127.0.0.1');
    socket.on('error', () => behind.destroy()).pipe(behind);
    behind.on('error', () => socket.destroy()).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  onTestFinished(() => {
    server.close();
  });
  return `https://localhost:${(server.address() as AddressInfo).port}`;
}

/** What Node 24 before 24.14 lacks. */
const OLDER_NODE = {
  NODE_OPTIONS:
    '--import=data:text/javascript,import%20h%20from%22http%22;delete%20h.setGlobalProxyFromEnv',
};

describe.concurrent('the Action', () => {
  it.for([
    ['', {}],
    [', told to by the job’s env,', { ...OLDER_NODE, NODE_USE_ENV_PROXY: '1' }],
  ] as const)(
    'behind a proxy%s, which sees the traffic to both sides',
    async ([, older], context) => {
      const { expect } = context;
      const { run, github, service } = await world(context);
      const proxy = await startProxy(context);
      const env = { http_proxy: proxy.url, HTTPS_PROXY: proxy.url, ...older };
      const step = await run(command, { env });
      expect(step.stderr).toBe('');
      expect(step.outputs['state']).toBe('SUCCEEDED');
      for (const { url } of [github, service]) {
        const { host } = new URL(url);
        expect(proxy.targets.some((target) => target.includes(host))).toBe(true);
      }
    },
  );

  it('behind a proxy to HTTPS of an own authority, by tunnels only', async (context) => {
    const { expect } = context;
    const { run, github, service } = await world(context);
    const proxy = await startProxy(context);
    const directory = mkdtempSync(join(tmpdir(), 'runlink-ca-'));
    context.onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const files = makeCertificate(directory);
    const [api, base] = await Promise.all(
      [github.url, service.url].map(async (url) => overTls(url, files, context)),
    );
    const inputs = { 'base-url': `${base}/api/v1` };
    const env = { HTTPS_PROXY: proxy.url, GITHUB_API_URL: api ?? '' };
    const trusting = { ...env, NODE_EXTRA_CA_CERTS: files.ca };
    const step = await run(command, { env: trusting, inputs });
    expect(step.outputs['state']).toBe('SUCCEEDED');
    expect(github.comments).toHaveLength(1);
    const hosts = [api, base].map((url) => new URL(url ?? '').host);
    expect(new Set(proxy.targets)).toEqual(new Set(hosts));
    const distrusting = await run(command, { env, inputs: { ...inputs, timeout: '2s' } });
    expect(distrusting.exitCode).toBe(1);
    expect(service.runs).toHaveLength(1);
  });

  it('around the proxy, for whom NO_PROXY names', async (context) => {
    const { expect } = context;
    const { run } = await world(context);
    const proxy = await startProxy(context);
    const env = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, NO_PROXY: '127.0.0.1' };
    const step = await run(command, { env });
    expect(step.outputs['state']).toBe('SUCCEEDED');
    expect(proxy.targets).toEqual([]);
  });

  it('on a Node that cannot be told while it runs says what helps', async (context) => {
    const { expect } = context;
    const { run } = await world(context);
    const proxy = await startProxy(context);
    const step = await run(command, { env: { http_proxy: proxy.url, ...OLDER_NODE } });
    expect(step.stdout).toMatch(/::warning::.*set NODE_USE_ENV_PROXY to 1 in the job’s env/);
    expect(proxy.targets).toEqual([]);
  });
});
