// Validation of bodies, queries and paths by the published schemas: coerces nothing and names every fault at once.

import type { FastifySchemaCompiler } from "fastify";
import { type ErrorCode, ServiceError } from "../../domain/basics/errors.ts";
import { isInt64, parseInt64 } from "../../domain/basics/int64.ts";
import { isDay, parseTime } from "../../domain/basics/time.ts";
import { showList } from "../../tools/shown-text.ts";
import { kindOf, type Schema } from "../schemas/keywords.ts";
import { describeAllowed } from "./describe-allowed.ts";

const FAULT = Symbol("fault");
/** A number in a query: without exponent, leading zeros or plus. */
const DECIMAL = /^-?(?:0|[1-9][0-9]{0,15})(?:\.[0-9]{1,20})?$/;
const TEXT_KINDS = ["time", "day", "enum", "string"];
type Reader = (value: unknown) => unknown;
type Validator = (data: unknown) => { value: unknown } | { error: Error };

/** Fastify's validator compiler. */
export const compileValidator: FastifySchemaCompiler<unknown> = ({ schema, httpPart }) => {
  const shape = schema as Schema;
  if (httpPart === "body") return bodyReader(shape);
  const read = memberReader(shape, readTextMember);
  const missing = httpPart === "params" ? (shape["x-missing"] ?? "route_not_found") : undefined;
  return (data) => {
    const { value, faults } = read(data as object);
    if (faults.length === 0) return { value };
    return missing === undefined
      ? invalid("invalid_parameter", faults)
      : { error: new ServiceError(missing) };
  };
};

/** A body without required members may be omitted. */
export function isBodyOptional(schema: unknown): boolean {
  const { required = [], minProperties = 0 } = schema as Schema;
  return required.length === 0 && minProperties === 0;
}

function bodyReader(shape: Schema): Validator {
  const { properties = {}, minProperties = 0 } = shape;
  const read = memberReader(shape, readJsonMember);
  return (data) => {
    // Fastify passes null for a missing body.
    if (data === null && isBodyOptional(shape)) return { value: undefined };
    if (typeof data !== "object" || data === null || Array.isArray(data))
      return invalid("invalid_body", ["The body must be an object"]);
    const { value, faults } = read(data);
    if (faults.length === 0 && Object.keys(value).length < minProperties)
      faults.push(
        `at least one of ${Object.keys(properties).join(", ")} is required${describeUnknown(data)}`,
      );
    return faults.length > 0 ? invalid("invalid_body", faults) : { value };
  };
}

function describeUnknown(data: object): string {
  const names = Object.keys(data);
  return names.length === 0 ? "" : `, but the body has only ${showList(names)}`;
}

/** Members that the schema does not name are dropped. */
function memberReader({ properties = {}, required }: Schema, readerOf: (schema: Schema) => Reader) {
  const isRequired = new Set(required);
  const members = Object.entries(properties).map(([name, schema]) => ({
    name,
    read: readerOf(schema),
    allowed: describeAllowed(schema),
  }));
  return (data: object) => {
    const value: Record<string, unknown> = {};
    const faults: string[] = [];
    for (const { name, read, allowed } of members) {
      if (Object.hasOwn(data, name)) {
        const given = (data as Record<string, unknown>)[name];
        const member = read(given);
        if (member !== FAULT) value[name] = member;
        else if (Array.isArray(given) && readerOf === readTextMember)
          faults.push(`${name} may be given only once`);
        else faults.push(`${name} must be ${allowed}`);
      } else if (isRequired.has(name)) faults.push(`${name} is required`);
    }
    return { value, faults };
  };
}

/** Reads the known members of a JSON object, and names every fault. */
export function readMembers(schema: Schema) {
  return memberReader(schema, readJsonMember);
}

function invalid(code: ErrorCode, faults: string[]): { error: Error } {
  return { error: new ServiceError(code, { message: faults.join("; ") }) };
}

const JSON_READERS: Record<ReturnType<typeof kindOf>, (schema: Schema) => Reader> = {
  union: ({ anyOf = [] }) => readUnion(anyOf.map(readJsonMember)),
  null: () => (value) => (value === null ? null : FAULT),
  boolean: () => (value) => (typeof value === "boolean" ? value : FAULT),
  object: readObject,
  map: readMap,
  array: readArray,
  int64: () => readInt64,
  integer: (schema) => (value) => readInteger(schema, value),
  number: (schema) => (value) => readNumber(schema, value),
  time: () => readTime,
  day: () => (value) => (typeof value === "string" && isDay(value) ? value : FAULT),
  enum: readEnum,
  string: readString,
};

function readJsonMember(schema: Schema): Reader {
  return JSON_READERS[kindOf(schema)](schema);
}

function readUnion(readers: Reader[]): Reader {
  return (value) => {
    for (const read of readers) {
      const member = read(value);
      if (member !== FAULT) return member;
    }
    return FAULT;
  };
}

function readObject(schema: Schema): Reader {
  const read = memberReader(schema, readJsonMember);
  return (given) => {
    if (typeof given !== "object" || given === null || Array.isArray(given)) return FAULT;
    const { value, faults } = read(given);
    return faults.length > 0 ? FAULT : value;
  };
}

function readMap(schema: Schema): Reader {
  const { additionalProperties = {}, propertyNames = { type: "string" }, maxProperties = Infinity } = schema;
  const readName = readString(propertyNames);
  const readValue = readJsonMember(additionalProperties);
  return (given) => {
    if (typeof given !== "object" || given === null || Array.isArray(given)) return FAULT;
    const members = Object.entries(given).map(([name, value]) => [readName(name), readValue(value)]);
    if (members.length > maxProperties || members.flat().includes(FAULT)) return FAULT;
    return Object.fromEntries(members);
  };
}

function readArray({ items: each = {}, maxItems = Infinity }: Schema): Reader {
  const read = readJsonMember(each);
  return (value) => {
    if (!Array.isArray(value) || value.length > maxItems) return FAULT;
    const items = value.map(read);
    return items.includes(FAULT) ? FAULT : items;
  };
}

/** In a path or a query, all values are texts. */
function readTextMember(schema: Schema): Reader {
  const kind = kindOf(schema);
  if (kind === "boolean") return readSwitch;
  if (TEXT_KINDS.includes(kind)) return JSON_READERS[kind](schema);
  if (kind === "number")
    return (value) => (DECIMAL.test(String(value)) ? readNumber(schema, Number(value)) : FAULT);
  if (kind !== "int64" && kind !== "integer") throw new Error(`A member cannot be validated as ${kind}`);
  return (value) => {
    const integer = typeof value === "string" ? parseInt64(value) : undefined;
    if (integer === undefined) return FAULT;
    return kind === "int64" ? integer : readInteger(schema, Number(integer));
  };
}

function readSwitch(value: unknown): unknown {
  return value === "true" || (value === "false" ? false : FAULT);
}

function readInt64(value: unknown): unknown {
  if (typeof value === "bigint") return isInt64(value) ? value : FAULT;
  return Number.isSafeInteger(value) ? BigInt(value as number) : FAULT;
}

function readInteger({ minimum = -Infinity, maximum = Infinity }: Schema, value: unknown): unknown {
  const isInside =
    Number.isSafeInteger(value) && (value as number) >= minimum && (value as number) <= maximum;
  return isInside ? value : FAULT;
}

/** -0 becomes 0. */
function readNumber({ minimum = -Infinity, maximum = Infinity }: Schema, value: unknown): unknown {
  return typeof value === "number" && value >= minimum && value <= maximum ? value + 0 : FAULT;
}

function readEnum(schema: Schema): Reader {
  const allowed = new Set<unknown>(schema.enum);
  return (value) => (allowed.has(value) ? value : FAULT);
}

function readString(schema: Schema): Reader {
  const pattern = new RegExp(schema.pattern ?? "", "u");
  const { maxLength } = schema;
  const isShort = (text: string) => maxLength === undefined || [...text].length <= maxLength;
  return (value) =>
    typeof value === "string" && value.isWellFormed() && isShort(value) && pattern.test(value)
      ? value
      : FAULT;
}

function readTime(value: unknown): unknown {
  const ms = typeof value === "string" ? parseTime(value) : undefined;
  return ms === undefined ? FAULT : new Date(ms);
}
