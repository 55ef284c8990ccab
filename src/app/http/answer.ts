import type { ServerResponse } from 'node:http';

export function answerJson(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value);
  response
    .writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'x-content-type-options': 'nosniff',
    })
    .end(body);
}
