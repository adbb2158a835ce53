// The peers: other servers with the same interface, each with its own data.

import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listAnimals, PEER_ANIMALS_MAX } from "../data/animals.ts";
import { flushFile, makePeerDatabase } from "../data/sqlite.ts";
import type { Store } from "../data/stores.ts";
import type { Addresses } from "../load/requests.ts";
import { PAGE_ITEMS } from "../load/workloads.ts";
import type { Contender } from "./contender.ts";
import { type Site, startServer } from "./server-process.ts";

const BENCH = join(import.meta.dirname, "..");
const OPENAPI = join(BENCH, "../docs/openapi.json");

const APP_ADDRESSES: Addresses = {
  firstPage: "/v1/pets?status=available",
  pageAfter: (id) => `/v1/pets?cursor=${id}`,
  pet: (id) => `/v1/pets/${id}`,
  pets: "/v1/pets",
};

/** Express and Fastify over copies of one database. */
export async function startApps(site: Site, animals: number): Promise<Contender[]> {
  const { folder } = site.scope;
  const seed = join(folder, "peers.db");
  const key = makePeerDatabase(seed, animals);
  const apps: Contender[] = [];
  for (const name of ["fastify", "express"]) {
    const database = join(folder, `${name}.db`);
    copyFileSync(seed, database);
    flushFile(database);
    const server = await startServer(site, {
      args: () => [join(BENCH, `peers/${name}.js`)],
      environment: { DATABASE: database, NODE_ENV: "production" },
      readyPath: APP_ADDRESSES.firstPage,
      key,
    });
    apps.push({ name, server, key, addresses: APP_ADDRESSES });
  }
  return apps;
}

/** Fastify on PostgreSQL and Redis. */
export async function startFastifyOnPostgres(site: Site, { environment, key }: Store): Promise<Contender> {
  const server = await startServer(site, {
    args: () => [join(BENCH, "peers/fastify-postgres.js")],
    environment: { ...environment, NODE_ENV: "production" },
    readyPath: APP_ADDRESSES.firstPage,
    key,
  });
  return { name: "fastify", server, key, addresses: APP_ADDRESSES };
}

export async function startJsonServer(site: Site, wanted: number): Promise<Contender> {
  const { folder } = site.scope;
  const animals = Math.min(wanted, PEER_ANIMALS_MAX);
  const database = join(folder, "json-server.json");
  const routes = join(folder, "json-server-routes.json");
  writeFileSync(database, JSON.stringify({ pets: listAnimals(animals) }));
  writeFileSync(routes, JSON.stringify({ "/v1/*": "/$1" }));
  const addresses: Addresses = {
    ...APP_ADDRESSES,
    firstPage: `/v1/pets?status=available&_page=1&_limit=${PAGE_ITEMS}`,
    pageAfter: (id) => `/v1/pets?_start=${id}&_limit=${PAGE_ITEMS}`,
  };
  const program = join(BENCH, "node_modules/json-server/lib/cli/bin.js");
  const server = await startServer(site, {
    args: (port) => [program, database, "--port", String(port), "--host", "127.0.0.1", "--routes", routes],
    readyPath: addresses.firstPage,
  });
  return { name: "json-server", server, key: "none", addresses, animals };
}

export async function startPrism(site: Site): Promise<Contender> {
  const document = JSON.parse(readFileSync(OPENAPI, "utf8"));
  // The same number of animals as in the responses of the others.
  document.paths["/pets"].get.responses["200"].content["application/json"].example = listAnimals(PAGE_ITEMS);
  const file = join(site.scope.folder, "prism.json");
  writeFileSync(file, JSON.stringify(document));
  const addresses: Addresses = {
    firstPage: "/pets?status=available",
    pageAfter: () => "/pets",
    pet: (id) => `/pets/${id}`,
    pets: "/pets",
  };
  const program = join(BENCH, "node_modules/@stoplight/prism-cli/dist/index.js");
  const server = await startServer(site, {
    args: (port) => [program, "mock", "--port", String(port), "--host", "127.0.0.1", file],
    readyPath: addresses.firstPage,
    key: "any",
  });
  return { name: "prism", server, key: "any", addresses };
}
