// Writes a .tgz file whose bytes depend on the packed files only.

import { crc32 } from "node:zlib";

interface PackedFile {
  path: string;
  bytes: Buffer;
}

const BLOCK_BYTES = 512;
/** The length field of a stored block has 16 bits. */
const STORED_BYTES_MAX = 0xffff;
/** The date that npm gives to packed files. */
const MODIFIED_SECONDS = 499_162_500;

export function packTar(files: PackedFile[]): Buffer {
  const entries = files.flatMap(({ path, bytes }) => [
    entryHeader(path, bytes.length),
    bytes,
    Buffer.alloc(-bytes.length & (BLOCK_BYTES - 1)),
  ]);
  return wrapGzip(Buffer.concat([...entries, Buffer.alloc(2 * BLOCK_BYTES)]));
}

/** A ustar header. */
function entryHeader(path: string, size: number): Buffer {
  if (Buffer.byteLength(path) > 100) throw new Error(`${path} is too long for a tar header`);
  const header = Buffer.alloc(BLOCK_BYTES);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, "0");
  header.write(path, 0);
  header.write(octal(0o644, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(size, 11), 124);
  header.write(octal(MODIFIED_SECONDS, 11), 136);
  header.write("        0", 148);
  header.write("ustar\x0000", 257);
  const checksum = header.reduce((sum, byte) => sum + byte, 0);
  header.write(`${octal(checksum, 6)}\0`, 148);
  return header;
}

/**
 * Not compressed: the output of zlib differs between versions and processors. A lockfile that names the service holds a hash
 * of this file, and it must be the same on every node.
 */
function wrapGzip(bytes: Buffer): Buffer {
  const parts: Buffer[] = [Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])];
  for (let start = 0; start < bytes.length; start += STORED_BYTES_MAX) {
    const stored = bytes.subarray(start, start + STORED_BYTES_MAX);
    const header = Buffer.alloc(5);
    header.writeUInt8(start + stored.length === bytes.length ? 1 : 0, 0);
    header.writeUInt16LE(stored.length, 1);
    header.writeUInt16LE(~stored.length & 0xffff, 3);
    parts.push(header, stored);
  }
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(bytes), 0);
  trailer.writeUInt32LE(bytes.length, 4);
  return Buffer.concat([...parts, trailer]);
}
