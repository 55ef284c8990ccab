import type { EntryDraft } from '../agent/translate.ts';
import { BoundedText } from './bounded-text.ts';
import type { Masker } from './mask.ts';

interface Stream {
  text: BoundedText;
  /** Makes an entry for text that was held back. */
  carry(delta: string): EntryDraft;
}

interface Passed {
  drafts: EntryDraft[];
  partial: boolean;
}

/** Texts that grow over several entries: messages, thoughts and the output of tool calls. */
export class TextStreams {
  readonly #masker: Masker;
  readonly #streams = new Map<string, Stream>();
  #speaking = '';

  constructor(masker: Masker) {
    this.#masker = masker;
  }

  /**
   * Returns the entry with only that part of its text that may be sent now. `partial` means that
   * its raw line must not be kept: part of its text was left out or held back, perhaps because a
   * secret begins in it and ends in the next one.
   */
  pass(draft: EntryDraft): Passed {
    if (draft.type === 'message' || draft.type === 'thought') {
      const key = `${draft.type}:${draft.message_id}`;
      const earlier = this.#speaking === key ? [] : this.#end(this.#speaking);
      this.#speaking = key;
      const { delta, ...flags } = this.#push(key, draft.delta, (text) => ({
        ...draft,
        delta: text,
      }));
      return { drafts: [...earlier, ...(delta === '' ? [] : [{ ...draft, delta }])], ...flags };
    }
    if (draft.type === 'protocol') return { drafts: [draft], partial: false };
    // Whoever acts has finished speaking, so what was held back of the message can be sent.
    const spoken = this.#end(this.#speaking);
    this.#speaking = '';
    const { drafts, partial } =
      draft.type === 'tool_call' ? this.#tool(draft) : { drafts: [draft], partial: false };
    return { drafts: [...spoken, ...drafts], partial };
  }

  endAll(): EntryDraft[] {
    this.#speaking = '';
    return [...this.#streams.keys()].flatMap((key) => this.#end(key));
  }

  #tool(draft: Extract<EntryDraft, { type: 'tool_call' }>): Passed {
    const { call_id, output_delta, ...rest } = draft;
    const key = `tool:${call_id}`;
    const carry = (text: string): EntryDraft => ({
      type: 'tool_call',
      call_id,
      output_delta: text,
    });
    const output =
      output_delta === undefined
        ? { delta: '', partial: false }
        : this.#push(key, output_delta, carry);
    const tail = draft.status === 'completed' || draft.status === 'failed' ? this.#end(key) : [];
    // Skip an entry that held nothing but output which may not be sent yet.
    const bare = Object.keys(rest).length === 1 && output.delta === '';
    const text = output.delta === '' ? {} : { output_delta: output.delta };
    return {
      drafts: [...(bare ? [] : [{ ...rest, call_id, ...text }]), ...tail],
      partial: output.partial,
    };
  }

  #push(
    key: string,
    piece: string,
    carry: (text: string) => EntryDraft,
  ): { delta: string; partial: boolean } {
    const stream = this.#streams.get(key) ?? { text: new BoundedText(this.#masker), carry };
    this.#streams.set(key, stream);
    const delta = stream.text.push(piece);
    return { delta, partial: delta !== piece };
  }

  #end(key: string): EntryDraft[] {
    const stream = this.#streams.get(key);
    this.#streams.delete(key);
    const rest = stream?.text.end() ?? '';
    return stream && rest !== '' ? [stream.carry(rest)] : [];
  }
}
