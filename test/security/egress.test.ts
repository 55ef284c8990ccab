import dns from 'node:dns';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readNetworkEntry } from '../../src/config/network.ts';
import { AllowList } from '../../src/worker/egress/allow-list.ts';
import { openEgress } from '../../src/worker/egress/egress.ts';
import { IMAGE, prepareContainers } from '../support/containers.ts';
import { environmentOf, openBench } from '../support/worker-bench.ts';
import type { ServedRun } from '../support/worker-protocol.ts';

const noContainers = await prepareContainers();
if (noContainers !== undefined)
  process.stderr.write(`No container is made here: ${noContainers}\n`);

/** A server of the outside world that says whom it was taken for. */
async function listen(address = '127.0.0.1'): Promise<{ port: number; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    asked.push(`${request.headers.host}${request.url}`);
    response.end(`reached ${request.headers.host}${request.url}`);
  });
  const port = await listening(server, address);
  return { port, asked };
}

async function listening(server: Server | ReturnType<typeof createTcpServer>, address: string) {
  server.listen(0, address);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function open(network: string[], proxyEnv = {}) {
  const denied: string[] = [];
  const onDenied = (host: string, address = ''): void =>
    void denied.push(`${host} ${address}`.trim());
  const egress = await openEgress({ network, proxyEnv, onDenied });
  onTestFinished(() => egress.close());
  /** What a program inside gets for these words. */
  const say = async (...lines: string[]): Promise<string> => {
    const socket: Socket = connect({ path: egress.socket });
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    return await text(socket);
  };
  return {
    denied,
    say,
    get: (url: string, host = 'other.example.org') =>
      say(`GET ${url} HTTP/1.1`, `Host: ${host}`, 'Connection: close'),
    connect: (target: string, ...after: string[]) =>
      say(
        `CONNECT ${target} HTTP/1.1`,
        `Host: ${target}`,
        ...(after.length > 0 ? ['', ...after] : []),
      ),
    egress,
  };
}

describe('what a list allows (threats.md S21)', () => {
  it('are exact names, names below one, addresses and networks, on the ports of the web or the one named', () => {
    const list = new AllowList([
      'packages.example.org',
      '*.mirror.example.org',
      'registry.example.org:8443',
      '10.1.0.0/16',
      '[fd00::1]:8080',
    ]);
    const open = [
      ['packages.example.org', 443],
      ['packages.example.org', 80],
      ['a.b.mirror.example.org', 443],
      ['registry.example.org', 8443],
      ['10.1.2.3', 443],
      ['fd00::1', 8080],
    ] as const;
    const closed = [
      ['packages.example.org', 22],
      ['apackages.example.org', 443],
      ['packages.example.org.evil.example', 443],
      ['example.org', 443],
      ['mirror.example.org', 443],
      ['evilmirror.example.org', 443],
      ['.mirror.example.org', 443],
      ['registry.example.org', 443],
      ['10.2.0.1', 443],
      ['8.8.8.8', 443],
      ['fd00::2', 8080],
    ] as const;
    expect(open.filter(([host, port]) => !list.allowsHost(host, port))).toEqual([]);
    expect(closed.filter(([host, port]) => list.allowsHost(host, port))).toEqual([]);
  });

  it('lead to the public internet or to what is listed, never to machines near by', () => {
    const list = new AllowList(['packages.example.org', '10.1.2.3']);
    const near =
      '127.0.0.1 127.9.9.9 0.0.0.0 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.100.100.200 168.63.129.16 198.18.0.1 224.0.0.1 255.255.255.255 :: ::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::127.0.0.1 fe80::1 fc00::1 fd00:ec2::254 64:ff9b::7f00:1 2002:7f00:1::1 2001::1 2001:db8::1 ff02::1';
    expect(near.split(' ').filter((address) => list.allowsAddress(address, 443))).toEqual([]);
    for (const address of ['8.8.8.8', '172.32.0.1', '2a00:1450:4001:82a::200e', '10.1.2.3'])
      expect(list.allowsAddress(address, 443)).toBe(true);
    expect(list.allowsAddress('10.1.2.3', 22)).toBe(false);
  });

  it('are refused in the configuration where they mean nothing', () => {
    const none =
      '* *. .example.org a*.example.org https://example.org example.org/path example.org: example.org:0 example.org:65536 user@example.org 127.1 2130706433 0x7f.1 10.0.0.0/33 [::1 ::1:443/x exam_ple..org -a.org bad\u0000name münchen.example';
    expect(none.split(' ').filter((entry) => readNetworkEntry(entry) !== undefined)).toEqual([]);
  });
});

describe('hosts that a run may reach (threats.md S21)', () => {
  it('are reached by CONNECT and by plain HTTP, under their own name', async () => {
    const { port, asked } = await listen();
    const way = await open([`localhost:${port}`, `127.0.0.1:${port}`]);
    expect(await way.get(`http://localhost:${port}/a?b`)).toMatch(
      /200 OK[\s\S]*reached localhost:\d+\/a\?b/,
    );
    const tunnelled = await way.connect(
      `LOCALHOST.:${port}`,
      'GET /c HTTP/1.1',
      'Host: x',
      'Connection: close',
    );
    expect(tunnelled).toMatch(/^HTTP\/1.1 200 [\s\S]*reached x\/c/);
    expect(asked).toEqual([`localhost:${port}/a?b`, 'x/c']);
    expect(way.denied).toEqual([]);
  });

  it('beside them nothing is reached, however it is written', async () => {
    const { port, asked } = await listen();
    const way = await open([`localhost:${port}`, 'packages.example.org']);
    const forms = [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f000001',
      '0177.0.0.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '127.0.0.1.',
      'localhost',
      'other.example.org',
      '%6cocalhost',
    ];
    for (const form of forms) {
      expect(await way.connect(`${form}:${port}`)).toMatch(/^HTTP\/1.1 403 /);
      expect(await way.get(`http://${form}:${port}/`)).toMatch(/^HTTP\/1.1 403 /);
    }
    for (const odd of [
      'packages.example.org',
      'packages.example.org:443@localhost:1',
      'localhost/:443',
      'a b:443',
      ':443',
      'localhost:999999',
    ])
      expect(await way.connect(odd)).toMatch(/^HTTP\/1.1 4\d\d /);
    for (const odd of [
      '/',
      'https://packages.example.org/',
      `http://u:p@localhost:${port}/`,
      `ftp://localhost:${port}/`,
    ])
      expect(await way.get(odd)).toMatch(/^HTTP\/1.1 4\d\d /);
    expect(asked).toEqual([]);
    expect(way.denied).toContain(
      `localhost:${port} ${(await dns.promises.lookup('localhost')).address}`,
    );
    expect(new Set(way.denied).size).toBe(way.denied.length);
  });

  it('are all that a connection reaches, whatever comes after its first request', async () => {
    const [listed, other] = [await listen(), await listen()];
    const way = await open([`127.0.0.1:${listed.port}`]);
    const begin = (port: number): string => `GET http://127.0.0.1:${port}/ HTTP/1.1`;
    const here = `Host: 127.0.0.1:${listed.port}`;
    const close = 'Connection: close';
    expect(await way.say(begin(listed.port), here, '', begin(other.port), here, close)).toMatch(
      /reached[\s\S]*403 Forbidden/,
    );
    expect(await way.say(begin(listed.port), 'Host: evil', close)).toContain('reached 127.0.0.1:');
    for (const smuggled of [
      [begin(listed.port), here, 'Transfer-Encoding: chunked', 'Content-Length: 4'],
      ['PRI * HTTP/2.0', '', 'SM'],
      [begin(listed.port), here, 'X: a', ' folded'],
    ])
      expect(await way.say(...smuggled)).toMatch(/^HTTP\/1.1 400 /);
    expect(other.asked).toEqual([]);
  });

  it('are resolved once: a name that answers otherwise the next time leads nowhere else', async () => {
    const [listed, other] = [await listen('127.0.0.2'), await listen('127.0.0.3')];
    const answers = ['127.0.0.2', '127.0.0.3', '127.0.0.3'];
    const lookup = vi.spyOn(dns, 'lookup') as unknown as ReturnType<typeof vi.fn>;
    lookup.mockImplementation(
      (_host: unknown, _options: unknown, callback: (...args: unknown[]) => void) =>
        callback(null, [{ address: answers.shift(), family: 4 }]),
    );
    const way = await open([
      'turns.example.org:*'.replace('*', String(listed.port)),
      `127.0.0.2:${listed.port}`,
    ]);
    expect(await way.get(`http://turns.example.org:${listed.port}/`)).toContain('reached turns');
    expect(lookup).toHaveBeenCalledTimes(1);
    expect(await way.get(`http://turns.example.org:${listed.port}/`)).toMatch(
      /403[\s\S]*127\.0\.0\.3/,
    );
    expect(other.asked).toEqual([]);
  });

  it('go through the worker’s own proxy where it has one', async () => {
    const { port } = await listen();
    const seen: string[] = [];
    const upstream = createServer();
    upstream.on('connect', (request: IncomingMessage, inside: Socket) => {
      seen.push(`${request.url} ${request.headers['proxy-authorization']}`);
      const outside = connect(port, '127.0.0.1');
      inside.write('HTTP/1.1 200 OK\r\n\r\n');
      inside.pipe(outside).pipe(inside);
    });
    const proxyPort = await listening(upstream, '127.0.0.1');
    const proxy = `http://me:secret@127.0.0.1:${proxyPort}`;
    const way = await open(['packages.invalid', 'localhost'], {
      HTTP_PROXY: proxy,
      https_proxy: proxy,
    });
    expect(await way.get('http://packages.invalid/x')).toContain('reached packages.invalid/x');
    expect(await way.get('http://localhost/x')).toMatch(/403 /);
    const key = Buffer.from('me:secret').toString('base64');
    expect(seen).toEqual([`packages.invalid:80 Basic ${key}`]);
  });

  it('that do not answer are said to the program, and a run’s end ends what is open', async () => {
    const deaf = createTcpServer();
    const held: Socket[] = [];
    deaf.on('connection', (socket) => held.push(socket));
    const port = await listening(deaf, '127.0.0.1');
    const way = await open([`127.0.0.1:${port}`, '127.0.0.1:1']);
    expect(await way.connect('127.0.0.1:1')).toMatch(/^HTTP\/1.1 502 [\s\S]*ECONNREFUSED/);
    const socket = connect({ path: way.egress.socket });
    socket.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await once(socket, 'data');
    const gone = once(socket, 'close');
    await way.egress.close();
    await gone;
    await expect.poll(() => held.every(({ destroyed }) => destroyed)).toBe(true);
  });
});

const outputOf = ({ events }: ServedRun): string =>
  events.map((event) => ('output_delta' in event ? event.output_delta : '')).join('');
const refusalsOf = ({ events }: ServedRun): unknown[] =>
  events.flatMap((event) =>
    event.type === 'setup' && event.step === 'network' ? [[event.title, event.output]] : [],
  );

/** As a program asks that knows of the proxy, and as one that does not. */
const ASK = String.raw`ask() { exec 3<>"/dev/tcp/$1/$2" && printf "GET $3 HTTP/1.0\r\n\r\n" >&3 && tail -n 1 <&3; }`;

describe.each(['bwrap', 'container'] as const)(
  'the network of a run in %s (threats.md S21)',
  (sandbox) => {
    it.skipIf(sandbox === 'container' && noContainers !== undefined)(
      'is what its environment lists, for set-up commands too, and what it asks for beside is said',
      async () => {
        const { port, asked } = await listen();
        const bench = await openBench();
        await bench.start({ sandbox });
        const ask = (url: string): string => `bash -c '${ASK}; ask 127.0.0.1 8789 ${url}'`;
        const run = bench.fake(
          [
            {
              shell: `cat set-up; ${ask(`http://127.0.0.1:${port}/agent`)}; echo; ${ask('http://denied.example.org/')}; echo "$HTTPS_PROXY"`,
            },
            { shell: `bash -c '${ASK}; ask 127.0.0.1 ${port} /direct' 2>&1 | tail -n 1` },
            { say: 'done' },
          ],
          environmentOf(bench, {
            ...(sandbox === 'container' ? { image: IMAGE } : {}),
            network: [`127.0.0.1:${port}`],
            setup_commands: [`${ask(`http://127.0.0.1:${port}/set-up`)} > set-up; echo >> set-up`],
          }),
        );
        await bench.ended(run, 60_000);
        const output = outputOf(run);
        expect(output).toMatch(
          /^reached 127\S+\/set-up\nreached 127\S+\/agent\nThis run may not reach denied.example.org:80.\nhttp:\/\/127.0.0.1:8789\n/,
        );
        expect(output).toMatch(/Connection refused|connect:/);
        expect(asked.map((each) => each.replace(/^.*\//, '/'))).toEqual(['/set-up', '/agent']);
        expect(refusalsOf(run)).toEqual([
          [
            'Host denied.example.org:80 refused',
            expect.stringMatching(
              /add "denied\.example\.org" to `network` of the environment "demo"/,
            ),
          ],
        ]);
      },
    );
  },
);

it('a worker that can keep no run to a list takes none that has one (threats.md S21)', async () => {
  const bench = await openBench();
  await bench.start({ sandbox: 'direct' });
  const run = bench.fake([{ say: 'never' }], environmentOf(bench, { network: [] }));
  await bench.ended(run);
  expect(run.completed.at(-1)).toMatchObject({
    state: 'FAILED',
    message: expect.stringMatching(
      /lists the hosts[\s\S]*direct[\s\S]*bwrap or container/,
    ) as string,
  });
});
