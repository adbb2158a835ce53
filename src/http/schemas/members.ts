// Members that many schemas share: names, identifiers, times, and the parameters of a path and of a page.

import type { TSchema } from "typebox";
import type { ErrorCode } from "../../domain/basics/errors.ts";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../../domain/basics/list-limits.ts";
import {
  linesPattern,
  linesRule,
  namePattern,
  nameRule,
  textPattern,
  textRule,
} from "../../domain/basics/text.ts";
import { DAY_RULE, TIME_RULE } from "../../domain/basics/time.ts";
import { Type } from "./type.ts";

const INT64 = "-?(?:0|[1-9][0-9]{0,18})";

export function named(max: number, example: string, description: string) {
  const rules = { pattern: namePattern(max), "x-allowed": nameRule(max) };
  return Type.String({ ...rules, examples: [example], description });
}

/** Text that is not trimmed, and may be empty. */
export function freeText(max: number, example: string, description: string) {
  const rules = { pattern: textPattern(max), "x-allowed": textRule(max) };
  return Type.String({ ...rules, examples: [example], description });
}

/** A query parameter with one or more of the words, separated by commas. */
export function wordList(words: readonly string[], description: string, example: string) {
  const word = `(?:${words.join("|")})`;
  const rules = {
    pattern: `^${word}(?:,${word})*$`,
    "x-allowed": `a list, separated by commas, of ${words.join(", ")}`,
  };
  return Type.String({ ...rules, description, examples: [example] });
}

/** ASCII without quotes and angle brackets, so that it can be put into a page unchanged. */
export const HTTPS_URL = String.raw`^https://[A-Za-z0-9.\-]{1,253}(?::[0-9]{1,5})?(?:[/?#][!#-;=?-~]{0,1700})?$`;

export function httpsAddress(description: string) {
  const rules = { pattern: HTTPS_URL, "x-allowed": "an https address in ASCII" };
  return Type.String({ ...rules, description: `${description}: https, in ASCII.` });
}

/** Text of several lines, not trimmed. */
export function lines(max: number, description: string) {
  const rules = { pattern: linesPattern(max), "x-allowed": linesRule(max) };
  return Type.String({ ...rules, description: `${description}: ${linesRule(max)}.` });
}

export function optional(shapes: Record<string, TSchema>): Record<string, TSchema> {
  return Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, Type.Optional(shape)]));
}

/** Each member may be null, which removes it. */
export function removable(shapes: Record<string, TSchema>): Record<string, TSchema> {
  return optional(
    Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, Type.Nullable(shape)])),
  );
}

/** Identifiers in a query parameter, separated by commas. */
export function idListPattern(max: number): string {
  return `^${INT64}(?:,${INT64}){0,${max - 1}}$`;
}

export function idList(max: number, description: string) {
  return Type.String({
    pattern: idListPattern(max),
    "x-allowed": `a list, separated by commas, of at most ${max} identifiers`,
    description: `${description}: at most ${max} identifiers, separated by commas.`,
    examples: ["1"],
  });
}

export function identifier(description: string, example = 1) {
  return Type.Unsafe<bigint>({ type: "integer", format: "int64", description, examples: [example] });
}

/** The examples of all operations form one story, which begins at this time; a test runs it. */
export const EXAMPLE_TIME = "2026-11-15T09:30:00.000Z";

export const Timestamp = Type.Unsafe<Date>({ type: "string", format: "date-time", "x-allowed": TIME_RULE });
export function day(description: string, example: string) {
  const rules = { type: "string", format: "date", "x-allowed": DAY_RULE };
  return Type.Unsafe<string>({ ...rules, description, examples: [example] });
}
export const UnixTime = Type.Integer({ description: "Unix time in seconds.", examples: [1893456000] });

/** Path parameters with one identifier. One that is no int64 gets the error `missing`. */
export function pathOf<const N extends string>(
  name: N,
  missing: ErrorCode,
  description: string,
  example: number,
) {
  const members = { [name]: identifier(description, example) } as Record<N, ReturnType<typeof identifier>>;
  return Type.Object(members, { "x-missing": missing });
}

/** An optional query parameter with the values of a schema. */
export function parameter<T extends TSchema>(schema: T, description: string, example: unknown) {
  return Type.Optional(Type.Annotated(schema, { description, examples: [example] }));
}

export const Limit = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: PAGE_LIMIT_MAX,
    default: PAGE_LIMIT_DEFAULT,
    examples: [PAGE_LIMIT_DEFAULT],
    description: "Maximum number of items returned.",
  }),
);
const Cursor = Type.Optional(
  Type.String({
    description: "The start of the page. Opaque; taken from the `next` link of the previous page.",
  }),
);

export function pageQuery<T extends Record<string, TSchema>>(filters: T) {
  return Type.Object({ limit: Limit, ...filters, cursor: Cursor });
}
export const PageQuery = pageQuery({});
