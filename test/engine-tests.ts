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
  "adoption-categories": { also: POSTGRES, why: "names and pages of categories are stored" },
  "adoption-events": {
    also: [...POSTGRES, "postgres"],
    why: "pages are queries, and other nodes are noticed",
  },
  "adoption-history": { also: POSTGRES, why: "changes are numbered without a gap by the database" },
  "adoption-idempotency": { also: POSTGRES, why: "responses are stored, and stored once of many at a time" },
  "adoption-orders": { also: POSTGRES, why: "transitions are transactions, some at the same time" },
  "adoption-listing-pages": {
    also: EVERYWHERE,
    why: "pages are cached under a version that the gate reports",
  },
  "adoption-listings": { also: POSTGRES, why: "profiles are stored, and lists are queries" },
  "adoption-polls": {
    also: [...POSTGRES, "postgres"],
    why: "changes, and keys that are no longer valid, are noticed by Redis or in the database",
  },
  "adoption-pets": { also: POSTGRES, why: "transitions are transactions, some at the same time" },
  "adoption-preconditions": { also: POSTGRES, why: "the current state is compared in the transaction" },
  audit: { also: POSTGRES, why: "records are transactions, and the gate bans keys" },
  "adoption-search": { also: POSTGRES, why: "texts are searched by the database" },
  "adoption-stream": {
    also: [...POSTGRES, "postgres"],
    why: "changes, and keys that are no longer valid, are noticed by Redis or in the database",
  },
  "fast-path": { also: EVERYWHERE, why: "pages are cached under a version that the gate reports" },
  "fast-create": { also: EVERYWHERE, why: "creates are transactions, and the gate admits them" },
  guards: { also: NOWHERE_ELSE, why: "rules for routes" },
  metrics: { also: POSTGRES, why: "charges, and figures of both engines" },
  photos: { also: POSTGRES, why: "photos and images are stored and shared in transactions" },
  webhooks: { also: POSTGRES, why: "positions, claims and records are transactions" },
  "section-1-service": { also: NOWHERE_ELSE, why: "forms of requests and responses" },
  "section-2-3-resources": { also: POSTGRES, why: "numbers and names come back exactly as they were stored" },
  "section-4-endpoints": { also: POSTGRES, why: "filters, pages and cursors are queries" },
  "section-5-authentication": {
    also: EVERYWHERE,
    why: "keys are cached under a version that the gate reports",
  },
  "section-7-errors": { also: NOWHERE_ELSE, why: "its stores are replaced by broken ones" },
  "section-8-limits": { also: REDIS, why: "windows and bans are counted by the gate" },
  "section-8-restart": { also: EVERYWHERE, why: "counts and bans are stored by the database or by Redis" },
  "section-9-versioning": { also: POSTGRES, why: "the last use of a deprecated operation is stored" },
};

/** Throws when a test of the interface is not in the table, or the table names a file that does not exist. */
export function listEngineTests(files: string[]): Array<{ path: string; combination: string }> {
  const ofInterface = files.filter((path) => /^test\/http\/(?:section|adoption)-/.test(path));
  const listed = Object.keys(ENGINE_TESTS).map(pathOf);
  const wrong = [
    ...ofInterface.filter((path) => !listed.includes(path)),
    ...listed.filter((path) => !files.includes(path)),
  ];
  if (wrong.length > 0) throw new Error(`test/engine-tests.ts and the files differ: ${wrong.join(", ")}`);
  return Object.entries(ENGINE_TESTS).flatMap(([name, { also }]) =>
    also.map((combination) => ({ path: pathOf(name), combination })),
  );
}

function pathOf(name: string): string {
  return `test/http/${name}.test.ts`;
}
