// Pages whose JSON the engine writes: from rows in JavaScript, a page of listings took 25 % longer, one of animals 50 %.

import type { Member, MemberName } from "../domain/animals/json-shapes.ts";
import type { Database, Row } from "./database.ts";

/** Between items; a line feed inside of one is escaped. */
const SEPARATOR = "\n";
const ID_START = '{"id":';

interface Dialect {
  /** Quotes a string as JSON; NULL stays NULL. */
  quote: (column: string) => string;
  /** A column with milliseconds as an RFC 3339 time. */
  time: (column: string) => string;
}

const DIALECTS: Record<Database["engine"], Dialect> = {
  sqlite: {
    quote: (column) => `nullif(json_quote(${column}), 'null')`,
    // strftime took a third of a page's time.
    time: (column) => `replace(datetime(${column} / 1000.0, 'unixepoch', 'subsec'), ' ', 'T') || 'Z'`,
  },
  postgres: {
    quote: (column) => `to_json(${column})`,
    time: (column) =>
      `to_char(to_timestamp(${column} / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  },
};

/** SQL of the text that `writeShape` writes; a test compares them. `columns` has the SQL of each member's value, which is NULL only where the member is optional. */
export function shapeSql<const Shape extends readonly Member[]>(
  engine: Database["engine"],
  shape: Shape,
  columns: Record<MemberName<Shape>, string>,
): string {
  const { quote, time } = DIALECTS[engine];
  const members = shape.map(({ name, type, isOptional }, index) => {
    const column = columns[name as MemberName<Shape>];
    const start = `${index === 0 ? "{" : ","}"${name}":`;
    const written: Record<Member["type"], string> = {
      integer: `'${start}' || ${column}`,
      text: `'${start}' || ${quote(column)}`,
      word: `'${start}"' || ${column} || '"'`,
      time: `'${start}"' || ${time(column)} || '"'`,
      json: `'${start}' || ${column}`,
      written: `'${start}' || ${column}`,
    };
    // A chain with NULL is NULL.
    return isOptional ? `coalesce(${written[type]}, '')` : written[type];
  });
  return `${members.join(" || ")} || '}'`;
}

/** `from` limits the rows, so that string_agg keeps their order. */
export function selectPage(json: string, from: string): string {
  return `SELECT string_agg(json, '${SEPARATOR}') AS page FROM (SELECT ${json} AS json ${from}) AS listed`;
}

/** A page for each row of `input`. */
export function selectPages(input: string, page: string): string {
  return `SELECT n, found.* FROM ${input} CROSS JOIN LATERAL (${page}) AS found`;
}

interface JsonPage {
  /** A JSON array. */
  json: string;
  /** The id after which the next page begins; undefined on the last page. */
  nextAfter: bigint | undefined;
}

/** From a page of at most `limit + 1` items: the last one only shows that there is a next page. */
export function toPage(row: Row | undefined, limit: number): JsonPage {
  const text = String(row?.page ?? "");
  const found = text === "" ? [] : text.split(SEPARATOR);
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return { json: `[${items.join(",")}]`, nextAfter: last === undefined ? undefined : idOf(last) };
}

/** Each shape begins with the id. To parse the item took 8 % of a page's time. */
function idOf(item: string): bigint {
  return BigInt(item.slice(ID_START.length, item.indexOf(",")));
}
