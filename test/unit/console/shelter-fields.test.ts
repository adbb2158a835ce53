// A shelter as the fields of a form: the changes that are sent, and changes of others at the same time.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  mergeFields,
  readCoordinates,
  toFields,
  toPatch,
} from "../../../console/src/shelters/shelter-fields.ts";

const SHELTER = {
  name: "Pfotenhof",
  phone: "030 1",
  address: { city: "Berlin", country: "DE" },
  location: { latitude: 52.5, longitude: -13 },
};
const FIELDS = toFields(SHELTER);

test("only changed members of a shelter are sent, and null for emptied ones", () => {
  const patchOf = (changes: object) => toPatch(FIELDS, { ...FIELDS, ...changes });
  for (const same of [{}, { phone: " 030 1 " }]) assert.deepEqual(patchOf(same), {});
  assert.deepEqual(patchOf({ phone: " ", about: "Since 1900\n" }), { phone: null, about: "Since 1900" });
  assert.deepEqual(patchOf({ country: "at" }), { address: { city: "Berlin", country: "AT" } });
  assert.deepEqual(patchOf({ city: "", country: "" }), { address: null });
  assert.deepEqual(patchOf({ latitude: "-0.5" }), { location: { latitude: -0.5, longitude: -13 } });
  assert.deepEqual(patchOf({ latitude: "", longitude: "" }), { location: null });
});

test("spaces and line feeds at the ends of untouched texts stay", () => {
  const fields = toFields({ ...SHELTER, about: "  * indented\n", openingHours: "Mon 9-5\n" });
  assert.deepEqual(toPatch(fields, { ...fields, phone: "030 2" }), { phone: "030 2" });
  assert.deepEqual(toPatch(fields, { ...fields, about: "  * other\n" }), { about: "* other" });
});

test("changes of others appear in the form, except where something else was typed", () => {
  const draft = { ...FIELDS, phone: "030 2", email: "a@b.example", city: "Bonn" };
  const fresh = toFields({ ...SHELTER, name: "Hof", phone: "030 3", address: { city: "Bonn" } });
  const merged = mergeFields(FIELDS, draft, fresh);
  assert.deepEqual(merged.conflicts, ["phone"]);
  assert.deepEqual(merged.draft, { ...draft, name: "Hof", country: "" });
});

test("both coordinates are read from what map services copy", () => {
  const read = { latitude: "52.52", longitude: "-13.405" };
  for (const text of ["52.52, -13.405", " 52.52,-13.405\n"]) assert.deepEqual(readCoordinates(text), read);
  for (const text of ["", "52.52", "52,52", "52.52, 13.405, 7", "a, b"])
    assert.equal(readCoordinates(text), undefined, text);
});
