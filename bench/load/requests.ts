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

/** What the requests for a contender depend on. */
export interface Target {
  addresses: Addresses;
  animals: number;
  /** ETag of the first page; empty if the contender sends none. */
  etag: string;
}

export interface Request {
  kind: Kind;
  method: "GET" | "POST";
  path: string;
  headers?: Record<string, string>;
  body?: object;
}

const LINES = 100_000;
const ORIGIN = "https://adopt.example.org";
export const NEW_PET = { name: "Rex", categoryId: 3, status: "available" };

/** One request of each kind in the workload. */
export function sampleRequests(workload: WorkloadName, target: Target): Request[] {
  const id = 1 + Math.floor(Math.random() * lastPageStart(target.animals));
  return partsOf(workload).map(([kind]) => buildRequest(kind, target, id));
}

export function writeRequests(file: string, workload: WorkloadName, target: Target): void {
  const kinds = shuffle(partsOf(workload).flatMap(([kind, share]) => Array<Kind>(share).fill(kind)));
  const ids = spreadIds(lastPageStart(target.animals));
  const isFixed = kinds.every((kind) => kind !== "cold" && kind !== "get");
  const lines = Array.from({ length: isFixed ? 1 : LINES }, (_, i) =>
    toLine(buildRequest(kinds[i % kinds.length] as Kind, target, ids(i))),
  );
  writeFileSync(file, `${lines.join("\n")}\n`);
}

function buildRequest(kind: Kind, { addresses, etag }: Target, id: number): Request {
  const method = "GET";
  const path = addresses.firstPage;
  switch (kind) {
    case "hot":
      return { kind, method, path };
    case "unchanged":
      return { kind, method, path, headers: { "If-None-Match": etag } };
    case "origin":
      return { kind, method, path, headers: { Origin: ORIGIN } };
    case "cold":
      return { kind, method, path: addresses.pageAfter(id) };
    case "get":
      return { kind, method, path: addresses.pet(id) };
    case "create":
      return { kind, method: "POST", path: addresses.pets, body: NEW_PET };
  }
}

/** In the form that requests.lua reads. */
function toLine({ method, path, headers = {}, body }: Request): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path}`, body === undefined ? "" : JSON.stringify(body), ...fields].join("\t");
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
