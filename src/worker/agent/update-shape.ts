import { z } from 'zod';

/**
 * The fields that are read of a `session/update`. Parsing is lenient, because agents deviate from
 * the protocol's schema in small ways, such as empty first tool calls, or null for an absent field.
 * One unreadable field must not cost the others.
 */
const loose = <T extends z.ZodType>(schema: T) => schema.nullish().catch(undefined);

const contentText = z.looseObject({ type: z.string(), text: loose(z.string()) });

const toolContent = z.looseObject({
  type: z.string(),
  content: loose(contentText),
  path: loose(z.string()),
  oldText: loose(z.string()),
  newText: loose(z.string()),
});

const terminalMeta = z.looseObject({ data: loose(z.string()) });

const meta = z.looseObject({
  terminal_output: loose(terminalMeta),
  terminal_output_delta: loose(terminalMeta),
  terminal_exit: loose(z.looseObject({ exit_code: loose(z.int()) })),
  claudeCode: loose(
    z.looseObject({ toolName: loose(z.string()), parentToolUseId: loose(z.string()) }),
  ),
});

export const toolUpdate = z.looseObject({
  toolCallId: z.string().min(1),
  kind: loose(z.string()),
  title: loose(z.string()),
  name: loose(z.string()),
  status: loose(z.enum(['pending', 'in_progress', 'completed', 'failed'])),
  rawInput: loose(z.record(z.string(), z.unknown())),
  rawOutput: z.unknown().optional(),
  content: loose(z.array(toolContent)),
  locations: loose(z.array(z.looseObject({ path: z.string() }))),
  _meta: loose(meta),
});
export type ToolUpdate = z.infer<typeof toolUpdate>;

export const chunkUpdate = z.looseObject({
  messageId: loose(z.string()),
  content: contentText,
});

export const planUpdate = z.looseObject({
  entries: z.array(
    z.looseObject({
      content: z.string(),
      status: loose(z.string()),
      priority: loose(z.string()),
    }),
  ),
});

export const usageUpdate = z.looseObject({
  cost: loose(z.looseObject({ amount: z.number(), currency: loose(z.string()) })),
});

/** The part that all `session/update` notifications have in common. */
export const updateNotification = z.looseObject({
  method: z.literal('session/update'),
  params: z.looseObject({
    update: z.looseObject({ sessionUpdate: z.string() }),
  }),
});

/** Text of a tool's raw output, if it has one of the forms that agents use. */
export function rawOutputText(raw: unknown): string | undefined {
  if (typeof raw === 'string') return raw;
  const parsed = rawOutput.safeParse(raw);
  if (!parsed.success) return undefined;
  const { output, stdout, content, result } = parsed.data;
  const parts = content ?? result?.content ?? [];
  return output ?? stdout ?? (parts.map((part) => part.text ?? '').join('') || undefined);
}

/** Exit code of a command, if the raw output contains one. */
export function rawExitCode(raw: unknown): number | undefined {
  const parsed = rawOutput.safeParse(raw);
  if (!parsed.success) return undefined;
  return parsed.data.exit_code ?? parsed.data.metadata?.exit ?? undefined;
}

const parts = z.array(z.looseObject({ text: loose(z.string()) }));
const rawOutput = z.looseObject({
  output: loose(z.string()),
  stdout: loose(z.string()),
  exit_code: loose(z.int()),
  metadata: loose(z.looseObject({ exit: loose(z.int()) })),
  content: loose(parts),
  result: loose(z.looseObject({ content: loose(parts) })),
});
