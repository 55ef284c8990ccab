/**
 * An Agent Client Protocol agent that does what the prompt says: `<<SCRIPT[ … ]SCRIPT>>` holds a
 * list of steps. It has no model and no SDK, so that it starts at once and can also break every
 * rule.
 */
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

export type FakeStep =
  | { say: string; id?: string }
  | { think: string }
  | { plan: string[] }
  | { shell: string }
  | { write: string; text: string }
  | { open: string }
  | { ask: string }
  | { elicit: string }
  | { daemon: string }
  | { raw: string }
  | { burst: number }
  | { output: number }
  | { line: number }
  | { environment: true }
  | { servers: true }
  | { model: object }
  | { wait: true }
  | { hang: true }
  | { deaf: true }
  | { exit: number }
  | { fail: string; code: number }
  | { usage: number }
  | { stop: string };

type Message = Record<string, unknown> & { id?: number; method?: string };

interface Params {
  sessionId?: string;
  cwd?: string;
  mcpServers?: unknown;
  prompt?: { text?: string }[];
}

const store = (id: string): string => join(homedir(), `.fake-${id}.json`);
const write = (message: object): boolean =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

let session = '';
let cwd = process.cwd();
let servers: unknown = [];
let deaf = false;
let usage: object | undefined;
let calls = 0;
let nextId = 1000;
let cancelled: (() => void) | undefined;
const answers = new Map<number, (result: unknown) => void>();

function update(body: object): void {
  write({ method: 'session/update', params: { sessionId: session, update: body } });
}

function say(text: string, messageId = 'm'): void {
  const content = { type: 'text', text };
  update({ sessionUpdate: 'agent_message_chunk', messageId, content });
}

function ask(method: string, params: object): Promise<unknown> {
  nextId += 1;
  write({ id: nextId, method, params: { sessionId: session, ...params } });
  return new Promise((resolve) => answers.set(nextId, resolve));
}

function call(kind: string, title: string): string {
  calls += 1;
  const toolCallId = `call-${calls}`;
  update({ sessionUpdate: 'tool_call', toolCallId, kind, title, status: 'in_progress' });
  return toolCallId;
}

function end(toolCallId: string, text: string, exit_code = 0): void {
  update({
    sessionUpdate: 'tool_call_update',
    toolCallId,
    status: exit_code === 0 ? 'completed' : 'failed',
    content: [{ type: 'content', content: { type: 'text', text } }],
    rawOutput: { exit_code },
  });
}

async function drained(): Promise<void> {
  if (process.stdout.writableNeedDrain)
    await new Promise((resolve) => process.stdout.once('drain', resolve));
}

async function output(megabytes: number): Promise<void> {
  const toolCallId = call('execute', 'produce output');
  const data = `${'x'.repeat(1023)}\n`.repeat(64);
  const piece = (text: string): void =>
    update({
      sessionUpdate: 'tool_call_update',
      toolCallId,
      _meta: { terminal_output_delta: { data: text } },
    });
  piece('HEAD\n');
  for (let index = 0; index < megabytes * 16; index += 1) {
    piece(data);
    await drained();
  }
  piece('TAIL\n');
  end(toolCallId, '');
}

async function burst(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    say(`${index}\n`, `burst-${index}`);
    await drained();
  }
}

function shell(command: string): void {
  const toolCallId = call('execute', command);
  try {
    end(toolCallId, execFileSync('sh', ['-c', command], { cwd, encoding: 'utf8' }));
  } catch (error) {
    const { status, stdout } = error as { status: number; stdout: string };
    end(toolCallId, stdout, status);
  }
}

const ended = (stopReason: string): object => ({ stopReason, ...(usage ? { usage } : {}) });

/** Answers the turn's result, or undefined to go on with the next step. */
async function take(step: FakeStep): Promise<object | undefined> {
  if ('say' in step) say(step.say, step.id);
  else if ('think' in step)
    update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: step.think } });
  else if ('plan' in step)
    update({
      sessionUpdate: 'plan',
      entries: step.plan.map((content) => ({ content, status: 'pending', priority: 'low' })),
    });
  else if ('shell' in step) shell(step.shell);
  else if ('write' in step) {
    mkdirSync(dirname(join(cwd, step.write)), { recursive: true });
    writeFileSync(join(cwd, step.write), step.text);
    end(call('edit', `Edit ${step.write}`), 'done');
  } else if ('open' in step) call('execute', step.open);
  else return await takeOdd(step);
  return undefined;
}

type Odd = Exclude<
  FakeStep,
  { say: string } | { think: string } | { plan: string[] } | { shell: string } | { open: string }
>;

async function takeOdd(step: Odd): Promise<object | undefined> {
  if ('ask' in step) {
    const options = [
      { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
      { optionId: 'no', name: 'No', kind: 'reject_once' },
    ];
    const toolCall = { toolCallId: call('execute', step.ask), title: step.ask };
    say(JSON.stringify(await ask('session/request_permission', { toolCall, options })));
  } else if ('elicit' in step) {
    const requestedSchema = { type: 'object', properties: { answer: { type: 'string' } } };
    await ask('elicitation/create', { mode: 'form', message: step.elicit, requestedSchema });
  } else if ('daemon' in step) {
    const child = spawn('sh', ['-c', step.daemon], { detached: true, stdio: 'ignore', cwd });
    child.unref();
  } else if ('raw' in step) process.stdout.write(`${step.raw}\n`);
  else if ('burst' in step) await burst(step.burst);
  else if ('output' in step) await output(step.output);
  else if ('line' in step) process.stdout.write(`{"a":"${'y'.repeat(step.line * 1024 * 1024)}"}\n`);
  else return await takeRest(step);
  return undefined;
}

type Rest = Exclude<
  Odd,
  { ask: string } | { elicit: string } | { daemon: string } | { raw: string } | { burst: number }
>;

async function takeRest(step: Rest): Promise<object | undefined> {
  if ('environment' in step) say(JSON.stringify(process.env));
  else if ('servers' in step) say(JSON.stringify(servers));
  else if ('model' in step) await callModel(step.model);
  else if ('wait' in step) return await untilCancelled();
  else if ('hang' in step) await new Promise(() => undefined);
  else return takeEnd(step);
  return undefined;
}

type End = Exclude<Rest, { environment: true } | { servers: true } | { model: object }>;

function takeEnd(step: End): object | undefined {
  if ('deaf' in step) deaf = true;
  else if ('exit' in step) process.exit(step.exit);
  else if ('fail' in step) throw Object.assign(new Error(step.fail), { code: step.code });
  else if ('usage' in step) usage = { totalTokens: step.usage };
  else if ('stop' in step) return ended(step.stop);
  return undefined;
}

/** Calls an Anthropic model where opencode, in whose place it then stands, is told to. */
async function callModel(body: object): Promise<void> {
  const file = process.env['OPENCODE_CONFIG_CONTENT'] ?? '';
  const [, url] = /"baseURL":"([^"]+)"/.exec(file) ?? [];
  const [, key = ''] = /"apiKey":"([^"]+)"/.exec(file) ?? [];
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify(body) };
  const answer = await fetch(`${url}/messages`, request);
  say(`${answer.status} ${await answer.text()}`);
}

async function untilCancelled(): Promise<object> {
  await new Promise<void>((resolve) => {
    cancelled = resolve;
  });
  return ended('cancelled');
}

async function prompt(text: string): Promise<object> {
  const script =
    /<<SCRIPT(\[.*?\])SCRIPT>>/s.exec(text)?.[1] ?? `[{"say":${JSON.stringify(text)}}]`;
  usage = undefined;
  for (const step of JSON.parse(script) as FakeStep[]) {
    const result = await take(step);
    if (result) return result;
  }
  return ended('end_turn');
}

function open(params: Params): object {
  session = params.sessionId ?? randomUUID();
  cwd = params.cwd ?? cwd;
  servers = params.mcpServers;
  writeFileSync(store(session), '{}');
  return { sessionId: session };
}

const METHODS: Record<string, (params: Params) => object | Promise<object>> = {
  initialize: () => ({
    protocolVersion: 1,
    agentCapabilities: { loadSession: true },
    authMethods: [],
  }),
  'session/new': (params) => open(params),
  'session/load': (params) => {
    if (!existsSync(store(params.sessionId ?? ''))) throw new Error('session not found');
    open(params);
    return {};
  },
  'session/prompt': (params) =>
    prompt((params.prompt ?? []).map(({ text = '[image]' }) => text).join('')),
  'session/cancel': () => {
    if (!deaf) cancelled?.();
    return {};
  },
};

async function handle(message: Message): Promise<object> {
  const method = METHODS[message.method ?? ''];
  if (!method) throw new Error('unknown method');
  return method(message['params'] ?? {});
}

if (process.argv[2] === '--ignore-signals')
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => undefined);
if (process.argv[2] === '--die') {
  process.stderr.write('no licence found\n');
  process.exit(3);
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line) as Message;
  if (message.method === undefined && message.id !== undefined)
    return answers.get(message.id)?.(message['result']);
  handle(message).then(
    (result) => message.id !== undefined && write({ id: message.id, result }),
    (error: Error & { code?: number }) =>
      write({
        id: message.id,
        error: { code: error.code ?? -32_603, message: error.message },
      }),
  );
});
