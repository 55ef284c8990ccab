/** A tiny MCP server on stdio with one tool, `lookup`, that answers what it was asked. */
import { createInterface } from 'node:readline';

interface Request {
  id?: number;
  method: string;
  params?: { protocolVersion?: string; arguments?: { q?: string } };
}

const TOOL = {
  name: 'lookup',
  description: 'Looks a word up.',
  inputSchema: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] },
};

function answer({ method, params }: Request): object {
  if (method === 'initialize')
    return {
      protocolVersion: params?.protocolVersion ?? '2025-03-26',
      capabilities: { tools: {} },
      serverInfo: { name: 'tiny', version: '1' },
    };
  if (method === 'tools/list') return { tools: [TOOL] };
  if (method === 'tools/call')
    return { content: [{ type: 'text', text: `answer for ${params?.arguments?.q ?? ''}` }] };
  return {};
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const request = JSON.parse(line) as Request;
  if (request.id === undefined) return;
  process.stdout.write(
    `${JSON.stringify({ jsonrpc: '2.0', id: request.id, result: answer(request) })}\n`,
  );
});
