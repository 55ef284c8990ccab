import type { ServerResponse } from 'node:http';
import type { Reason } from '../../github/decide/reason.ts';

/** Why a request was not taken. */
export function answerReason(response: ServerResponse, status: number, reason: Reason): void {
  answerJson(response, status, { reason });
}

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
