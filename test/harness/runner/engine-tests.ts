// Which tests of the interface run on which engines besides SQLite with the gate in the process, where every test runs.

/** Headers, parsing, routing: no engine decides the outcome. */
const NOWHERE_ELSE: string[] = [];
/** Data that is stored and read again. The gate only admits these requests, so one combination covers PostgreSQL. */
const POSTGRES = ["postgres+redis"];
/** Requests that only the gate decides: one combination covers Redis. */
const REDIS = ["sqlite+redis"];
/** Database and gate together: cached keys and pages, counts, bans. */
const EVERYWHERE = ["postgres+redis", "sqlite+redis", "postgres"];

interface Engines {
  also: string[];
  why: string;
}

export const ENGINE_TESTS: Record<string, Engines> = {
  categories: { also: POSTGRES, why: "names and pages of categories are stored" },
  "list-events": {
    also: [...POSTGRES, "postgres"],
    why: "pages are queries, and other nodes are noticed",
  },
  "list-pet-history": { also: POSTGRES, why: "changes are numbered without a gap by the database" },
  "idempotency-key": { also: POSTGRES, why: "responses are stored, and stored once of many at a time" },
  orders: { also: POSTGRES, why: "transitions are transactions, some at the same time" },
  "listings-fast-path": {
    also: EVERYWHERE,
    why: "pages are cached under a version that the gate reports",
  },
  listings: { also: POSTGRES, why: "profiles are stored, and lists are queries" },
  "list-events-wait": {
    also: [...POSTGRES, "postgres"],
    why: "changes, and keys that are no longer valid, are noticed by Redis or in the database",
  },
  shelters: { also: POSTGRES, why: "changes of shelters are transactions" },
  "shelter-listings": { also: POSTGRES, why: "lists by shelter and by distance are queries" },
  "shelter-keys": {
    also: POSTGRES,
    why: "rights are checked in transactions, and orders are filtered in SQL",
  },
  "update-pet": { also: POSTGRES, why: "transitions are transactions, some at the same time" },
  "if-match": { also: POSTGRES, why: "the current state is compared in the transaction" },
  audit: { also: POSTGRES, why: "records are transactions, and the gate bans keys" },
  "search-listings": { also: POSTGRES, why: "texts are searched by the database" },
  "stream-events": {
    also: [...POSTGRES, "postgres"],
    why: "changes, and keys that are no longer valid, are noticed by Redis or in the database",
  },
  "list-pets-fast-path": { also: EVERYWHERE, why: "pages are cached under a version that the gate reports" },
  "create-pet-fast-path": { also: EVERYWHERE, why: "creates are transactions, and the gate admits them" },
  traffic: {
    also: NOWHERE_ELSE,
    why: "counts are in the process; the contract tests store them on every engine",
  },
  metrics: { also: POSTGRES, why: "charges, and figures of both engines" },
  photos: { also: POSTGRES, why: "photos and images are stored and shared in transactions" },
  site: { also: POSTGRES, why: "settings are stored, and pages are queries" },
  webhooks: { also: POSTGRES, why: "positions, claims and records are transactions" },
  "create-pet": { also: POSTGRES, why: "numbers and names come back exactly as they were stored" },
  "list-pets": { also: POSTGRES, why: "filters, pages and cursors are queries" },
  "import-animals": { also: POSTGRES, why: "rows are written in batches, each a transaction" },
  "get-export": { also: POSTGRES, why: "pages of animals are queries, and their order is the database's" },
  keys: {
    also: EVERYWHERE,
    why: "keys are cached under a version that the gate reports",
  },
  "publishable-keys": {
    also: EVERYWHERE,
    why: "keys and pages are cached under versions that the gate reports, and lists are queries",
  },
  "publishable-key-limits": {
    also: EVERYWHERE,
    why: "the gate counts the key, and each node the addresses",
  },
  people: { also: EVERYWHERE, why: "keys of people are cached under a version that the gate reports" },
  "people-records": { also: POSTGRES, why: "records are transactions, and read with the person of the key" },
  invitations: { also: POSTGRES, why: "codes are used up in transactions" },
  session: { also: POSTGRES, why: "codes are used up in transactions, and keys revoked" },
  limits: { also: REDIS, why: "windows and bans are counted by the gate" },
  "limits-after-restart": { also: EVERYWHERE, why: "counts and bans are stored by the database or by Redis" },
  "get-pet": { also: POSTGRES, why: "the last use of a deprecated operation is stored" },
};

/** Throws when a test of an operation is not in the table, or the table names a file that does not exist. */
export function listEngineTests(files: string[]): Array<{ path: string; combination: string }> {
  const ofInterface = files.filter((path) => /^test\/http\/[^/]+$/.test(path));
  const listed = Object.keys(ENGINE_TESTS).map(pathOf);
  const wrong = [
    ...ofInterface.filter((path) => !listed.includes(path)),
    ...listed.filter((path) => !files.includes(path)),
  ];
  if (wrong.length > 0)
    throw new Error(`test/harness/runner/engine-tests.ts and the files differ: ${wrong.join(", ")}`);
  return Object.entries(ENGINE_TESTS).flatMap(([name, { also }]) =>
    also.map((combination) => ({ path: pathOf(name), combination })),
  );
}

function pathOf(name: string): string {
  return `test/http/${name}.test.ts`;
}
