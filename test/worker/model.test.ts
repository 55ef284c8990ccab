import { LLMock } from '@copilotkit/aimock';
import {
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ModelSession } from '../../src/worker/model/model-session.ts';
import { ModelProxy } from '../../src/worker/model/proxy.ts';
import { findUpstream, type ModelUpstream } from '../../src/worker/model/upstream.ts';
import { BUILT_IN } from '../../src/worker/profile/built-in.ts';
import type { ModelProtocol } from '../../src/worker/profile/profile.ts';
import { namedPrograms, startCommand } from '../../src/worker/run/agent/agent-view.ts';
import { carriedProgram, placedProgram } from '../../src/worker/sandbox/program-view.ts';
import { temporaryDirectory } from '../support/worker-bench.ts';

const KEY = 'sk-the-real-key-of-the-worker';

async function startModel(): Promise<LLMock> {
  const model = new LLMock({ port: 0 });
  model.on({ userMessage: 'bad' }, { error: { message: 'that is bad' }, status: 400 });
  model.onMessage(/hello/, {
    content: 'Hi there!',
    usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 },
  });
  await model.start();
  onTestFinished(() => model.stop());
  return model;
}

interface Call {
  path: string;
  headers: (key: string) => Record<string, string>;
  body: (text: string, stream: boolean) => object;
}

const MESSAGES = (text: string) => [{ role: 'user', content: text }];
const CALLS: Record<string, Call & { protocol: ModelProtocol; base: string }> = {
  'Anthropic messages': {
    protocol: 'anthropic',
    base: '',
    path: '/v1/messages',
    headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
    body: (text, stream) => ({
      model: 'claude-x',
      max_tokens: 99,
      stream,
      messages: MESSAGES(text),
    }),
  },
  'OpenAI responses': {
    protocol: 'openai',
    base: '/v1',
    path: '/responses',
    headers: (key) => ({ authorization: `Bearer ${key}` }),
    body: (text, stream) => ({ model: 'gpt-x', stream, input: MESSAGES(text) }),
  },
  'OpenAI chat': {
    protocol: 'openai',
    base: '/v1',
    path: '/chat/completions',
    headers: (key) => ({ authorization: `Bearer ${key}` }),
    body: (text, stream) => ({
      model: 'gpt-x',
      stream,
      stream_options: { include_usage: true },
      messages: MESSAGES(text),
    }),
  },
  Gemini: {
    protocol: 'gemini',
    base: '',
    path: '/v1beta/models/gemini-x:generateContent',
    headers: (key) => ({ 'x-goog-api-key': key }),
    body: (text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
  },
};

const HEADER = {
  anthropic: 'x-api-key',
  openai: 'authorization',
  gemini: 'x-goog-api-key',
} as const;

async function openProxy(baseUrl: string, protocol: ModelProtocol, budgetTokens?: number) {
  const upstream: ModelUpstream = { protocol, baseUrl, header: HEADER[protocol], key: KEY };
  let exceeded = 0;
  const session = new ModelSession({
    upstream,
    budgetTokens,
    onExceeded: () => (exceeded += 1),
    onCall: () => undefined,
  });
  const proxy = new ModelProxy(undefined);
  const opened = await proxy.open(session, false);
  onTestFinished(() => proxy.close());
  return { session, ...opened, exceeded: () => exceeded };
}

async function call(
  { baseUrl, key }: { baseUrl: string; key: string },
  { path, headers, body }: Call,
  text: string,
  stream = false,
): Promise<{ status: number; text: string }> {
  const answer = await fetch(baseUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers(key) },
    body: JSON.stringify(body(text, stream)),
  });
  return { status: answer.status, text: await answer.text() };
}

describe.each(Object.entries(CALLS))('the way to a model by %s', (_, kind) => {
  it.each([false, true])(
    'passes answers and counts their tokens (streamed: %s)',
    async (stream) => {
      const model = await startModel();
      const { session, access } = await openProxy(model.url + kind.base, kind.protocol);
      const { status, text } = await call(access, kind, 'hello', stream);
      expect(status).toBe(200);
      expect(text.replaceAll(/[^A-Za-z!]/g, '')).toMatch(/Hi|here!/);
      const usage = session.takeUsage();
      expect(usage?.total_tokens).toBeGreaterThan(0);
      expect(usage?.model_token_usage).toHaveLength(1);
      expect(session.takeUsage()).toBeUndefined();
    },
  );

  it('remembers what the model refused, until a call goes well', async () => {
    const model = await startModel();
    const { session, access } = await openProxy(model.url + kind.base, kind.protocol);
    expect((await call(access, kind, 'bad')).status).toBe(400);
    expect(session.failure).toEqual({ status: 400, message: 'that is bad' });
    await call(access, kind, 'hello');
    expect(session.failure).toBeUndefined();
  });
});

describe('the key', () => {
  const kind = CALLS['Anthropic messages'];
  it('of a run opens nothing once the run is over, and no other key does', async () => {
    if (!kind) throw new Error('missing');
    const model = await startModel();
    const { access, close } = await openProxy(model.url, 'anthropic');
    expect(access.key).not.toContain(KEY);
    expect((await call({ ...access, key: KEY }, kind, 'hello')).status).toBe(401);
    await close();
    expect((await call(access, kind, 'hello')).status).toBe(401);
    expect(model.getRequests()).toHaveLength(0);
  });

  it('of the worker goes to the model only', async () => {
    if (!kind) throw new Error('missing');
    const model = await startModel();
    const { access } = await openProxy(model.url, 'anthropic');
    await call(access, kind, 'hello');
    const [request] = model.getRequests();
    expect(JSON.stringify(request)).not.toContain(access.key);
  });

  it('is looked for in the worker’s environment, as is the model’s address', () => {
    expect(findUpstream('anthropic', {})).toBeUndefined();
    expect(findUpstream('anthropic', { ANTHROPIC_AUTH_TOKEN: 't' })).toMatchObject({
      header: 'authorization',
      baseUrl: 'https://api.anthropic.com',
    });
    expect(
      findUpstream('openai', { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://x/v1/' }),
    ).toMatchObject({ key: 'k', baseUrl: 'http://x/v1' });
  });
});

describe('a budget', () => {
  it('is told once when it is reached, and shuts the way', async () => {
    const kind = CALLS['OpenAI chat'];
    if (!kind) throw new Error('missing');
    const model = await startModel();
    const { access, exceeded } = await openProxy(`${model.url}/v1`, 'openai', 1);
    expect((await call(access, kind, 'hello')).status).toBe(200);
    expect((await call(access, kind, 'hello')).status).toBe(403);
    expect(exceeded()).toBe(1);
  });
});

describe('a model that is not there', () => {
  it('is a network failure', async () => {
    const kind = CALLS['OpenAI chat'];
    if (!kind) throw new Error('missing');
    const { session, access } = await openProxy('http://127.0.0.1:9/v1', 'openai');
    expect((await call(access, kind, 'hello')).status).toBe(502);
    expect(session.failure).toMatchObject({ status: undefined });
  });
});

describe('the profiles', () => {
  it('never put a real key into command, environment or files', () => {
    const source = join(import.meta.dirname, '../../src/worker/profile');
    expect(readdirSync(source).length).toBeGreaterThan(9);
    for (const profile of Object.values(BUILT_IN)) {
      const launch = profile.launch({
        home: '/home/agent',
        given: '/given',
        cwd: '/ws',
        mode: 'normal',
        model: 'some-model',
        reasoningLevel: undefined,
        permissions: 'unasked',
        systemPrompt: 'SYSTEM "quoted"\nPROMPT',
        mcpServers: [],
        access: { baseUrl: 'http://127.0.0.1:1/v1', key: 'dummy' },
        command: undefined,
      });
      const all = JSON.stringify(launch);
      const usesModel = profile.protocol('some-model') !== undefined;
      expect(all.includes('dummy')).toBe(usesModel);
      expect(all.includes('http://127.0.0.1:1')).toBe(usesModel);
      expect(all.includes('some-model')).toBe(usesModel || profile.name === 'acp');
      expect(all.includes('SYSTEM')).toBe(profile.name !== 'demo');
    }
  });

  it('start by name what a container shows elsewhere, as pi’s adapter does pi', () => {
    const bin = temporaryDirectory();
    for (const name of ['pi-acp', 'pi'])
      writeFileSync(join(bin, name), '#!/usr/bin/env node\n', { mode: 0o755 });
    // As a directory is that the worker may not enter.
    const closed = join(bin, 'closed');
    symlinkSync('closed', closed);
    const options = { environment: { PATH: `${closed}:${bin}` } };
    const at = (program: string): string => `/runlink${realpathSync(program)}`;
    const tool = { tool: carriedProgram };
    const pi = { profile: BUILT_IN.pi, command: undefined };
    expect(namedPrograms(pi, options, tool)).toEqual([
      {
        path: 'bin/pi',
        content: `#!/bin/sh\nexec '${at(process.execPath)}' '${at(join(bin, 'pi'))}' "$@"\n`,
        executable: true,
      },
    ]);
    expect(namedPrograms(pi, options, { tool: placedProgram })).toEqual([]);
    const launch = { before: ['/bin/sh'], command: ['pi-acp'], env: {}, files: [] };
    expect(startCommand(launch, options, tool)).toEqual([
      '/bin/sh',
      at(process.execPath),
      at(join(bin, 'pi-acp')),
    ]);
  });

  it('read the same way from source and from the build', () => {
    const demo = readFileSync(new URL('../../src/worker/profile/demo.ts', import.meta.url), 'utf8');
    expect(demo).toContain('../../../examples/agents/demo.ts');
    expect(existsSync(new URL('../../examples/agents/demo.ts', import.meta.url))).toBe(true);
  });
});
