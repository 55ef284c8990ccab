import { z } from 'zod';
import type { ModelProtocol } from '../profile/profile.ts';
import { parseJson } from './token-count.ts';

const chat = z.looseObject({
  stream: z.literal(true),
  messages: z.unknown(),
  stream_options: z.looseObject({}).nullish(),
});
const background = z.looseObject({ background: z.literal(true) });

/**
 * Changes the body of a call under a budget so that the answer says what it used: OpenAI's chat
 * streams do so only when asked. Undefined if that is not possible: background work is answered
 * before it is done.
 */
export function countableBody(protocol: ModelProtocol, body: string): string | undefined {
  if (protocol !== 'openai') return body;
  const parsed = parseJson(body);
  if (parsed === undefined || background.safeParse(parsed).success) return undefined;
  const stream = chat.safeParse(parsed).data;
  if (!stream) return body;
  return JSON.stringify({
    ...stream,
    stream_options: { ...stream.stream_options, include_usage: true },
  });
}
