import { z } from 'zod';
import { OF_RUNS, endpoint } from './endpoint.ts';
import { filledText, text, timestamp } from './primitives.ts';

const RECIPIENTS_MAX = 32;
const PAGE = { default: 50, max: 100 } as const;

const runId = z.string().max(64);
const sendMessageRequest = z.object({
  to: z.array(runId).min(1).max(RECIPIENTS_MAX),
  subject: filledText(1024),
  body: text(131_072),
  sender_run_id: runId,
});

const listMessagesQuery = z.object({
  unread: z.boolean().default(false),
  since: timestamp.optional(),
  limit: z.int().min(1).max(PAGE.max).default(PAGE.default),
});

const messageItem = z.object({
  message_id: z.string(),
  sender_run_id: z.string(),
  subject: z.string(),
  sent_at: timestamp,
  delivered_at: timestamp.nullable(),
  read_at: timestamp.nullable(),
});

/** Messages from one run to others (interface.md 4.2). */
export const messages = {
  send: endpoint({
    ...OF_RUNS,
    method: 'POST',
    path: '/agent/messages',
    summary: 'Send a message from one run to others; agents at work hear it as a follow-up.',
    body: sendMessageRequest,
    answer: z.object({ message_ids: z.array(z.string()) }),
    errors: ['resource_not_found', 'conflict', 'operation_not_supported'],
    once: true,
  }),
  list: endpoint({
    ...OF_RUNS,
    method: 'GET',
    path: '/agent/messages/{runId}',
    summary: 'Messages that a run was sent, oldest first.',
    query: listMessagesQuery,
    answer: z.array(messageItem),
    errors: ['invalid_request', 'resource_not_found'],
  }),
  read: endpoint({
    ...OF_RUNS,
    method: 'POST',
    path: '/agent/messages/{messageId}/read',
    summary: 'A message with its text, from now on read.',
    answer: messageItem.extend({ body: z.string() }),
    errors: ['resource_not_found'],
    idempotent: true,
  }),
  delivered: endpoint({
    ...OF_RUNS,
    method: 'POST',
    path: '/agent/messages/{messageId}/delivered',
    summary: 'Say that a message has arrived.',
    answer: 'empty',
    errors: ['resource_not_found'],
    idempotent: true,
  }),
} as const;
