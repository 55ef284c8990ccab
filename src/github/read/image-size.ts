type Size = [width: number, height: number];

/**
 * Reads width and height in pixels from the first bytes, by type of image. Throws if they are not
 * there.
 */
export const IMAGE_SIZES = {
  png: (data: Buffer): Size => [data.readUInt32BE(16), data.readUInt32BE(20)],
  gif: (data: Buffer): Size => [data.readUInt16LE(6), data.readUInt16LE(8)],
  jpg: jpegSize,
  webp: webpSize,
};

/**
 * Skips the segments before the frame, which holds the size (ITU-T T.81, B.1.1.3). The other
 * markers in its range are tables.
 */
function jpegSize(data: Buffer): Size {
  let at = 2;
  for (;;) {
    const marker = data.readUInt16BE(at);
    const isFrame = marker >= 0xff_c0 && marker <= 0xff_cf && marker % 4 !== 0;
    if (isFrame || marker === 0xff_c0)
      return [data.readUInt16BE(at + 7), data.readUInt16BE(at + 5)];
    // Markers may be padded.
    at += marker === 0xff_ff ? 1 : 2 + data.readUInt16BE(at + 2);
  }
}

/** Lossy, lossless and extended files keep the size in different places (RFC 9649). */
function webpSize(data: Buffer): Size {
  const kind = data.toString('latin1', 12, 16);
  if (kind === 'VP8X') return [1 + data.readUIntLE(24, 3), 1 + data.readUIntLE(27, 3)];
  if (kind === 'VP8 ') return [data.readUInt16LE(26) % 0x4000, data.readUInt16LE(28) % 0x4000];
  const bits = data.readUInt32LE(21);
  return [1 + (bits % 0x4000), 1 + (Math.floor(bits / 0x4000) % 0x4000)];
}
