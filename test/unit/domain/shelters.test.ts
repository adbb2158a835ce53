// The rules of shelters: their members after a change, who may change them, and which rows of a file a key may import.

import assert from "node:assert/strict";
import { test } from "node:test";
import { describeChange } from "../../../src/domain/animals/history.ts";
import { findShelterProblem } from "../../../src/domain/animals/imported-pet.ts";
import type { Listing } from "../../../src/domain/animals/listing.ts";
import { INT64_MAX } from "../../../src/domain/basics/int64.ts";
import { EVENT_PATTERNS, EVENT_TYPES, eventDataJson, filterFor } from "../../../src/domain/events/event.ts";
import { completeSettings } from "../../../src/domain/keys/api-key.ts";
import {
  describeShelter,
  type NewShelter,
  replacedMembers,
  requireMayChange,
  requireShelter,
  reviseShelter,
  summaryOf,
} from "../../../src/domain/shelters/shelter.ts";
import { auditShelterCreation, auditShelterUpdate } from "../../../src/domain/shelters/shelter-audit.ts";

const FULL: NewShelter = {
  name: "North",
  about: "a\nb",
  email: "a@example.org",
  phone: "1",
  website: "https://example.org/",
  adoptUrl: "https://example.org/adopt",
  address: { street: "s", postalCode: "1", city: "Köln", region: "r", country: "DE" },
  location: { latitude: 50.9, longitude: -180 },
  openingHours: "",
};
const TIMES = { createdAtMs: 1, updatedAtMs: 2 };

test("a shelter has the same JSON, whatever the order of its members was", () => {
  const reverse = (object: object): object => Object.fromEntries(Object.entries(object).reverse());
  const changes = { ...reverse(FULL), address: reverse(FULL.address ?? {}) };
  const expected = JSON.stringify(FULL);
  assert.equal(JSON.stringify(reviseShelter({ name: "x" }, changes)), expected);
  assert.equal(JSON.stringify(reviseShelter(changes as NewShelter, {})), expected);
  assert.equal(JSON.stringify(reviseShelter(FULL, {})), expected);
});

test("null removes a member, an absent one stays, address and location change as a whole", () => {
  assert.deepEqual(reviseShelter(FULL, { about: null, phone: undefined, address: { city: "Bonn" } }), {
    ...(({ about: _, ...others }) => others)(FULL),
    address: { city: "Bonn" },
  });
  assert.deepEqual(reviseShelter({ name: "North" }, { name: " South ", about: "" }), {
    name: "South",
    about: "",
  });
  assert.deepEqual(reviseShelter(FULL, { location: null }).location, undefined);
  assert.equal("address" in reviseShelter(FULL, { address: {} }), false);
});

test("-0 is 0", () => {
  const { location } = reviseShelter({ name: "x" }, { location: { latitude: -0, longitude: -0 } });
  assert.ok(Object.is(location?.latitude, 0) && Object.is(location?.longitude, 0));
});

test("shows the city in the summary only if it is known", () => {
  assert.deepEqual(summaryOf({ id: INT64_MAX, ...FULL }), { id: INT64_MAX, name: "North", city: "Köln" });
  assert.deepEqual(Object.keys(summaryOf({ id: 2n, name: "x", address: { street: "s" } })), ["id", "name"]);
});

test("shows the members in one order, with times at the end", () => {
  const names = ["id", ...Object.keys(FULL), "createdAt", "updatedAt"];
  assert.deepEqual(Object.keys(describeShelter({ id: 2n, ...FULL, ...TIMES })), names);
});

test("a shelter is changed with an admin key or a key of the shelter", () => {
  requireMayChange(2n, "admin", undefined);
  requireMayChange(INT64_MAX, "manage", INT64_MAX);
  assert.throws(() => requireMayChange(2n, "manage", INT64_MAX), { code: "other_shelter" });
  assert.throws(() => requireMayChange(2n, "manage", undefined), { code: "insufficient_access" });
});

test("a body that names an unknown shelter is refused with its identifier", () => {
  assert.equal(requireShelter("found", 2n), "found");
  assert.throws(() => requireShelter(undefined, INT64_MAX), {
    code: "invalid_body",
    message: `shelterId: no shelter has the identifier ${INT64_MAX}`,
  });
});

test("a key with access admin belongs to no shelter", () => {
  const settings = { name: "k", plan: "free", access: "manage", shelterId: 2n } as const;
  assert.equal(completeSettings(settings, 0).shelterId, 2n);
  assert.throws(() => completeSettings({ ...settings, access: "admin" }, 0), { code: "invalid_body" });
});

test("a key of a shelter imports only animals of its shelter", () => {
  const known = { shelter: { id: 2n, name: "North" } } as Listing;
  assert.equal(findShelterProblem({ shelterId: 7n }, known, undefined), undefined);
  assert.equal(findShelterProblem({}, known, 2n), undefined);
  assert.equal(findShelterProblem({ shelterId: 2n }, undefined, 2n), undefined);
  assert.equal(findShelterProblem({}, known, 3n)?.member, "externalId");
  assert.equal(findShelterProblem({ shelterId: 3n }, known, 2n)?.member, "shelterId");
  assert.equal(findShelterProblem({ shelterId: 1n }, undefined, 2n)?.member, "shelterId");
});

test("an event has the shelter, and the old values of replaced members", () => {
  const before = { name: "North", about: "a", ...TIMES };
  const after = { name: "North", email: "a@example.org", createdAtMs: 1, updatedAtMs: 3 };
  const event = { number: 1n, petId: 0n, shelterId: INT64_MAX, atMs: 3 };
  const states = { from: { shelterMembers: before }, to: { shelterMembers: after } };
  assert.equal(
    eventDataJson({ ...event, type: "shelter.updated", ...states }, ""),
    `{"shelter":{"id":${INT64_MAX},"name":"North","email":"a@example.org","createdAt":"1970-01-01T00:00:00.001Z","updatedAt":"1970-01-01T00:00:00.003Z"},"previous":{"about":"a"}}`,
  );
  assert.equal(
    eventDataJson({ ...event, type: "shelter.deleted", from: states.from }, ""),
    `{"shelter":{"id":${INT64_MAX},"name":"North","about":"a","createdAt":"1970-01-01T00:00:00.001Z","updatedAt":"1970-01-01T00:00:00.002Z"}}`,
  );
  assert.deepEqual(replacedMembers(FULL, { ...FULL, address: { city: "Bonn" } }), { address: FULL.address });
});

test("events of shelters are for everybody, except in the feed of an animal", () => {
  assert.ok(EVENT_PATTERNS.includes("shelter.*"));
  const ofShelters = EVENT_TYPES.filter((type) => type.startsWith("shelter."));
  assert.equal(ofShelters.length, 3);
  const typesFor = (petId?: bigint) => filterFor({ id: 1n, access: "browse" }, { petId }).types;
  for (const type of ofShelters)
    assert.deepEqual([typesFor().includes(type), typesFor(1n).includes(type)], [true, false]);
});

test("the history of an animal shows its shelters only if it has moved", () => {
  const [north, south] = [
    { id: 2n, name: "North" },
    { id: INT64_MAX, name: "South" },
  ];
  const change = { number: 1n, type: "listing.updated", petId: 1n, atMs: 1 } as const;
  const moved = describeChange({ ...change, from: { shelter: north }, to: { shelter: south } });
  assert.deepEqual([moved.from?.shelterId, moved.to?.shelterId], [2n, INT64_MAX]);
  const stayed = describeChange({ ...change, from: {}, to: { shelter: south } });
  assert.deepEqual([stayed.from, stayed.to], [{ status: "" }, { status: "" }]);
});

test("the audit log has the members that are set, and null for one that was not", () => {
  assert.deepEqual(auditShelterCreation({ name: "North", about: "" }), {
    action: "shelter.created",
    to: { name: "North", about: "" },
  });
  assert.deepEqual(auditShelterUpdate({ name: "North", phone: "1" }, { name: "North", email: "e@x" }), {
    action: "shelter.updated",
    from: { email: null, phone: "1" },
    to: { email: "e@x", phone: null },
  });
});
