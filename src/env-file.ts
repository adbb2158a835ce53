// Reads a file of environment variables, in the format of Node's --env-file.

import { existsSync, readFileSync, statSync } from "node:fs";
import { parseEnv } from "node:util";
import { OperatorError } from "./tools/operator-error.ts";

const ASSIGNMENT = /^\s*(?:export\s+)?[A-Za-z_][\w.-]*\s*=\s*(["'`]?)/;
const BLANK_OR_COMMENT = /^\s*(?:#|$)/;
const READABLE_BY_OTHERS = 0o004;

export interface EnvFile {
  variables: Record<string, string>;
  isReadableByOthers: boolean;
}

/**
 * Undefined if there is no such file, or if its folder is closed to this user. Throws an OperatorError that never quotes
 * the file: it may hold secrets.
 */
export function readEnvFile(path: string): EnvFile | undefined {
  if (!existsSync(path)) return undefined;
  const text = decode(path, readBytes(path));
  const fault = findFault(text);
  if (fault !== undefined) throw new OperatorError(`${path} is not valid: ${fault}.`);
  const isReadableByOthers = (statSync(path).mode & READABLE_BY_OTHERS) !== 0;
  return { variables: parseEnv(text) as Record<string, string>, isReadableByOthers };
}

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const { message } = error as Error;
    throw new OperatorError(
      `The settings in ${path} cannot be read (${message}). Make it a file that this user may read, or remove it.`,
    );
  }
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

/** Node's parser ignores what it does not understand; the operator should know. */
function findFault(text: string): string | undefined {
  const lines = text.split(/\r?\n/);
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] as string;
    if (BLANK_OR_COMMENT.test(line)) continue;
    const assignment = ASSIGNMENT.exec(line);
    if (assignment === null) return `line ${index + 1} is not NAME=value`;
    const [start, quote = ""] = assignment;
    if (quote === "" || line.includes(quote, start.length)) continue;
    // The value continues on the following lines.
    const length = lines.slice(index + 1).findIndex((next) => next.includes(quote));
    if (length === -1) return `the quote in line ${index + 1} is not closed`;
    index += length + 1;
  }
  return undefined;
}
