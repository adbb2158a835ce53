// The Command interface, and readers for the arguments of commands.

import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { ServiceError } from "../domain/basics/errors.ts";
import { parseInt64 } from "../domain/basics/int64.ts";
import { textPattern, textRule } from "../domain/basics/text.ts";
import { type EventCursor, parseEventCursor } from "../domain/events/event.ts";
import { print } from "./output.ts";
import { describeUnknownOption, suggest } from "./suggestions.ts";

export interface Command {
  /** Shown by --help. */
  help: string;
  run(args: string[]): Promise<void>;
}

/** An error in the command line; the message says how to correct it. */
export class UsageError extends Error {}

export function isHelpWord(word: string): boolean {
  return word === "--help" || word === "-h";
}

/** Runs the subcommand that the first argument names. */
export async function runSubcommand(
  subcommands: Record<string, (args: string[]) => Promise<void>>,
  help: string,
  [name = "", ...args]: string[],
): Promise<void> {
  if ([name, ...args].some(isHelpWord)) return print(help);
  const subcommand = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
  if (subcommand === undefined) {
    const known = Object.keys(subcommands);
    throw new UsageError(
      name === "" ? "A subcommand is missing." : `There is no subcommand "${name}".${suggest(name, known)}`,
    );
  }
  await subcommand(args);
}

/** The two kinds of flags: without and with a value. */
export const SWITCH = { type: "boolean", default: false } as const;
export const TEXT = { type: "string" } as const;

/** `positionals` names the arguments in order; a name in brackets is optional. */
export function readFlags<const T extends ParseArgsOptionsConfig>(
  args: string[],
  options: T,
  positionals: string[] = [],
) {
  try {
    const parsed = parseArgs({ args, options, allowPositionals: true, strict: true });
    const given = parsed.positionals;
    const missing = positionals[given.length];
    if (missing !== undefined && !missing.startsWith("[")) throw new UsageError(`${missing} is missing.`);
    if (given.length > positionals.length)
      throw new UsageError(`"${given[positionals.length]}" is one argument too many.`);
    return { flags: parsed.values, values: given };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const unknown = findUnknownOption(args, options);
    if (unknown !== undefined) throw new UsageError(describeUnknownOption(unknown, Object.keys(options)));
    // The first sentence names the error; the rest is advice for programmers.
    throw new UsageError(`${error.message.split(". ")[0]?.replace(/\.$/, "")}.`);
  }
}

/** `word` is the command whose "list" shows the ids, such as "keys". */
export function readIdAndFlags<const T extends ParseArgsOptionsConfig>(
  word: "keys" | "webhooks",
  args: string[],
  options: T,
) {
  const { flags, values } = readFlags(args, options, ["ID"]);
  const id = parseInt64(values[0] ?? "");
  if (id !== undefined) return { flags, id };
  throw new UsageError(`"${values[0]}" is not a ${word.slice(0, -1)} id; "${word} list" shows the ids.`);
}

function findUnknownOption(args: string[], options: ParseArgsOptionsConfig): string | undefined {
  const { tokens } = parseArgs({ args, options, allowPositionals: true, strict: false, tokens: true });
  const unknown = tokens.find((token) => token.kind === "option" && !Object.hasOwn(options, token.name));
  return unknown?.kind === "option" ? unknown.rawName : undefined;
}

/** Names all options that are undefined. */
export function missingOptions(options: Record<string, unknown>): UsageError {
  const missing = Object.keys(options).filter((name) => options[name] === undefined);
  const names = missing.map((name) => `--${name}`).join(" and ");
  return new UsageError(`${names} ${missing.length === 1 ? "is" : "are"} missing.`);
}

export function readChoice<const T extends string>(flag: string, text: string, allowed: readonly T[]): T {
  const known = allowed.find((each) => each === text);
  if (known === undefined) throw new UsageError(`${flag} must be one of ${allowed.join(", ")}.`);
  return known;
}

export function readCount(flag: string, text: string, { min, max }: { min: number; max: number }): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max))
    throw new UsageError(`${flag} must be a whole number from ${min} to ${max}.`);
  return value;
}

export function readCursor(flag: string, text: string): EventCursor {
  try {
    return parseEventCursor(text);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new UsageError(`${flag} must be a cursor of GET /v1/events.`);
  }
}

/** As in the API. */
export function readText(flag: string, text: string, max: number): string {
  const isAllowed = text.isWellFormed() && new RegExp(textPattern(max), "u").test(text);
  if (!isAllowed) throw new UsageError(`${flag} must be ${textRule(max)}.`);
  return text;
}
