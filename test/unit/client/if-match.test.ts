// ETags in the client: ifMatch and etagOf.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createClient,
  etagOf,
  PreconditionFailedError,
  UnavailableError,
} from "../../../client/src/client.ts";
import { ADMIN_KEY, startApp } from "../../harness/servers/app.ts";
import { startScripted } from "../../harness/servers/scripted-server.ts";
import { AWAY, clientOf, PET } from "./scene.ts";

test("ifMatch changes and deletes only what the caller has read", async (t) => {
  const { url } = await startApp(t);
  const client = createClient({ baseUrl: url, apiKey: ADMIN_KEY, onWarning: () => {} });
  const { id } = await client.createPet({ name: "Rex", categoryId: 3 });
  const order = await client.createOrder({ petId: id });

  const seen = await client.getPet(id);
  const renamed = await client.updatePet(id, { name: "Max" }, { ifMatch: etagOf(seen) });
  await assert.rejects(
    client.updatePet(id, { name: "Bo" }, { ifMatch: etagOf(seen) }),
    PreconditionFailedError,
  );
  assert.equal((await client.updatePet(id, { name: "Lu" }, { ifMatch: etagOf(renamed) })).name, "Lu");
  await assert.rejects(client.deletePet(id, { ifMatch: etagOf(renamed) }), PreconditionFailedError);

  const placed = await client.getOrder(order.id);
  const cancelled = await client.updateOrder(
    order.id,
    { status: "cancelled" },
    { ifMatch: `"other", ${etagOf(placed)}` },
  );
  await assert.rejects(
    client.updateOrder(order.id, { status: "approved" }, { ifMatch: etagOf(placed) }),
    PreconditionFailedError,
  );
  assert.equal(etagOf(cancelled), etagOf(await client.getOrder(order.id)));

  const listing = await client.getListing(id);
  const profiled = await client.updateProfile(id, { species: "dog" }, { ifMatch: etagOf(listing) });
  await assert.rejects(
    client.updateProfile(id, { species: "cat" }, { ifMatch: etagOf(listing) }),
    PreconditionFailedError,
  );
  assert.equal(etagOf(profiled), etagOf(await client.getListing(id)));
  await client.deletePet(id, { ifMatch: etagOf(await client.getPet(id)) });

  await client.createPet({ name: "Luna", categoryId: 3 });
  const [listed] = (await client.listPets().page()).items;
  for (const other of [{ ...placed }, listed as object, {}])
    assert.throws(() => etagOf(other), { name: "TypeError", message: /has an ETag$/ });
});

test("a PATCH with ifMatch is not repeated if it may have been made: it would find its own change", async (t) => {
  const server = await startScripted(t, AWAY, AWAY, { body: PET }, AWAY, { status: 204, body: "" });
  const { client } = clientOf(server.url);
  await assert.rejects(client.updatePet(1, { name: "Rex" }, { ifMatch: '"a"' }), UnavailableError);
  await client.updatePet(1, { name: "Rex" });
  await client.deletePet(1, { ifMatch: '"a"' });
  assert.deepEqual(
    server.requests.map(({ method, headers }) => [method, headers["if-match"]]),
    [["PATCH", '"a"'], ...[1, 2].map(() => ["PATCH", undefined]), ...[1, 2].map(() => ["DELETE", '"a"'])],
  );
});
