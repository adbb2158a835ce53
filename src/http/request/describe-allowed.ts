// The values that a schema allows, in words, for the faults of a request.

import { INT64_MAX, INT64_MIN } from "../../domain/basics/int64.ts";
import type { Schema } from "../schemas/keywords.ts";

/** Without semicolons, which separate faults. */
export function describeAllowed(schema: Schema): string {
  const isRemovable = schema.anyOf?.some(isNull) === true;
  return isRemovable ? `${describeValue(schema)}, or null to remove it` : describeValue(schema);
}

function isNull({ type }: Schema): boolean {
  return type === "null";
}

/** Without null. */
function describeValue(schema: Schema): string {
  if (schema["x-allowed"] !== undefined) return schema["x-allowed"];
  if (schema.anyOf !== undefined)
    return schema.anyOf
      .filter((each) => !isNull(each))
      .map(describeValue)
      .join(" or ");
  if (schema.items !== undefined) return describeList(schema.items, schema.maxItems);
  if (schema.properties !== undefined) return describeObject(schema);
  if (schema.additionalProperties !== undefined) return describeMap(schema);
  if (schema.enum !== undefined) return `one of ${schema.enum.join(", ")}`;
  if (schema.format === "int64") return `an integer between ${INT64_MIN} and ${INT64_MAX}`;
  if (schema.type === "number") return `a number from ${schema.minimum} to ${schema.maximum}`;
  if (schema.type === "integer") return `an integer from ${schema.minimum} to ${schema.maximum}`;
  return schema.type === "boolean" ? "true or false" : "text";
}

function describeList(items: Schema, maxItems: number | undefined): string {
  const size = maxItems === undefined ? "" : ` of at most ${maxItems}`;
  return `a list${size}, each item ${describeValue(items)}`;
}

function describeObject({ properties = {} }: Schema): string {
  const members = Object.entries(properties);
  const namesByRule = Map.groupBy(members, ([, schema]) => describeAllowed(schema));
  const rules = [...namesByRule].map(
    ([rule, group]) => `${group.map(([name]) => name).join(", ")} (${rule})`,
  );
  return `an object with ${rules.join(" and ")}`;
}

function describeMap({ additionalProperties = {}, propertyNames = {}, maxProperties }: Schema): string {
  const size = maxProperties === undefined ? "" : ` of at most ${maxProperties} members`;
  return `an object${size} with names (${describeValue(propertyNames)}) and values (${describeAllowed(additionalProperties)})`;
}
