/**
 * The packets that the worker and a container beside it exchange over one socket: kind, length,
 * bytes.
 */
export const KIND = {
  hello: 0,
  order: 1,
  stdin: 2,
  stdinEnd: 3,
  stdout: 4,
  stderr: 5,
  exit: 6,
} as const;

export interface Packet {
  kind: number;
  bytes: Buffer;
}

const HEADER_BYTES = 5;
const PACKET_MAX_BYTES = 4 * 1024 * 1024;

export function packet(kind: number, content: Uint8Array | string = ''): Buffer {
  const bytes = Buffer.from(content);
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt8(kind, 0);
  header.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([header, bytes]);
}

/** Reads packets to the end of the stream. Throws if one is larger than we ever send. */
export async function* packets(stream: AsyncIterable<Buffer>): AsyncGenerator<Packet, void> {
  let held = Buffer.alloc(0);
  for await (const chunk of stream) {
    held = Buffer.concat([held, chunk]);
    while (held.length >= HEADER_BYTES) {
      const length = held.readUInt32BE(1);
      if (length > PACKET_MAX_BYTES) throw new Error('a packet is too large');
      if (held.length < HEADER_BYTES + length) break;
      yield { kind: held.readUInt8(0), bytes: held.subarray(HEADER_BYTES, HEADER_BYTES + length) };
      held = held.subarray(HEADER_BYTES + length);
    }
  }
}
