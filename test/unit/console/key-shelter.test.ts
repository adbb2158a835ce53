// The shelter in the form of a key: a key must not lose it when something else is saved.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Client, Shelter } from "../../../client/src/client.ts";
import { shelterChange } from "../../../console/src/keys/key-shelter.ts";
import {
  readFirstShelters,
  shelterChoices,
  shelters,
  updateShelters,
} from "../../../console/src/shared/state/shelter-list.ts";

const KEY = { access: "manage", shelterId: 104 } as const;
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

function formWith(values: Record<string, string>): FormData {
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
  const network = { access: "manage" } as const;
  assert.deepEqual(shelterChange(network, formWith({ access: "admin" })), {});
  assert.deepEqual(shelterChange(network, formWith({ access: "manage", shelter: "" })), {});
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
