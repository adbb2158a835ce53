// Checks after a soak: everything acknowledged is there, once, in order, and the logs have no errors.

import pg from "pg";
import { type Answer, call } from "../../../harness/clients/call.ts";
import { walkAll } from "../../../harness/clients/pages.ts";
import { ADMIN_KEY, type Cluster } from "./cluster.ts";
import type { Findings } from "./findings.ts";
import { baseOf, type Ledger } from "./ledger.ts";

const ERROR_LEVEL = 50;

interface StoredPet {
  id: number;
  name: string;
  status: string;
}

interface StoredOrder {
  id: number;
  petId: number;
  status: string;
}

export async function checkStore(cluster: Cluster, ledger: Ledger, { violate }: Findings): Promise<void> {
  const pets = await walkAll<StoredPet>((path) => ask(cluster, path), "/pets");
  const orders = await walkAll<StoredOrder>((path) => ask(cluster, path), "/store/orders");
  checkAnimals(pets, ledger, violate);
  checkOrders(pets, orders, ledger, violate);
  const inventory = (await ask(cluster, "/store/inventory")).json;
  const counted: { [status: string]: number } = { available: 0, pending: 0, sold: 0 };
  for (const { status } of pets) counted[status] = (counted[status] ?? 0) + 1;
  if (JSON.stringify(inventory) !== JSON.stringify(counted))
    violate(`the inventory is ${JSON.stringify(inventory)}, and there are ${JSON.stringify(counted)}`);
}

function checkAnimals(pets: StoredPet[], { animals }: Ledger, violate: Findings["violate"]): void {
  const stored = new Map(pets.map((pet) => [pet.id, pet]));
  const bases = new Set<string>();
  for (const [index, { id, name }] of pets.entries()) {
    const before = pets[index - 1]?.id ?? 0;
    if (id <= before) violate(`the last walk: ${id} came after ${before}`);
    if (bases.has(baseOf(name))) violate(`${baseOf(name)} was created twice`);
    bases.add(baseOf(name));
  }
  for (const { id, names, isDeleted } of animals.values()) {
    const pet = stored.get(id);
    if (pet === undefined && isDeleted === "no") violate(`animal ${id} was acknowledged and is lost`);
    if (pet !== undefined && isDeleted === "yes") violate(`animal ${id} was deleted and is there`);
    if (pet !== undefined && !names.has(pet.name))
      violate(`animal ${id} is ${pet.name}, not ${[...names].join(" or ")}`);
  }
}

function checkOrders(
  pets: StoredPet[],
  orders: StoredOrder[],
  ledger: Ledger,
  violate: Findings["violate"],
): void {
  const byAnimal = new Map(orders.map((order) => [order.petId, order]));
  if (byAnimal.size !== orders.length) violate("an animal has two orders");
  for (const { id, petId, statuses } of ledger.orders.values()) {
    const order = byAnimal.get(petId);
    if (order?.id !== id || !statuses.has(order.status))
      violate(
        `order ${id} was acknowledged as ${[...statuses].join(" or ")} and is ${JSON.stringify(order)}`,
      );
  }
  for (const { id, status } of pets)
    if ((status === "pending") !== byAnimal.has(id)) violate(`animal ${id} is ${status} against its orders`);
}

/** Numbers of the history have no gap and no number twice; animals appear in it in the order of their ids. */
export async function checkHistory({ databaseUrl }: Cluster, { violate }: Findings): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query(`
      SELECT count(*)::int AS changes, coalesce(min(number), 1)::int AS first, coalesce(max(number), 0)::int AS last,
        count(DISTINCT number)::int AS numbers
      FROM history`);
    const { changes, first, last, numbers } = rows[0];
    if (first !== 1 || last !== changes || numbers !== changes)
      violate(`the history has ${changes} changes with ${numbers} numbers from ${first} to ${last}`);
    const disordered = await client.query(`
      SELECT pet_id FROM (
        SELECT pet_id, lag(pet_id) OVER (ORDER BY number) AS before FROM history WHERE what = 'pet.created'
      ) AS created WHERE pet_id <= before`);
    if (disordered.rows.length > 0) violate(`${disordered.rows.length} animals were created out of order`);
    return `${changes} changes in the history`;
  } finally {
    await client.end();
  }
}

/** Every line of every process is JSON and below the level of errors. The last line of a killed one may be cut. */
export function checkLogs({ processes }: Cluster, { violate }: Findings): void {
  for (const { output } of processes) {
    const lines = output.stderr.split("\n").slice(0, -1);
    for (const line of lines) {
      const level = levelOf(line);
      if (level === undefined || level >= ERROR_LEVEL) violate(`logged: ${line.slice(0, 500)}`);
    }
  }
}

function levelOf(line: string): number | undefined {
  try {
    return JSON.parse(line).level;
  } catch {
    return undefined;
  }
}

async function ask({ nodes }: Cluster, path: string): Promise<Answer> {
  return call("GET", `${nodes[0]?.url}/v1${path}`, { key: ADMIN_KEY });
}
