// Every changing operation, called with a key of the animal's shelter, of another shelter, and of the whole network.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { ErrorCode } from "../../../src/domain/basics/errors.ts";
import { type Answer, type Call, call as request } from "../../harness/clients/call.ts";
import { drawImage } from "../../harness/clients/images.ts";
import { readPages } from "../../harness/clients/pages.ts";
import { freshEngines } from "../../harness/runner/combination.ts";
import { startNode } from "../../harness/servers/node.ts";
import { assertError } from "../../http/assertions.ts";

type Outcome = "done" | ErrorCode;
/** All of them have access `manage`. `network` belongs to no shelter; `own` and `other` to one each. */
type KeyKind = "own" | "other" | "network";

/** The objects that a call changes. Animal, photo and order belong to the shelter of the key `own`. */
interface Targets {
  petId: number;
  photoId: number;
  orderId: number;
  categoryId: number;
  shelterId: number;
  keyId: number;
  webhookId: number;
  personId: number;
  invitationId: number;
  otherShelterId: number;
  image: Buffer;
}

interface Row extends Record<KeyKind, Outcome> {
  /** Without a key. Default: `missing_api_key`. */
  none?: Outcome;
  /** Names the row where an operation has several. */
  variant?: string;
  needs?: "photo" | "order";
  body?: (targets: Targets) => unknown;
  type?: string;
  query?: string;
}

const OF_THE_SHELTER = { own: "done", other: "other_shelter", network: "done" } as const;
const OF_THE_NETWORK = { own: "other_shelter", other: "other_shelter", network: "done" } as const;
const FOR_ADMINS = same("insufficient_access");
const CSV = "text/csv";
const NODES = 2;

const ROWS: Record<string, Row[]> = {
  createPet: [{ ...same("done"), body: () => ({ name: "Luna", categoryId: 3 }) }],
  updatePet: [{ ...OF_THE_SHELTER, body: () => ({ name: "Luna" }) }],
  deletePet: [OF_THE_SHELTER],
  updateProfile: [
    { ...OF_THE_SHELTER, body: () => ({ species: "dog" }) },
    {
      ...OF_THE_NETWORK,
      variant: "to another shelter",
      body: ({ otherShelterId }) => ({ shelterId: otherShelterId }),
    },
  ],
  addPhoto: [{ ...OF_THE_SHELTER, body: ({ image }) => image, type: "image/png" }],
  orderPhotos: [{ ...OF_THE_SHELTER, needs: "photo", body: ({ photoId }) => ({ order: [photoId] }) }],
  updatePhoto: [{ ...OF_THE_SHELTER, needs: "photo", body: () => ({ alt: "Rex" }) }],
  deletePhoto: [{ ...OF_THE_SHELTER, needs: "photo" }],
  importAnimals: [
    {
      ...OF_THE_SHELTER,
      other: "file_has_bad_rows",
      variant: "of a known animal",
      body: ({ petId }) => `name,categoryId,externalId\nLuna,3,A-${petId}\n`,
      type: CSV,
    },
    {
      own: "file_has_bad_rows",
      other: "done",
      network: "done",
      variant: "of an animal of another shelter",
      body: ({ petId, otherShelterId }) => `name,categoryId,shelterId\nLuna ${petId},3,${otherShelterId}\n`,
      type: CSV,
    },
    {
      ...OF_THE_NETWORK,
      variant: "with new categories",
      body: ({ petId }) => `name,category\nLuna,Category ${petId}\n`,
      type: CSV,
      query: `settings=${encodeURIComponent('{"createCategories":true}')}`,
    },
  ],
  createOrder: [{ ...OF_THE_SHELTER, body: ({ petId }) => ({ petId }) }],
  updateOrder: [
    {
      ...OF_THE_SHELTER,
      other: "order_not_found",
      needs: "order",
      body: () => ({ status: "approved" }),
    },
  ],
  putCategory: [{ ...OF_THE_NETWORK, body: () => ({ name: "Renamed" }) }],
  deleteCategory: [OF_THE_NETWORK],
  createShelter: [{ ...FOR_ADMINS, body: () => ({ name: "Riverside" }) }],
  updateShelter: [{ ...OF_THE_SHELTER, network: "insufficient_access", body: () => ({ phone: "+49 30 1" }) }],
  deleteShelter: [FOR_ADMINS],
  updateSite: [{ ...FOR_ADMINS, body: () => ({ isPublic: true }) }],
  createKey: [{ ...FOR_ADMINS, body: () => ({ name: "new", plan: "free" }) }],
  updateKey: [{ ...FOR_ADMINS, body: () => ({ shelterId: null }) }],
  rotateKey: [FOR_ADMINS],
  unbanKey: [FOR_ADMINS],
  revokeKey: [FOR_ADMINS],
  createInvitation: [{ ...FOR_ADMINS, body: () => ({ name: "Maria", access: "manage" }) }],
  revokeInvitation: [FOR_ADMINS],
  updatePerson: [{ ...FOR_ADMINS, body: () => ({ shelterId: null }) }],
  endPerson: [FOR_ADMINS],
  acceptInvitation: [
    { ...same("invitation_not_found"), none: "invitation_not_found", body: () => ({ code: "wrong" }) },
  ],
  // These keys belong to no person.
  createDeviceLink: [same("insufficient_access")],
  endSession: [same("insufficient_access")],
  // Webhooks belong to a key, not to a shelter; these do not exist.
  createWebhook: [{ ...same("url_not_allowed"), body: () => ({ url: "https://127.0.0.1/" }) }],
  updateWebhook: [{ ...same("webhook_not_found"), body: () => ({ description: "new" }) }],
  deleteWebhook: [same("webhook_not_found")],
  testWebhook: [same("webhook_not_found")],
  rotateWebhook: [same("webhook_not_found")],
  replayWebhook: [{ ...same("webhook_not_found"), body: () => ({ after: "0000000000000000-0" }) }],
};

function same(outcome: Outcome): Record<KeyKind, Outcome> {
  return { own: outcome, other: outcome, network: outcome };
}

/** The contract tests have SQLite. */
test("Two nodes on PostgreSQL refuse every change of another shelter", async (t) => {
  const scene = await startScene(t);
  const operations = Object.entries(scene.document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method !== "get")
      .map(([method, { operationId }]) => ({ path, method: method.toUpperCase(), operationId })),
  );

  await t.test("every changing operation has a row", () => {
    const names = operations.map(({ operationId }) => operationId);
    assert.deepEqual(Object.keys(ROWS).sort(), names.sort());
  });

  for (const { path, method, operationId } of operations)
    for (const row of ROWS[operationId] ?? [])
      await t.test(`${operationId} ${row.variant ?? ""}`, async () => {
        const outcomes = { none: "missing_api_key", ...row } as const;
        for (const kind of ["none", "other", "own", "network"] as const)
          await testCell(scene, { path, method, row, kind, outcome: outcomes[kind] });
      });
});

type Scene = Awaited<ReturnType<typeof startScene>>;

async function startScene(t: TestContext) {
  const engines = await freshEngines(t, "postgres+redis");
  const nodes = [];
  for (let each = 0; each < NODES; each++)
    nodes.push(await startNode(t, { ...engines, WEBHOOK_SECRET_KEY: "x".repeat(32) }));
  const calls = nodes.map(({ call }) => call);
  const [admin] = calls as [Call];
  const create = async (path: string, body: unknown, options: object = {}): Promise<Answer["json"]> => {
    const answer = await admin("POST", path, { body, ...options });
    assert.equal(answer.status, 201, answer.text);
    return answer.json;
  };
  const shelterId = (await create("/shelters", { name: "Own" })).id;
  const otherShelterId = (await create("/shelters", { name: "Other" })).id;
  const createKey = (settings: object) =>
    create("/keys", { name: "test", plan: "business", access: "manage", ...settings });
  const own = await createKey({ shelterId });
  const other = await createKey({ shelterId: otherShelterId });
  const network = await createKey({});
  const keys = { none: undefined, own: own.key, other: other.key, network: network.key };
  const image = await drawImage("red", { width: 32, height: 24 });
  const { json } = await request("GET", `${nodes[0]?.url}/openapi.json`);
  const document: { paths: Record<string, Record<string, { operationId: string }>> } = json;

  /** New objects for each call, so that no call meets what another has changed. */
  async function createTargets({ needs }: Row): Promise<Targets> {
    const petId = (await create("/pets", { name: "Rex", categoryId: 3 }, { key: keys.own })).id;
    const externalId = { externalId: `A-${petId}` };
    await admin("PATCH", `/pets/${petId}/profile`, { body: externalId });
    await admin("PUT", `/categories/${petId}`, { body: { name: "Dogs" } });
    const upload = { headers: { "content-type": "image/png" } };
    const photoId = needs === "photo" ? (await create(`/pets/${petId}/photos`, image, upload)).id : 1;
    const orderId = needs === "order" ? (await create("/store/orders", { petId })).id : 1;
    const ids = { petId, photoId, orderId, categoryId: petId, shelterId, keyId: own.id, webhookId: 1 };
    return { ...ids, personId: 1, invitationId: 1, otherShelterId, image };
  }
  return { calls, keys, document, createTargets };
}

interface Cell {
  path: string;
  method: string;
  row: Row;
  kind: KeyKind | "none";
  outcome: Outcome;
}

/** A refused call has changed nothing. */
async function testCell({ calls, keys, createTargets }: Scene, cell: Cell): Promise<void> {
  const { path, method, row, kind, outcome } = cell;
  const targets = await createTargets(row);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => String(targets[name as keyof Targets]));
  const target = row.query === undefined ? filled : `${filled}?${row.query}`;
  // The call goes to one node, and the export is read from the other.
  const [call, read] = [calls.at(0), calls.at(-1)] as [Call, Call];
  const body = row.body?.(targets);
  const headers = row.type === undefined ? {} : { "content-type": row.type };
  const before = outcome === "done" ? "" : await exportAll(read);
  const answer = await call(method, target, { key: keys[kind], body, headers });
  if (outcome === "done") {
    assert.ok(answer.status >= 200 && answer.status < 300, `${kind}: ${answer.text}`);
    return;
  }
  assertError(answer, outcome);
  assert.equal(await exportAll(read), before, kind);
}

/** Everything that the operations change, and the newest event: nothing was changed and changed back. */
async function exportAll(call: Call): Promise<string> {
  const ask = (path: string) => call("GET", path);
  const lists = ["/listings?status=any&limit=100", "/store/orders?limit=100", "/categories?limit=100"];
  const pages = [];
  for (const list of [...lists, "/shelters?limit=100", "/audit?limit=100"])
    for (const { text } of await readPages(ask, list)) pages.push(text);
  const { headers } = await ask("/events?after=now");
  return [...pages, headers.link].join("\n");
}
