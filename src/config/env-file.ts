// Reads a file of environment variables, in the format of Node's --env-file.

import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { parseEnv } from "node:util";
import { READ_AT_ONCE } from "../tools/open-flags.ts";
import { OperatorError } from "../tools/operator-error.ts";

const ASSIGNMENT = /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*=\s*(["'`]?)/;
const BLANK_OR_COMMENT = /^\s*(?:#|$)/;
const READABLE_BY_OTHERS = 0o004;
const SIZE_MAX = 2 ** 20;

export interface EnvFile {
  variables: Record<string, string>;
  /** The line of each name, counted from 1; the last one if a name occurs twice. */
  lines: Map<string, number>;
  isReadableByOthers: boolean;
}

/**
 * Undefined if there is no such file, or if its folder is closed to this user. Throws an OperatorError that never quotes
 * the file: it may hold secrets.
 */
export function readEnvFile(path: string): EnvFile | undefined {
  if (!existsSync(path)) return undefined;
  const { bytes, isReadableByOthers } = readBytes(path);
  const text = decode(path, bytes);
  const lines = findNames(text, (fault) => {
    throw new OperatorError(`${path} is not valid: ${fault}.`);
  });
  return { variables: parseEnv(text) as Record<string, string>, lines, isReadableByOthers };
}

function readBytes(path: string): { bytes: Buffer; isReadableByOthers: boolean } {
  let fd: number | undefined;
  try {
    fd = openSync(path, READ_AT_ONCE);
    const stats = fstatSync(fd);
    // ENV_FILE=/dev/null turns the file off.
    if (!stats.isFile() && !stats.isCharacterDevice()) throw new Error("it is not a regular file");
    return { bytes: readAll(fd), isReadableByOthers: (stats.mode & READABLE_BY_OTHERS) !== 0 };
  } catch (error) {
    const { message } = error as Error;
    throw new OperatorError(
      `The settings in ${path} cannot be read (${message}). Make it a file that this user may read, or remove it.`,
    );
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function readAll(fd: number): Buffer {
  const bytes = Buffer.alloc(SIZE_MAX + 1);
  let length = 0;
  for (let read = -1; read !== 0 && length <= SIZE_MAX; length += read)
    read = readSync(fd, bytes, length, bytes.length - length, null);
  if (length > SIZE_MAX) throw new Error(`it is larger than ${SIZE_MAX / 2 ** 20} MiB`);
  return bytes.subarray(0, length);
}

function decode(path: string, bytes: Buffer): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\0")) return text;
  } catch {
    // Reported below, together with text that has zero bytes.
  }
  throw new OperatorError(`${path} is not valid: it is not UTF-8 text. Save it as UTF-8.`);
}

/** Node's parser ignores what it does not understand; the operator should know. Returns the line of each name. */
function findNames(text: string, refuse: (fault: string) => never): Map<string, number> {
  const names = new Map<string, number>();
  const lines = text.split(/\r?\n/);
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] as string;
    if (BLANK_OR_COMMENT.test(line)) continue;
    const assignment = ASSIGNMENT.exec(line);
    if (assignment === null) return refuse(`line ${index + 1} is not NAME=value`);
    const [start, name = "", quote = ""] = assignment;
    names.set(name, index + 1);
    if (quote === "" || line.includes(quote, start.length)) continue;
    // The value continues on the following lines.
    const begin = index;
    do index += 1;
    while (index < lines.length && !lines[index]?.includes(quote));
    if (index === lines.length) return refuse(`the quote in line ${begin + 1} is not closed`);
  }
  return names;
}
