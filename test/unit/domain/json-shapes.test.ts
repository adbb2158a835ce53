// The members of an animal and of a listing are declared like their schemas.

import assert from "node:assert/strict";
import test from "node:test";
import {
  LISTING_SHAPE,
  type Member,
  PET_SHAPE,
  writeShape,
} from "../../../src/domain/animals/json-shapes.ts";
import { Listing } from "../../../src/http/schemas/listings.ts";
import { Pet } from "../../../src/http/schemas/pets.ts";
import { column } from "../../harness/clients/pages.ts";

const SHAPES = [
  { name: "Pet", shape: PET_SHAPE, schema: Pet },
  { name: "Listing", shape: LISTING_SHAPE, schema: Listing },
];

for (const { name, shape, schema } of SHAPES) {
  test(`${name} has the members of its schema, in the same order`, () => {
    const members: readonly Member[] = shape;
    assert.deepEqual(column(members, "name"), Object.keys(schema.properties));
    const required = members.filter(({ isOptional }) => isOptional === undefined);
    assert.deepEqual(column(required, "name"), schema.required);
  });
}

test("writeShape writes exact integers and leaves out members without a value", () => {
  const values = { id: 2n ** 63n - 1n, name: 'a "b"', categoryId: -1n, status: undefined };
  assert.equal(
    writeShape(PET_SHAPE, values),
    '{"id":9223372036854775807,"name":"a \\"b\\"","categoryId":-1}',
  );
});
