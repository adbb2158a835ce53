// The operations of a soak client. Each checks its response against everything acknowledged before.

import { setTimeout as pause } from "node:timers/promises";
import type { Answer } from "../../../harness/clients/call.ts";
import { nextPath } from "../../../harness/clients/pages.ts";
import type { Client } from "./client.ts";
import { type Animal, nameOf } from "./ledger.ts";

const ATTEMPTS_MAX = 40;
const RETRY_MS = 250;
const PAGES_MAX = 5;

interface Operation {
  weight: number;
  run(client: Client): Promise<unknown>;
}

export const OPERATIONS: Operation[] = [
  { weight: 4, run: (client) => create(client) },
  { weight: 3, run: createOnce },
  { weight: 5, run: listFirstPage },
  { weight: 2, run: walk },
  { weight: 6, run: get },
  { weight: 4, run: patch },
  { weight: 1, run: remove },
  { weight: 5, run: order },
];

/** The animal is the client's own, unless all clients want to order it. */
async function create(client: Client, { isWanted = false } = {}): Promise<void> {
  const base = `${client.name}.${client.next()}`;
  const body = { name: nameOf(base, 0), categoryId: 1 };
  const created = await client.ask({ operation: "create", method: "POST", path: "/pets", body }, [201]);
  if (created?.status === 201) acknowledge(client, created, base, isWanted);
}

/** With an Idempotency-Key: repeated until it is acknowledged, and sometimes once more. */
async function createOnce(client: Client): Promise<void> {
  const base = `${client.name}.${client.next()}`;
  const request = {
    operation: "createOnce",
    method: "POST",
    path: "/pets",
    headers: { "idempotency-key": base },
    body: { name: nameOf(base, 0), categoryId: 2 },
  };
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const answer = await client.ask(request, [201, 409]);
    if (answer?.status === 201) {
      acknowledge(client, answer, base, false);
      if (client.dice(4) === 0) await replay(client, request, answer);
      return;
    }
    if (client.isDone()) return;
    await pause(RETRY_MS);
  }
  client.findings.violate(`createOnce ${base}: not acknowledged after ${ATTEMPTS_MAX} attempts`);
}

async function replay(
  { ask, findings, ledger }: Client,
  request: Parameters<Client["ask"]>[0],
  first: Answer,
): Promise<void> {
  const again = await ask({ ...request, operation: "replay" }, [201]);
  if (again?.status !== 201) return;
  ledger.acknowledged.replays += 1;
  if (again.text !== first.text || again.headers["idempotent-replayed"] !== "true")
    findings.violate(`a replay of ${first.text} was ${again.text}`);
}

function acknowledge(
  { ledger, own, findings }: Client,
  { json }: Answer,
  base: string,
  isWanted: boolean,
): void {
  if (ledger.animals.has(json.id)) findings.violate(`id ${json.id} was given twice`);
  const animal: Animal = { id: json.id, base, names: new Set([json.name]), isDeleted: "no" };
  ledger.animals.set(animal.id, animal);
  ledger.acknowledged.creates += 1;
  if (isWanted) ledger.wanted.push(animal.id);
  else own.push(animal);
}

async function listFirstPage({ ask }: Client): Promise<void> {
  await ask({ operation: "list", method: "GET", path: "/pets?limit=20" }, [200]);
}

/** The first pages: ids rise from page to page, and no animal is missing that was there before and after. */
async function walk({ ask, ledger, findings }: Client): Promise<void> {
  const known = [...ledger.animals.keys()];
  const seen = new Set<number>();
  let last = 0;
  for (let path = "/pets?limit=50", pages = 0; path !== "" && pages < PAGES_MAX; pages++) {
    const page = await ask({ operation: "walk", method: "GET", path }, [200]);
    if (page?.status !== 200) return;
    for (const { id } of page.json) {
      if (id <= last) findings.violate(`walk: ${id} came after ${last}`);
      last = id;
      seen.add(id);
    }
    path = nextPath(page);
    if (path === "") last = Infinity;
  }
  for (const id of known)
    if (id <= last && !seen.has(id) && ledger.animals.get(id)?.isDeleted === "no")
      findings.violate(`walk: ${id} was acknowledged before and is missing`);
}

async function get({ ask, own, dice, findings }: Client): Promise<void> {
  // Half of the time the newest: it must be visible on every node at once.
  const animal = dice(2) === 0 ? own.at(-1) : own[dice(own.length)];
  if (animal === undefined) return;
  const found = await ask({ operation: "get", method: "GET", path: `/pets/${animal.id}` }, [200, 404]);
  if (found?.status === 404 && animal.isDeleted === "no")
    findings.violate(`get: ${animal.id} was acknowledged and is missing`);
  if (found?.status !== 200) return;
  if (animal.isDeleted === "yes") findings.violate(`get: ${animal.id} was deleted and is there`);
  if (!animal.names.has(found.json.name))
    findings.violate(`get: ${animal.id} is ${found.json.name}, not ${[...animal.names].join(" or ")}`);
}

async function patch(client: Client): Promise<void> {
  const animal = client.own[client.dice(client.own.length)];
  if (animal === undefined || animal.isDeleted !== "no") return;
  const name = nameOf(animal.base, client.next());
  const request = { operation: "patch", method: "PATCH", path: `/pets/${animal.id}`, body: { name } };
  const answer = await client.ask(request, [200]);
  if (answer?.status === 200) {
    animal.names = new Set([name]);
    client.ledger.acknowledged.changes += 1;
  } else animal.names.add(name);
}

async function remove({ ask, own, dice, ledger }: Client): Promise<void> {
  const animal = own[dice(own.length)];
  if (animal === undefined || animal.isDeleted !== "no") return;
  // Set before sending, because another client may list it before the response.
  animal.isDeleted = "unknown";
  const answer = await ask({ operation: "delete", method: "DELETE", path: `/pets/${animal.id}` }, [204]);
  if (answer?.status !== 204) return;
  animal.isDeleted = "yes";
  ledger.acknowledged.deletes += 1;
}

/** All clients order the same few animals. */
async function order(client: Client): Promise<void> {
  const { ask, ledger, findings } = client;
  if (client.dice(8) === 0) await create(client, { isWanted: true });
  const petId = ledger.wanted.at(-1 - client.dice(2));
  if (petId === undefined) return;
  const request = { operation: "order", method: "POST", path: "/store/orders", body: { petId } };
  const answer = await ask(request, [201, 409]);
  if (answer?.status !== 201) return;
  const placed = { id: answer.json.id, petId, statuses: new Set(["placed"]) };
  if (ledger.orders.has(petId)) findings.violate(`two orders were acknowledged for animal ${petId}`);
  ledger.orders.set(petId, placed);
  ledger.acknowledged.orders += 1;
  if (client.dice(2) === 0) return;
  const path = `/store/orders/${placed.id}`;
  const approval = await ask(
    { operation: "approve", method: "PATCH", path, body: { status: "approved" } },
    [200],
  );
  if (approval?.status === 200) placed.statuses = new Set(["approved"]);
  else placed.statuses.add("approved");
}
