// The encodings of text files and how they are recognised, in the commands and in the console.

/** By the name in --encoding; the value is the name for people. */
export const ENCODING_NAMES = {
  "utf-8": "UTF-8",
  "utf-16le": "UTF-16LE",
  "utf-16be": "UTF-16BE",
  "windows-1252": "Windows-1252",
} as const;
export type Encoding = keyof typeof ENCODING_NAMES;
export const ENCODINGS = Object.keys(ENCODING_NAMES) as Encoding[];

const BYTE_ORDER_MARKS: Array<[Encoding, number[]]> = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/** The bytes at the beginning of a file in which `findUtf16` looks. */
export const HEAD_BYTES = 4096;
/** In UTF-16, ASCII characters such as delimiters and digits have a zero byte, always on the same side. */
const UTF16_ZEROS_MIN = 0.2;
const UTF16_SIDES_RATIO = 5;

/** The encoding of the byte order mark at the beginning of a file. Undefined if there is none. */
export function findByteOrderMark(head: Uint8Array): Encoding | undefined {
  return BYTE_ORDER_MARKS.find(([, mark]) => mark.every((byte, at) => head[at] === byte))?.[0];
}

/** Without a byte order mark. Undefined for text in another encoding. */
export function findUtf16(head: Uint8Array): Encoding | undefined {
  const zeros = [0, 0];
  for (const [at, byte] of head.entries()) if (byte === 0) (zeros[at % 2] as number) += 1;
  const [even = 0, odd = 0] = zeros;
  const isMany = (count: number, other: number) =>
    count >= (UTF16_ZEROS_MIN * head.length) / 2 && count > UTF16_SIDES_RATIO * other;
  if (isMany(odd, even)) return "utf-16le";
  return isMany(even, odd) ? "utf-16be" : undefined;
}

/** One damaged character must not turn all others of a UTF-8 file into wrong ones: the check reports its row. */
export function chooseEncoding({ valid, invalid }: { valid: number; invalid: number }): Encoding {
  return invalid <= valid ? "utf-8" : "windows-1252";
}

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
