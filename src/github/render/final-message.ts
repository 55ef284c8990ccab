import type { Conversation, ConversationStep } from '../../contract/conversation.ts';

/**
 * The agent's last words: the last message that it wrote. A message of an outer step counts before
 * those of inner steps.
 */
export function finalMessage(conversation: Pick<Conversation, 'steps'>): string | undefined {
  for (const step of conversation.steps.toReversed()) {
    const text = lastText(step);
    if (text !== undefined) return text;
  }
  return undefined;
}

function lastText(step: ConversationStep): string | undefined {
  for (const message of step.messages.toReversed()) {
    if (message.role !== 'assistant') continue;
    const text = message.content
      .flatMap((block) => (block.type === 'text' ? [block.text] : []))
      .join('')
      .trim();
    if (text !== '') return text;
  }
  return finalMessage(step);
}
