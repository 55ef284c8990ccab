import type { z } from 'zod';
import type { conversationResponse, step } from '../../contract/conversation.ts';
import { clean, oneLine } from './text.ts';

type Step = z.output<typeof step>;

/** A conversation as plain lines: who said what, which tools were used and how that ended. */
export function conversationText(conversation: z.output<typeof conversationResponse>): string {
  return conversation.steps.flatMap(stepLines).join('\n');
}

function stepLines({ messages, steps }: Step): string[] {
  const own = messages.flatMap(({ role, content }) =>
    content.flatMap((block) => {
      if (block.type === 'text') return [`${role}: ${clean(block.text)}`];
      if (block.type === 'action')
        return [`  ${oneLine(`${block.name} ${JSON.stringify(block.input)}`)}`];
      return block.type === 'action_result' ? [`  → ${block.state}`] : [];
    }),
  );
  return [...own, ...steps.flatMap(stepLines)];
}
