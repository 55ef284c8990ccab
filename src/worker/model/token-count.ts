import { z } from 'zod';

/** Longest line of a stream, and longest complete answer, that is searched for token counts. */
const LOOK_MAX = 8 * 1024 * 1024;

const count = z.number().nullish().catch(undefined);
const usage = z.looseObject({
  input_tokens: count,
  output_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
});
const maybe = <T extends z.ZodType>(schema: T) => schema.nullish().catch(undefined);

/**
 * The fields with token counts or the model's name, in the answers and stream events of all four
 * wire protocols.
 */
const told = z.looseObject({
  model: maybe(z.string()),
  modelVersion: maybe(z.string()),
  usage: maybe(usage),
  message: maybe(z.looseObject({ model: maybe(z.string()), usage: maybe(usage) })),
  response: maybe(z.looseObject({ model: maybe(z.string()), usage: maybe(usage) })),
  usageMetadata: maybe(z.looseObject({ totalTokenCount: count })),
});

export interface TokenCount {
  model: string | undefined;
  tokens: number;
}

/**
 * Counts the tokens of a model's answer while it passes through, as a whole or as a stream of
 * events. Later counts replace earlier ones, because all protocols send running totals.
 */
export class TokenCounter {
  #model: string | undefined;
  #input = 0;
  #output = 0;
  #total = 0;
  #rest = '';
  readonly #decoder = new TextDecoder();
  readonly #stream: boolean;

  constructor(stream: boolean) {
    this.#stream = stream;
  }

  push(chunk: Uint8Array): void {
    this.#rest += this.#decoder.decode(chunk, { stream: true });
    if (this.#rest.length > LOOK_MAX) this.#rest = '';
    if (!this.#stream) return;
    const lines = this.#rest.split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data:')) this.#read(line.slice(5));
  }

  end(): TokenCount {
    if (this.#rest !== '') this.#read(this.#rest.replace(/^data:/, ''));
    return { model: this.#model, tokens: this.#total || this.#input + this.#output };
  }

  #read(json: string): void {
    // Most events of a stream hold only text, so parse just those that mention a model or usage.
    if (!/[mM]odel|[uU]sage/.test(json)) return;
    const parsed = told.safeParse(parseJson(json));
    if (!parsed.success) return;
    const { usageMetadata, model, modelVersion } = parsed.data;
    const inner = parsed.data.message ?? parsed.data.response;
    this.#model = model ?? modelVersion ?? inner?.model ?? this.#model;
    this.#total = usageMetadata?.totalTokenCount ?? this.#total;
    this.#add(parsed.data.usage ?? inner?.usage);
  }

  #add(said: z.infer<typeof usage> | null | undefined): void {
    if (!said) return;
    const cached = (said.cache_creation_input_tokens ?? 0) + (said.cache_read_input_tokens ?? 0);
    const input = said.input_tokens ?? said.prompt_tokens;
    this.#input = input === null || input === undefined ? this.#input : input + cached;
    this.#output = said.output_tokens ?? said.completion_tokens ?? this.#output;
    this.#total = said.total_tokens ?? this.#total;
  }
}

/** Parses JSON; undefined if the text is not valid. */
export function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
