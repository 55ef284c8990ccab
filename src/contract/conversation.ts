import { z } from 'zod';
import { keyed } from './keyed.ts';
import { timestamp } from './primitives.ts';

export const blockCategory = z.enum([
  'command',
  'files',
  'search',
  'integration',
  'documents',
  'computer',
  'review',
  'skill',
]);
export type BlockCategory = z.infer<typeof blockCategory>;

const messageId = z.string().optional();

/** Typed content of a message (interface.md 2.5). */
export const contentBlock = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string(), message_id: messageId }),
  z.object({
    type: z.literal('action'),
    id: z.string(),
    category: blockCategory,
    name: z.string(),
    input: keyed(z.string(), z.unknown()),
    message_id: messageId,
  }),
  z.object({
    type: z.literal('action_result'),
    action_id: z.string(),
    category: blockCategory,
    name: z.string(),
    state: z.enum(['running', 'completed', 'failed', 'denied']),
    output: keyed(z.string(), z.unknown()),
    message_id: messageId,
  }),
  z.object({
    type: z.literal('event'),
    name: z.string(),
    data: keyed(z.string(), z.unknown()),
    message_id: messageId,
  }),
]);
export type ContentBlock = z.infer<typeof contentBlock>;

export const message = z.object({
  role: z.enum(['user', 'assistant', 'tool', 'system']),
  content: z.array(contentBlock),
  message_ids: z.array(z.string()).optional(),
  timestamp: timestamp.optional(),
});
export type Message = z.infer<typeof message>;

export const step = z.object({
  id: z.string(),
  description: z.string().optional(),
  summary: z.string().optional(),
  started_at: timestamp.optional(),
  completed_at: timestamp.optional(),
  messages: z.array(message),
  /** Nested steps, such as the work of a sub-agent. */
  get steps() {
    return z.array(step);
  },
});
export type ConversationStep = z.infer<typeof step>;

export const conversationResponse = z.object({ conversation_id: z.string(), steps: z.array(step) });
export type Conversation = z.infer<typeof conversationResponse>;
