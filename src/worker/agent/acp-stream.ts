import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import type { Readable, Writable } from 'node:stream';
import { z } from 'zod';
import { readLines, type Line } from './lines.ts';

const message = z.looseObject({ jsonrpc: z.literal('2.0').optional() });

export interface AcpTap {
  /** Receives every line of the agent first; the next line is read once this has settled. */
  line(line: Line, message: Record<string, unknown> | undefined): Promise<void>;
}

/**
 * The agent's stdio as a stream of protocol messages. The tap takes the updates, in order and with
 * back-pressure; requests and answers go on to the SDK. Other lines are skipped, because agents and
 * their tools print to stdout, too.
 */
export function acpStream(input: Writable, output: Readable, tap: AcpTap): Stream {
  const lines = readLines(output);
  const readable = new ReadableStream<AnyMessage>(
    {
      async pull(controller) {
        for (;;) {
          const next = await lines.next();
          if (next.done) return controller.close();
          const parsed = parseLine(next.value);
          await tap.line(next.value, parsed);
          if (parsed && parsed['method'] !== 'session/update') {
            controller.enqueue(parsed as AnyMessage);
            return;
          }
        }
      },
    },
    { highWaterMark: 1 },
  );
  const writable = new WritableStream<AnyMessage>({
    write: (value) =>
      new Promise<void>((resolve, reject) => {
        input.write(`${JSON.stringify(value)}\n`, (error) => (error ? reject(error) : resolve()));
      }),
  });
  return { readable, writable };
}

function parseLine(line: Line): Record<string, unknown> | undefined {
  if (line.cutBytes > 0 || !line.text.trimStart().startsWith('{')) return undefined;
  try {
    return message.safeParse(JSON.parse(line.text)).data;
  } catch {
    return undefined;
  }
}
