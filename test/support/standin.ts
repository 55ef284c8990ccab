import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, onTestFinished } from 'vitest';
import { z } from 'zod';
import { silentLog } from '../../src/base/log.ts';
import { startGithubStandIn, type GithubStandIn } from '../../src/demo/standin.ts';

const run = promisify(execFile);

/** A directory of its own for one test, removed after it. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'runlink-test-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

const start = (dataDir: string): Promise<GithubStandIn> =>
  startGithubStandIn({ dataDir, path: process.env['PATH'] ?? '', log: silentLog });

/** A stand-in for GitHub that all tests of a file share; ends with them. */
export async function standInOfFile(): Promise<GithubStandIn> {
  const directory = await mkdtemp(join(tmpdir(), 'runlink-test-'));
  const github = await start(directory);
  afterAll(async () => {
    await github.close();
    await rm(directory, { recursive: true, force: true });
  });
  return github;
}

/** The stand-in for GitHub on a directory of its own, closed after the test. */
export async function startStandIn(dataDir?: string): Promise<GithubStandIn> {
  const github = await start(dataDir ?? (await temporaryDirectory()));
  onTestFinished(() => github.close().catch(() => undefined));
  return github;
}

const payload = z.looseObject({
  action: z.string().optional(),
  comment: z.looseObject({ body: z.string() }).optional(),
});

/** A webhook as an App gets it. */
export interface ReceivedEvent {
  event: string;
  guid: string;
  signature: string;
  body: string;
  payload: z.infer<typeof payload>;
}

/** An App's webhook that keeps what it gets, and answers with the status it is told. */
export async function listenForEvents(
  github: GithubStandIn,
): Promise<{ events: ReceivedEvent[]; answerWith(status: number): void }> {
  const events: ReceivedEvent[] = [];
  let status = 202;
  const receive = async (request: IncomingMessage): Promise<void> => {
    const body = await readText(request);
    if (status >= 300) return;
    const header = (name: string): string => String(request.headers[name]);
    events.push({
      event: header('x-github-event'),
      guid: header('x-github-delivery'),
      signature: header('x-hub-signature-256'),
      body,
      payload: payload.parse(JSON.parse(body)),
    });
  };
  const server = createServer((request, response) => {
    void receive(request).finally(() => response.writeHead(status).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  github.setWebhookUrl(`http://127.0.0.1:${port}/hook`);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    events,
    answerWith(value) {
      status = value;
    },
  };
}

/** Clones the repository, commits a file on a branch and pushes it. Answers the commit. */
export async function pushFile(
  github: GithubStandIn,
  change: { branch: string; file: string; content: string; token: string; message?: string },
): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'runlink-clone-'));
  const credentials = Buffer.from(`x-access-token:${change.token}`).toString('base64');
  const git = async (...words: string[]): Promise<string> => {
    const header = `http.extraHeader=Authorization: Basic ${credentials}`;
    const { stdout } = await run('git', ['-c', header, ...words], { cwd: directory });
    return stdout.trim();
  };
  try {
    await git('clone', '--quiet', github.repository.cloneUrl, '.');
    const known = await git('branch', '--remotes', '--list', `origin/${change.branch}`);
    if (known) await git('checkout', '--quiet', change.branch);
    else await git('checkout', '--quiet', '-b', change.branch);
    await mkdir(dirname(join(directory, change.file)), { recursive: true });
    await writeFile(join(directory, change.file), change.content);
    await git('add', '--all');
    const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
    await git(...identity, 'commit', '--quiet', '-m', change.message ?? `Change ${change.file}`);
    await git('push', '--quiet', 'origin', change.branch);
    return await git('rev-parse', 'HEAD');
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
