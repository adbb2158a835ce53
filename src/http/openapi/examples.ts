// Examples of bodies and parameters in the OpenAPI document.

import { encodeCursor } from "../../domain/basics/cursor.ts";
import { INT64_MAX } from "../../domain/basics/int64.ts";
import { scopeOf } from "../pages/pages.ts";
import type { Schema } from "../schemas/keywords.ts";

interface Parameter {
  name: string;
  in: string;
  example: unknown;
}

/** An array without an example of its own has one item. */
export function exampleOf({ examples, items }: Schema): unknown {
  if (examples !== undefined) return examples[0];
  return items && [exampleOf(items)];
}

/** The position before the first item: a request with the examples of all parameters finds the example. */
export function exampleCursor(path: string, parameters: Parameter[], isNewestFirst: boolean): string {
  const inPath = parameters.filter((each) => each.in === "path");
  const filters = parameters.filter(
    (each) => each.in === "query" && !["limit", "expand", "cursor"].includes(each.name),
  );
  const filled = inPath.reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), path);
  const scope = scopeOf({
    path: filled.slice(1),
    filters: filters.map(({ name, example }) => `${name}=${example}`),
  });
  return encodeCursor(scope, isNewestFirst ? INT64_MAX : 0n);
}
