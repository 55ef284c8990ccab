import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

const request = z.looseObject({ tools: z.array(z.looseObject({ name: z.string().optional() })) });

/**
 * codex finds MCP tools by a search of its own, and calls them by group and name; the model server
 * knows neither. Here the one tool is shown to it as a plain one, and its call is put into codex's
 * form.
 */
export async function startToolGroups(
  upstream: string,
  tool: { server: string; tool: string },
): Promise<string> {
  const group = `mcp__${tool.server}`;
  const name = `${group}__${tool.tool}`;
  const plain = { type: 'function', name, parameters: { type: 'object', properties: { q: {} } } };
  const show = (body: string): string => {
    const parsed = request.safeParse(JSON.parse(body));
    if (!parsed.success) return body;
    return JSON.stringify({ ...parsed.data, tools: [...parsed.data.tools, plain] });
  };
  const pass = async (incoming: IncomingMessage, signal: AbortSignal): Promise<Response> => {
    const body = await text(incoming);
    return await fetch(upstream + (incoming.url ?? '/'), {
      method: incoming.method ?? 'GET',
      headers: { 'content-type': 'application/json' },
      body: body === '' ? null : show(body),
      signal,
    });
  };
  const server = createServer((incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.once('close', () => gone.abort());
    const answer = async (): Promise<void> => {
      const response = await pass(incoming, gone.signal);
      const type = response.headers.get('content-type') ?? 'application/json';
      outgoing.writeHead(response.status, { 'content-type': type });
      const grouped = `"namespace":"${group}","name":"${tool.tool}"`;
      outgoing.end((await response.text()).replaceAll(`"name":"${name}"`, grouped));
    };
    answer().catch(() => outgoing.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
