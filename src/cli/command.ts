// The declaration of a command, and readers for its options and arguments.

import { parseArgs } from "node:util";
import { describeSettings } from "../config/config.ts";
import { ServiceError } from "../domain/basics/errors.ts";
import { parseInt64 } from "../domain/basics/int64.ts";
import { textPattern, textRule } from "../domain/basics/text.ts";
import { type EventCursor, parseEventCursor } from "../domain/events/event-cursor.ts";
import { findClosestName } from "../tools/close-names.ts";
import { print } from "./output.ts";

type Run = (args: string[]) => Promise<void>;

export interface Command {
  help: string;
  run: Run;
}

type Read<T> = (text: string, flag: string) => T;
type Option = { type: "boolean"; default: false } | { type: "string"; multiple?: true; read?: Read<unknown> };
export type Options = Record<string, Option>;
export type Flags<T extends Options> = {
  [Name in keyof T]: T[Name] extends { type: "boolean" }
    ? boolean
    : T[Name] extends { read: Read<infer Value> }
      ? Value | undefined
      : (T[Name] extends { multiple: true } ? string[] : string) | undefined;
};

/** An error in the command line; the message says how to correct it. */
export class UsageError extends Error {}

/** The kinds of options: without a value, with a text, and with a value that a reader checks. */
export const SWITCH = { type: "boolean", default: false } as const;
export const TEXT = { type: "string" } as const;

export function option<T>(read: Read<T>) {
  return { type: "string", read } as const;
}

export function choice<const T extends string>(allowed: readonly T[]) {
  return option((text, flag) => readChoice(flag, text, allowed));
}

export function wholeNumber(min: number, max: number) {
  return option((text, flag) => readCount(flag, text, { min, max }));
}

/** `positionals` names the arguments in order; a name in brackets is optional. */
export function defineCommand<const T extends Options>(declared: {
  help: string;
  options: T;
  positionals?: string[];
  run(flags: Flags<T>, ...values: string[]): Promise<void>;
}): Command {
  const { help, options, positionals, run } = declared;
  return {
    help,
    run: async (args) => {
      const { flags, values } = readFlags(args, options, positionals);
      await run(flags, ...values);
    },
  };
}

/** A command whose first argument names one of its subcommands. */
export function defineSubcommands(help: string, subcommands: Record<string, Run>): Command {
  return {
    help,
    run: async ([name = "", ...args]) => {
      if ([name, ...args].some(isHelpWord)) return print(help);
      const subcommand = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
      if (subcommand !== undefined) return subcommand(args);
      if (name === "") throw new UsageError("A subcommand is missing.");
      throw new UsageError(`There is no subcommand "${name}".${suggest(name, Object.keys(subcommands))}`);
    },
  };
}

export function isHelpWord(word: string): boolean {
  return word === "--help" || word === "-h";
}

export function readFlags<const T extends Options>(args: string[], options: T, positionals: string[] = []) {
  const { values: given, positionals: values } = parseStrictly(args, options);
  const missing = positionals[values.length];
  if (missing !== undefined && !missing.startsWith("[")) throw new UsageError(`${missing} is missing.`);
  if (values.length > positionals.length)
    throw new UsageError(`"${values[positionals.length]}" is one argument too many.`);
  const flags: Record<string, unknown> = { ...given };
  for (const [name, declared] of Object.entries(options)) {
    const text = given[name];
    if (declared.type === "string" && declared.read !== undefined && typeof text === "string")
      flags[name] = declared.read(text, `--${name}`);
  }
  return { flags: flags as Flags<T>, values };
}

function parseStrictly(args: string[], options: Options) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const unknown = findUnknownOption(args, options);
    if (unknown !== undefined) throw new UsageError(describeUnknownOption(unknown, Object.keys(options)));
    // The first sentence names the error; the rest is advice for programmers.
    throw new UsageError(`${error.message.split(". ")[0]?.replace(/\.$/, "")}.`);
  }
}

function findUnknownOption(args: string[], options: Options): string | undefined {
  const { tokens } = parseArgs({ args, options, allowPositionals: true, strict: false, tokens: true });
  const unknown = tokens.find((token) => token.kind === "option" && !Object.hasOwn(options, token.name));
  return unknown?.kind === "option" ? unknown.rawName : undefined;
}

/** `given` as it was typed, such as --port=80, with the names of the command's options. Never quotes a value. */
export function describeUnknownOption(given: string, options: string[]): string {
  const [typed = ""] = given.split("=");
  const variable = typed.replace(/^-+/, "").replaceAll("-", "_").toUpperCase();
  const refusal = `There is no option ${typed}.`;
  if (describeSettings().some(({ name }) => name === variable))
    return `${refusal} Settings are variables: put ${variable}=VALUE before the command, or into the file .env.`;
  const known = options.map((name) => `--${name}`);
  return refusal + suggest(typed, known);
}

/** A sentence with a space before it; empty if no known name is near. */
export function suggest(name: string, known: string[]): string {
  const meant = findClosestName(name, known);
  return meant === undefined ? "" : ` Did you mean "${meant}"?`;
}

/** Defines subcommands on one key or webhook. The command line is checked before `open` opens the store. */
export function defineOn<Opened>(
  kind: string,
  open: (work: (opened: Opened) => Promise<void>) => Promise<void>,
) {
  return <const T extends Options>(
    options: T,
    work: (id: bigint, flags: Flags<T>, opened: Opened) => Promise<void>,
    check?: (flags: Flags<T>) => void,
  ): Run =>
    async (args) => {
      const { flags, values } = readFlags(args, options, ["ID"]);
      const id = parseInt64(values[0] ?? "");
      if (id === undefined)
        throw new UsageError(`"${values[0]}" is not a ${kind} id; "${kind}s list" shows the ids.`);
      check?.(flags);
      await open((opened) => work(id, flags, opened));
    };
}

/** Names all required options that are undefined. */
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

export function readStart(text: string, flag: string): EventCursor | "now" {
  return text === "now" ? text : readCursor(text, flag);
}

export function readCursor(text: string, flag: string): EventCursor {
  try {
    return parseEventCursor(text);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new UsageError(`${flag} must be a cursor of GET /v1/events.`);
  }
}

/** The rule of the API. */
export function readText(flag: string, text: string, max: number): string {
  const isAllowed = text.isWellFormed() && new RegExp(textPattern(max), "u").test(text);
  if (!isAllowed) throw new UsageError(`${flag} must be ${textRule(max)}.`);
  return text;
}
