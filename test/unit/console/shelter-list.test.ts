// The shelters that the console knows, and the shelter in the form of a key.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Client, Shelter } from "../../../client/src/client.ts";
import { shelterChange } from "../../../console/src/keys/key-shelter.ts";
import {
  FIRST_SHELTER,
  readFirstShelters,
  shelterChoices,
  shelters,
  updateShelters,
} from "../../../console/src/shared/state/shelter-list.ts";
import * as service from "../../../src/domain/shelters/shelter.ts";

const KEY = { shelterId: 104 };
const ALL = Array.from({ length: 105 }, (_, index) => ({ id: index + 1, name: `S${index + 1}` }) as Shelter);

/** Has one page more than the first. */
const CLIENT = {
  listShelters: () => ({
    page: async () => ({ items: ALL.slice(0, 100), next: "cursor" }),
    async *[Symbol.asyncIterator]() {
      yield* ALL;
    },
  }),
} as unknown as Client;

function formWith(values: object): FormData {
  const fields = new FormData();
  for (const [name, value] of Object.entries(values)) fields.set(name, value);
  return fields;
}

function forgetShelters(t: TestContext): void {
  t.after(() => (shelters.value = undefined));
}

test("a key keeps its shelter while the form has no field for it", () => {
  assert.deepEqual(shelterChange(KEY, formWith({ access: "manage" })), {});
  assert.deepEqual(shelterChange(KEY, formWith({ access: "adopt", shelter: "104" })), {});
});

test("a key gets another shelter, the whole network, or none as an admin key", () => {
  const changes = [
    [{ access: "manage", shelter: "2" }, { shelterId: 2n }],
    [{ access: "manage", shelter: "" }, { shelterId: null }],
    [{ access: "admin" }, { shelterId: null }],
  ] as const;
  for (const [values, change] of changes) assert.deepEqual(shelterChange(KEY, formWith(values)), change);
  for (const values of [{ access: "admin" }, { access: "manage", shelter: "" }])
    assert.deepEqual(shelterChange({}, formWith(values)), {});
});

test("the console knows the first shelter as the service creates it", () => {
  const { id, name } = service.FIRST_SHELTER;
  assert.deepEqual(FIRST_SHELTER, { id: Number(id), name });
});

test("the choices contain the chosen shelter, also one that is not read", async (t) => {
  forgetShelters(t);
  assert.deepEqual(shelterChoices(104), [["104", "Shelter 104"]]);
  await readFirstShelters(CLIENT);
  assert.deepEqual(shelterChoices(104).slice(0, 2), [
    ["104", "Shelter 104"],
    ["1", "S1"],
  ]);
  assert.equal(shelterChoices(100).length, 100);
  await updateShelters(CLIENT, {});
  assert.equal(shelterChoices(104).length, 105);
});
