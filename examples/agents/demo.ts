/**
 * The demo agent: an Agent Client Protocol agent without a model. It follows a script of steps, yet
 * what it does is real: it reads the repository, runs the tests, repairs a failing one by trying
 * small changes, and commits. It exists so that anyone can see the whole path without an account.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { agent, ndJsonStream, RequestError, type AgentContext } from '@agentclientprotocol/sdk';
import { work } from './demo-script.ts';
import { createScreen } from './demo-screen.ts';

const SESSIONS = join(homedir(), '.runlink-demo');

interface Session {
  cwd: string;
  turns: number;
  running: AbortController | undefined;
}
const sessions = new Map<string, Session>();

const fileOf = (id: string): string => join(SESSIONS, `${id.replaceAll(/[^\w-]/g, '')}.json`);

async function save(id: string, session: Session): Promise<void> {
  await mkdir(SESSIONS, { recursive: true });
  await writeFile(fileOf(id), JSON.stringify({ cwd: session.cwd, turns: session.turns }));
}

async function open(id: string, cwd: string, turns: number): Promise<void> {
  const session = { cwd, turns, running: undefined };
  sessions.set(id, session);
  await save(id, session);
}

async function load(id: string, cwd: string): Promise<void> {
  const stored = await readFile(fileOf(id), 'utf8').catch(() => undefined);
  if (stored === undefined) throw RequestError.resourceNotFound(id);
  const { turns } = JSON.parse(stored) as { turns: number };
  await open(id, cwd, turns);
}

async function prompt(id: string, text: string, client: AgentContext): Promise<boolean> {
  const session = sessions.get(id);
  if (!session) throw RequestError.resourceNotFound(id);
  session.running = new AbortController();
  session.turns += 1;
  await save(id, session);
  const screen = createScreen(client, id, session.turns);
  try {
    await work({ request: text, cwd: session.cwd, screen, signal: session.running.signal });
    return true;
  } catch (error) {
    if (session.running.signal.aborted) return false;
    throw error;
  } finally {
    session.running = undefined;
  }
}

const connection = agent({ name: 'demo' })
  .onRequest('initialize', () => ({
    protocolVersion: 1,
    agentInfo: { name: 'demo', title: 'Demo agent (a script, no model)', version: '1' },
    agentCapabilities: { loadSession: true },
    authMethods: [],
  }))
  .onRequest('session/new', async ({ params }) => {
    const sessionId = randomUUID();
    await open(sessionId, params.cwd, 0);
    return { sessionId };
  })
  .onRequest('session/load', async ({ params }) => {
    await load(params.sessionId, params.cwd);
    return {};
  })
  .onRequest('session/prompt', async ({ params, client }) => {
    const text = params.prompt.map((block) => ('text' in block ? block.text : '')).join('\n');
    const ended = await prompt(params.sessionId, text, client);
    return { stopReason: ended ? 'end_turn' : 'cancelled' };
  })
  .onNotification('session/cancel', ({ params }) => {
    sessions.get(params.sessionId)?.running?.abort();
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));

await connection.closed;
