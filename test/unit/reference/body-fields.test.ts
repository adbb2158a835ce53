// The fields of bodies in the reference, from the schemas: types, limits and required members.

import assert from "node:assert/strict";
import { test } from "node:test";
import { namePattern, textPattern } from "../../../src/domain/basics/text.ts";
import { listBodyFields } from "../../../src/reference/body-fields.ts";

const SCHEMAS = {
  Colour: { type: "string", enum: ["red", "blue"] },
  Place: {
    type: "object",
    required: ["city"],
    properties: { city: { type: "string", pattern: namePattern(40), description: "Where it is." } },
  },
};

test("lists the fields of a body with their limits, and those of inner objects after them", () => {
  const body = {
    type: "object",
    required: ["name", "place"],
    properties: {
      name: { type: "string", pattern: namePattern(100), description: "Its name." },
      note: { type: "string", pattern: textPattern(255), description: "At most 255 characters." },
      colour: { $ref: "#/components/schemas/Colour", description: "Its colour." },
      perMinute: { type: "integer", minimum: 1, description: "Requests." },
      share: { type: "number", minimum: 0, maximum: 1 },
      tags: { type: "array", maxItems: 10, items: { type: "string", pattern: textPattern(2_000) } },
      place: { anyOf: [{ $ref: "#/components/schemas/Place", description: "Its place." }, { type: "null" }] },
    },
  };
  const found = listBodyFields(body, SCHEMAS).map(({ name, isRequired, type, meaning }) =>
    [name, isRequired ? "required" : "", type, meaning].join(" | "),
  );
  assert.deepEqual(found, [
    "name | required | string, 1 to 100 characters | Its name.",
    "note |  | string | At most 255 characters.",
    "colour |  | [Colour](#shape-Colour): `red`, `blue` | Its colour.",
    "perMinute |  | integer, at least 1 | Requests.",
    "share |  | number from 0 to 1 | ",
    "tags |  | array of string, at most 10 items, each at most 2,000 characters | ",
    "place | required | [Place](#shape-Place) or null | Its place.",
    "place.city | required | string, 1 to 40 characters | Where it is.",
  ]);
});
