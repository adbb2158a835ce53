// The rules of createPet and updateProfile for the cells of a file, from the description that the service publishes.

import { isDay } from "../../../src/domain/basics/time.ts";
import { addressOf } from "../shared/state/addresses.ts";
import { t } from "../shared/texts/language.ts";

/** The parts of JSON Schema that animals and profiles use. */
interface Schema {
  $ref?: string;
  anyOf?: Schema[];
  type?: string;
  enum?: string[];
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
}

/** What is wrong with the value of a column, such as `goodWith.cats`. Undefined if nothing is. */
export type CheckCell = (column: string, value: unknown) => string | undefined;

export async function loadRules(signal: AbortSignal): Promise<CheckCell> {
  const response = await fetch(addressOf("openapi.json"), { signal });
  if (!response.ok) throw new Error(t().failures.unavailable);
  const { schemas } = ((await response.json()) as { components: { schemas: Record<string, Schema> } })
    .components;

  /** The schema behind references, and of a member that may be null the one of its values. */
  function settle(schema: Schema | undefined): Schema {
    if (schema?.$ref !== undefined) return settle(schemas[schema.$ref.slice("#/components/schemas/".length)]);
    if (schema?.anyOf !== undefined) return settle(schema.anyOf.find(({ type }) => type !== "null"));
    return schema ?? {};
  }

  function findSchema(column: string): Schema {
    const members = { ...schemas.ProfilePatch?.properties, ...schemas.NewPet?.properties };
    const [member = "", part] = column.split(".");
    const schema = settle(members[member]);
    return part === undefined ? schema : settle(schema.properties?.[part]);
  }

  return (column, value) => findFault(findSchema(column), value, settle);
}

function findFault(schema: Schema, value: unknown, settle: (schema?: Schema) => Schema): string | undefined {
  const texts = t().import.faults;
  if (schema.enum !== undefined)
    return schema.enum.includes(value as string) ? undefined : texts.oneOf(schema.enum.join(", "));
  if (schema.type === "boolean") return typeof value === "boolean" ? undefined : texts.oneOf("true, false");
  if (schema.type === "integer") return isWithin(schema, value) ? undefined : texts.wholeNumber;
  if (schema.type === "array") {
    const { maxItems = Number.POSITIVE_INFINITY, items } = schema;
    if (!Array.isArray(value) || value.length > maxItems) return texts.list(maxItems);
    return value.map((each) => findFault(settle(items), each, settle)).find((fault) => fault !== undefined);
  }
  if (schema.format === "date") return isDay(String(value)) ? undefined : texts.date;
  if (schema.pattern === undefined) return undefined;
  return new RegExp(schema.pattern, "u").test(String(value)) ? undefined : texts.text;
}

function isWithin({ minimum, maximum }: Schema, value: unknown): boolean {
  if (typeof value === "bigint") return true;
  return Number.isInteger(value) && !(Number(value) < Number(minimum) || Number(value) > Number(maximum));
}
