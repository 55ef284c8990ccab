import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorMessage } from '../../base/error.ts';
import type { Log } from '../../base/log.ts';
import type { Reason } from '../../github/decide/reason.ts';
import type { Intake } from '../inbox/intake.ts';
import type { Metrics } from '../metrics.ts';
import { answerJson } from './answer.ts';
import { filterDelivery } from './filter.ts';
import { PAYLOAD_MAX_BYTES, readBody } from './read-body.ts';
import { isSigned } from './signature.ts';

export const WEBHOOK_PATH = '/api/github/webhooks';
/** GUIDs have 36 characters; anything much longer does not come from GitHub. */
const GUID_MAX = 128;

export interface ReceiveParts {
  secrets: readonly string[];
  phrase: string;
  intake: Intake;
  metrics: Pick<Metrics, 'deliveries' | 'acknowledged'>;
  log: Log;
  /** Called after something new was stored. */
  onStored: () => void;
}

interface Outcome {
  status: number;
  reason: Reason;
}

/**
 * Answers one webhook request: checks size and signature, filters, and stores it in one insert; the
 * answer is 202 with the reason code. An unsigned request is neither read nor kept (threats.md
 * G10).
 */
export async function receiveDelivery(
  parts: ReceiveParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const end = parts.metrics.acknowledged.startTimer();
  const guid = header(request, 'x-github-delivery');
  const event = header(request, 'x-github-event');
  const { status, reason } = await decide(parts, request, guid, event);
  if (status === 413) response.setHeader('connection', 'close');
  answerJson(response, status, { delivery: guid ?? null, reason });
  end();
  const known = status === 202 ? (event ?? 'none') : 'unverified';
  parts.metrics.deliveries.inc({ event: known, reason });
  parts.log.info({ delivery: guid, event, status, reason }, 'delivery received');
}

async function decide(
  parts: ReceiveParts,
  request: IncomingMessage,
  guid: string | undefined,
  event: string | undefined,
): Promise<Outcome> {
  if (request.method !== 'POST') return { status: 405, reason: 'method_not_allowed' };
  const body = await readBody(request, PAYLOAD_MAX_BYTES);
  if (body === 'too_large') return { status: 413, reason: 'payload_too_large' };
  if (!isSigned(body, header(request, 'x-hub-signature-256'), parts.secrets)) {
    return { status: 401, reason: 'bad_signature' };
  }
  if (!guid || guid.length > GUID_MAX || !event) return { status: 400, reason: 'headers_missing' };
  const filtered = filterDelivery({ event, guid }, body, parts.phrase);
  if ('dropped' in filtered) return { status: 202, reason: filtered.dropped };
  try {
    const reason = await parts.intake(filtered.delivery);
    if (reason === 'stored') parts.onStored();
    return { status: 202, reason };
  } catch (error) {
    parts.log.error({ delivery: guid, error: errorMessage(error) }, 'delivery could not be stored');
    return { status: 503, reason: 'inbox_unavailable' };
  }
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}
