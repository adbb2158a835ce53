// Writes the requests of a workload for one contender into a file that wrk reads.

import { writeFileSync } from "node:fs";
import { type Kind, PAGE_ITEMS, partsOf, type WorkloadName } from "./workloads.ts";

/** The URL paths of a contender. */
export interface Addresses {
  firstPage: string;
  /** The page that starts after the animal with this id. */
  pageAfter(id: number): string;
  pet(id: number): string;
  pets: string;
}

export interface Request {
  kind: Kind;
  method: "GET" | "POST";
  path: string;
  body?: object;
}

const LINES = 100_000;
const NEW_PET = { name: "Rex", categoryId: 3, status: "available" };

/** One request of each kind in the workload. */
export function sampleRequests(workload: WorkloadName, addresses: Addresses, animals: number): Request[] {
  const id = 1 + Math.floor(Math.random() * lastPageStart(animals));
  return partsOf(workload).map(([kind]) => buildRequest(kind, addresses, id));
}

export function writeRequests(
  file: string,
  workload: WorkloadName,
  addresses: Addresses,
  animals: number,
): void {
  const kinds = shuffle(partsOf(workload).flatMap(([kind, share]) => Array<Kind>(share).fill(kind)));
  const ids = spreadIds(lastPageStart(animals));
  const isFixed = kinds.every((kind) => kind === "hot" || kind === "create");
  const lines = Array.from({ length: isFixed ? 1 : LINES }, (_, i) =>
    toLine(buildRequest(kinds[i % kinds.length] as Kind, addresses, ids(i))),
  );
  writeFileSync(file, `${lines.join("\n")}\n`);
}

function buildRequest(kind: Kind, addresses: Addresses, id: number): Request {
  if (kind === "create") return { kind, method: "POST", path: addresses.pets, body: NEW_PET };
  const paths = {
    hot: () => addresses.firstPage,
    cold: () => addresses.pageAfter(id),
    get: () => addresses.pet(id),
  };
  return { kind, method: "GET", path: paths[kind]() };
}

function toLine({ method, path, body }: Request): string {
  return `${method} ${path}${body === undefined ? "" : `\t${JSON.stringify(body)}`}`;
}

/** Every page must be full and have a next page, so that all responses have the same form. */
function lastPageStart(animals: number): number {
  return animals - PAGE_ITEMS - 1;
}

/** Visits all of 1 … count in large steps before it repeats an id. */
function spreadIds(count: number): (index: number) => number {
  let step = Math.round(count * 0.618);
  while (greatestDivisor(step, count) !== 1) step += 1;
  return (index) => 1 + ((index * step) % count);
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}

function shuffle<T>(items: T[]): T[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
