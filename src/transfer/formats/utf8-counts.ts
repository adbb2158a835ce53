// Counts the valid and invalid sequences of bytes outside ASCII in text that may be UTF-8.

export interface Utf8Counts {
  push(bytes: Uint8Array): void;
  /** Call it once, after the last byte. An incomplete sequence at the end is invalid. */
  end(): { valid: number; invalid: number };
}

/** The allowed range of the second byte, where it is smaller than 80 to BF (RFC 3629, section 4). */
const SECOND_BYTE: Record<number, [low: number, high: number]> = {
  224: [0xa0, 0xbf],
  237: [0x80, 0x9f],
  240: [0x90, 0xbf],
  244: [0x80, 0x8f],
};

/** `isAscii` skips pieces of a long file much faster. The function of Node cannot be imported here: the console has none. */
export function createUtf8Counts(isAscii: (bytes: Uint8Array) => boolean = () => false): Utf8Counts {
  let valid = 0;
  let invalid = 0;
  /** Bytes that are missing in the current sequence, and the range of the next one. */
  let missing = 0;
  let low = 0x80;
  let high = 0xbf;

  function readByte(byte: number): void {
    if (missing > 0) {
      if (byte >= low && byte <= high) {
        [low, high] = [0x80, 0xbf];
        missing -= 1;
        if (missing === 0) valid += 1;
        return;
      }
      missing = 0;
      invalid += 1;
    }
    if (byte < 0x80) return;
    missing = followersOf(byte);
    [low, high] = SECOND_BYTE[byte] ?? [0x80, 0xbf];
    if (missing === 0) invalid += 1;
  }

  return {
    push(bytes) {
      if (missing === 0 && isAscii(bytes)) return;
      for (const byte of bytes) readByte(byte);
    },
    end: () => ({ valid, invalid: invalid + (missing > 0 ? 1 : 0) }),
  };
}

/** How many bytes follow the first byte of a sequence; 0 for a byte that cannot be the first. */
function followersOf(byte: number): number {
  if (byte >= 0xc2 && byte <= 0xdf) return 1;
  if (byte >= 0xe0 && byte <= 0xef) return 2;
  return byte >= 0xf0 && byte <= 0xf4 ? 3 : 0;
}
