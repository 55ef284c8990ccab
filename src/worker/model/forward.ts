import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { request as send, type Dispatcher } from 'undici';
import { passedHeaders, passedQuery, type Metering } from './calls.ts';
import { countableBody } from './countable.ts';
import type { ModelSession } from './model-session.ts';
import { TokenCounter } from './token-count.ts';

/** How long a model may be silent, before its first word and between two. */
const SILENCE_MAX_MS = 10 * 60_000;
const ERROR_BODY_MAX = 4000;
/** Largest request under a budget: it is read completely before it is passed on. */
const BODY_MAX_BYTES = 64 * 1024 * 1024;

/**
 * Headers of an answer that are not passed on: they belong to the connection, or to the worker's
 * account.
 */
const KEPT_BACK: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'content-encoding',
  'set-cookie',
  'upgrade',
]);

export interface ModelCall {
  session: ModelSession;
  metering: Metering;
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  url: URL;
  dispatcher: Dispatcher | undefined;
  /** Aborted when the run is over. */
  over: AbortSignal;
}

/**
 * Passes a call on to its model with the real key, and passes the answer back while counting its
 * tokens.
 */
export async function forward(call: ModelCall): Promise<void> {
  const { session, outgoing, url } = call;
  const budgeted = session.budgetTokens !== undefined && call.metering === 'counted';
  const body = await bodyOf(call, budgeted);
  if (body === undefined)
    return refuseCall(outgoing, 400, 'What this call uses cannot be counted.');
  const answer = await ask(call, body, budgeted);
  outgoing.writeHead(answer.statusCode, answerHeaders(answer.headers));
  if (answer.statusCode >= 400) return await passFailure(session, answer, outgoing);
  const type = String(answer.headers['content-type'] ?? '');
  const counter = new TokenCounter(type.includes('event-stream'));
  await (budgeted ? passAndFinish : passWhileHeard)(answer.body, outgoing, counter);
  const { model, tokens } = counter.end();
  session.succeeded({ model: model ?? modelInPath(url), tokens }, call.metering);
}

type RequestBody = string | IncomingMessage | null;

async function bodyOf(call: ModelCall, budgeted: boolean): Promise<RequestBody | undefined> {
  if (call.incoming.method === 'GET') return null;
  return budgeted ? await countable(call) : call.incoming;
}

async function ask(
  { session, incoming, outgoing, url, over, dispatcher }: ModelCall,
  body: RequestBody,
  budgeted: boolean,
): Promise<Dispatcher.ResponseData> {
  const { baseUrl, header, key } = session.upstream;
  const gone = new AbortController();
  // Under a budget a call is read to its end even if the agent hangs up, so that it is counted.
  if (!budgeted) outgoing.once('close', () => gone.abort());
  return await send(new URL(baseUrl).origin + url.pathname + passedQuery(url), {
    method: body === null ? 'GET' : 'POST',
    headers: {
      ...passedHeaders(incoming.headers),
      'accept-encoding': 'identity',
      [header]: header === 'authorization' ? `Bearer ${key}` : key,
    },
    body,
    headersTimeout: SILENCE_MAX_MS,
    bodyTimeout: SILENCE_MAX_MS,
    signal: AbortSignal.any([gone.signal, over]),
    ...(dispatcher ? { dispatcher } : {}),
  });
}

async function countable({ session, incoming }: ModelCall): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  return countableBody(session.upstream.protocol, Buffer.concat(chunks).toString('utf8'));
}

type Body = Dispatcher.ResponseData['body'];

async function passWhileHeard(
  body: Body,
  outgoing: ServerResponse,
  counter: TokenCounter,
): Promise<void> {
  await pipeline(
    body,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        counter.push(chunk);
        yield chunk;
      }
    },
    outgoing,
  );
}

/** Reads an answer to its end, even if nobody takes it any more. */
async function passAndFinish(
  body: Body,
  outgoing: ServerResponse,
  counter: TokenCounter,
): Promise<void> {
  for await (const chunk of body as AsyncIterable<Buffer>) {
    counter.push(chunk);
    if (outgoing.destroyed || outgoing.write(chunk)) continue;
    await new Promise<void>((resolve) => {
      outgoing.once('drain', resolve).once('close', resolve);
    });
  }
  outgoing.end();
}

/** Gemini has the model's name in the URL, and not always in the answer. */
function modelInPath({ pathname }: URL): string | undefined {
  return /\/models\/([^/:]+)/.exec(pathname)?.[1];
}

async function passFailure(
  session: ModelSession,
  answer: Dispatcher.ResponseData,
  outgoing: ServerResponse,
): Promise<void> {
  // Some gateways repeat the refused key in their answer.
  const text = (await answer.body.text()).replaceAll(session.upstream.key, '***');
  outgoing.end(text);
  const said = /"message"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? text;
  session.failed({ status: answer.statusCode, message: said.slice(0, ERROR_BODY_MAX) });
}

function answerHeaders(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  const kept = Object.entries(headers).filter(
    ([name, value]) => value !== undefined && !KEPT_BACK.has(name),
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}

export function refuseCall(outgoing: ServerResponse, status: number, message: string): void {
  outgoing.writeHead(status, { 'content-type': 'application/json' });
  outgoing.end(JSON.stringify({ type: 'error', error: { type: 'proxy', code: status, message } }));
}
