// From text and JSON to typed values by the published schemas: nothing coerced, every fault named at once.

import type { FastifySchemaCompiler } from "fastify";
import { type ErrorCode, ServiceError } from "../../domain/errors.ts";
import { INT64_MAX, INT64_MIN, isInt64, parseInt64 } from "../../domain/int64.ts";
import { parseTime } from "../../domain/time.ts";

/** The part of JSON Schema that our shapes use. A shape with any other keyword is refused at start. */
interface MemberSchema {
  type?: string;
  format?: string;
  enum?: string[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  anyOf?: MemberSchema[];
  "x-allowed"?: string;
}

interface ObjectSchema {
  properties: Record<string, MemberSchema & { default?: unknown }>;
  required?: string[];
  minProperties?: number;
  "x-missing"?: ErrorCode;
}

const FAULT = Symbol("fault");
type Reader = (value: unknown) => unknown;

const KNOWN_KEYWORDS = new Set(
  "type format enum pattern minimum maximum anyOf default title description examples x-allowed".split(" "),
);

/** Fastify's validator compiler: bodies, queries and paths each by their own rules. */
export const compileValidator: FastifySchemaCompiler<unknown> = ({ schema, httpPart }) => {
  const shape = schema as ObjectSchema;
  if (httpPart === "body") return bodyReader(shape);
  const code = httpPart === "params" ? (shape["x-missing"] ?? "route_not_found") : "invalid_parameter";
  return textReader(shape, code);
};

/** A body in which nothing must stand may be left out. */
export function isBodyOptional(schema: unknown): boolean {
  const { required = [], minProperties = 0 } = schema as ObjectSchema;
  return required.length === 0 && minProperties === 0;
}

/** Members that the schema does not name are left out of the value. */
function bodyReader(shape: ObjectSchema): (data: unknown) => { value: unknown } | { error: Error } {
  const readers = memberReaders(shape, readJsonMember);
  const required = new Set(shape.required);
  return (data) => {
    // Fastify hands over null where there is no body.
    if (data === null && isBodyOptional(shape)) return { value: undefined };
    if (typeof data !== "object" || data === null || Array.isArray(data))
      return invalid("invalid_body", ["The body must be an object"]);
    const value: Record<string, unknown> = {};
    const faults: string[] = [];
    for (const { name, read, allowed } of readers) {
      if (!Object.hasOwn(data, name)) {
        if (required.has(name)) faults.push(`${name} is required`);
        continue;
      }
      const member = read((data as Record<string, unknown>)[name]);
      if (member === FAULT) faults.push(`${name} must be ${allowed}`);
      else value[name] = member;
    }
    if (faults.length === 0 && Object.keys(value).length < (shape.minProperties ?? 0)) {
      faults.push(`at least one of ${readers.map(({ name }) => name).join(", ")} is required`);
    }
    return faults.length > 0 ? invalid("invalid_body", faults) : { value };
  };
}

function textReader(
  shape: ObjectSchema,
  code: ErrorCode,
): (data: unknown) => { value: unknown } | { error: Error } {
  const readers = memberReaders(shape, readTextMember);
  return (data) => {
    const texts = data as Record<string, string | string[] | undefined>;
    const value: Record<string, unknown> = {};
    const faults: string[] = [];
    for (const { name, read, allowed, fallback } of readers) {
      const text = texts[name];
      const member = text === undefined ? fallback : read(text);
      if (Array.isArray(text)) faults.push(`${name} may be given only once`);
      else if (member === FAULT) faults.push(`${name} must be ${allowed}`);
      else if (member !== undefined) value[name] = member;
    }
    if (faults.length === 0) return { value };
    return code === "invalid_parameter" ? invalid(code, faults) : { error: new ServiceError(code) };
  };
}

function invalid(code: ErrorCode, faults: string[]): { error: Error } {
  return { error: new ServiceError(code, { message: faults.join("; ") }) };
}

function memberReaders(shape: ObjectSchema, readerOf: (schema: MemberSchema) => Reader) {
  return Object.entries(shape.properties).map(([name, schema]) => ({
    name,
    read: readerOf(schema),
    allowed: describeAllowed(schema),
    fallback: schema.default,
  }));
}

function readJsonMember(schema: MemberSchema): Reader {
  refuseUnknownKeywords(schema);
  if (schema.anyOf !== undefined) {
    const readers = schema.anyOf.map(readJsonMember);
    return (value) =>
      readers.map((read) => read(value)).find((member) => member !== FAULT) ?? firstNull(value);
  }
  if (schema.type === "null") return (value) => (value === null ? null : FAULT);
  if (schema.format === "int64") return readInt64;
  if (schema.type === "integer") return (value) => readInteger(schema, value);
  return readString(schema);
}

/** `find` cannot tell a null that was read from nothing found. */
function firstNull(value: unknown): unknown {
  return value === null ? null : FAULT;
}

function readTextMember(schema: MemberSchema): Reader {
  refuseUnknownKeywords(schema);
  if (schema.format === "int64") return (value) => parseInt64(value as string) ?? FAULT;
  if (schema.type !== "integer") return readString(schema);
  return (value) => {
    const integer = typeof value === "string" ? parseInt64(value) : undefined;
    return integer === undefined ? FAULT : readInteger(schema, Number(integer));
  };
}

function readInt64(value: unknown): unknown {
  if (typeof value === "bigint") return isInt64(value) ? value : FAULT;
  return Number.isSafeInteger(value) ? BigInt(value as number) : FAULT;
}

function readInteger({ minimum = -Infinity, maximum = Infinity }: MemberSchema, value: unknown): unknown {
  const isInside =
    Number.isSafeInteger(value) && (value as number) >= minimum && (value as number) <= maximum;
  return isInside ? value : FAULT;
}

function readString(schema: MemberSchema): Reader {
  if (schema.type !== "string") throw new Error(`No reader for a member of type ${schema.type}`);
  if (schema.format === "date-time") return readTime;
  if (schema.enum !== undefined) {
    const allowed = new Set<unknown>(schema.enum);
    return (value) => (allowed.has(value) ? value : FAULT);
  }
  const pattern = new RegExp(schema.pattern ?? "", "u");
  return (value) =>
    typeof value === "string" && value.isWellFormed() && pattern.test(value) ? value : FAULT;
}

function readTime(value: unknown): unknown {
  const ms = typeof value === "string" ? parseTime(value) : undefined;
  return ms === undefined ? FAULT : new Date(ms);
}

function describeAllowed(schema: MemberSchema): string {
  if (schema["x-allowed"] !== undefined) return schema["x-allowed"];
  if (schema.anyOf !== undefined) return schema.anyOf.map(describeAllowed).join(" or ");
  if (schema.enum !== undefined) return `one of ${schema.enum.join(", ")}`;
  if (schema.format === "int64") return `an integer between ${INT64_MIN} and ${INT64_MAX}`;
  if (schema.type === "integer") return `an integer from ${schema.minimum} to ${schema.maximum}`;
  return schema.type === "null" ? "null" : "text";
}

function refuseUnknownKeywords(schema: MemberSchema): void {
  const unknown = Object.keys(schema).filter((keyword) => !KNOWN_KEYWORDS.has(keyword));
  if (unknown.length > 0) throw new Error(`The validator does not know ${unknown.join(", ")}`);
}
