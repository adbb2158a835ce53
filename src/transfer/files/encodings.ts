// The encodings of text files, and their byte order marks.

/** By the name in --encoding; the value is the name for people. */
export const ENCODING_NAMES = {
  "utf-8": "UTF-8",
  "utf-16le": "UTF-16LE",
  "utf-16be": "UTF-16BE",
  "windows-1252": "Windows-1252",
} as const;
export type Encoding = keyof typeof ENCODING_NAMES;
export const ENCODINGS = Object.keys(ENCODING_NAMES) as Encoding[];

const BYTE_ORDER_MARKS: Array<[Encoding, Buffer]> = [
  ["utf-8", Buffer.from([0xef, 0xbb, 0xbf])],
  ["utf-16le", Buffer.from([0xff, 0xfe])],
  ["utf-16be", Buffer.from([0xfe, 0xff])],
];

/** The encoding of the byte order mark at the beginning of a file. Undefined if there is none. */
export function findByteOrderMark(head: Buffer): Encoding | undefined {
  return BYTE_ORDER_MARKS.find(([, mark]) => head.subarray(0, mark.length).equals(mark))?.[0];
}
