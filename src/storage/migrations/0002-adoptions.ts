// Orders, categories, the history of changes, stored responses, and the number of animals by status.

import { forBothEngines, type Migration } from "./migration.ts";

const TABLES = forBothEngines([
  `CREATE TABLE orders (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    pet_id INTEGER NOT NULL,
    status TEXT NOT NULL
      CHECK (status IN ('placed', 'approved', 'delivered', 'returned', 'cancelled', 'expired')),
    reference TEXT NOT NULL,
    key_id INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER,
    CHECK ((status = 'placed') = (expires_at_ms IS NOT NULL))
  ) STRICT`,
  `CREATE TABLE categories (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL
  ) STRICT`,
  `CREATE TABLE history (
    number INTEGER PRIMARY KEY,
    what TEXT NOT NULL,
    pet_id INTEGER NOT NULL,
    order_id INTEGER,
    state_before TEXT,
    state_after TEXT,
    at_ms INTEGER NOT NULL,
    key_id INTEGER
  ) STRICT`,
  `CREATE TABLE idempotency_keys (
    name BLOB PRIMARY KEY,
    fingerprint BLOB NOT NULL,
    status INTEGER NOT NULL,
    location TEXT,
    body BLOB NOT NULL,
    touched TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
  "CREATE UNIQUE INDEX orders_open_by_pet ON orders (pet_id) WHERE status IN ('placed', 'approved')",
  "CREATE INDEX orders_by_status ON orders (status, id)",
  "CREATE INDEX orders_by_pet ON orders (pet_id, id)",
  "CREATE INDEX orders_by_key ON orders (key_id, id)",
  "CREATE INDEX orders_by_expiry ON orders (expires_at_ms) WHERE expires_at_ms IS NOT NULL",
  "CREATE INDEX history_by_pet ON history (pet_id, number)",
  "CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at_ms)",
  `CREATE TABLE inventory (
    status TEXT PRIMARY KEY,
    pets INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
]);

/** Triggers keep it up to date from then on, also for writes of a node with an older release. */
const COUNT_INVENTORY = [
  "INSERT INTO inventory (status, pets) VALUES ('available', 0), ('pending', 0), ('sold', 0)",
  "UPDATE inventory SET pets = (SELECT count(*) FROM pets WHERE pets.status = inventory.status)",
];

/** Adds up the changes of one statement by status; `changes` is a query over its transition tables. */
function countingTrigger(name: string, event: string, tables: string, changes: string): string[] {
  return [
    `CREATE FUNCTION count_${name}() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE inventory SET pets = pets + sums.change
        FROM (SELECT status, sum(change) AS change FROM (${changes}) AS changes GROUP BY status) AS sums
        WHERE inventory.status = sums.status AND sums.change <> 0;
        RETURN NULL;
      END
    $$`,
    `CREATE TRIGGER count_${name} AFTER ${event} ON pets REFERENCING ${tables}
      FOR EACH STATEMENT EXECUTE FUNCTION count_${name}()`,
  ];
}

export const adoptions: Migration = {
  version: 2,
  name: "adoptions",
  sqlite: [
    ...TABLES.sqlite,
    ...COUNT_INVENTORY,
    `CREATE TRIGGER count_added_pet AFTER INSERT ON pets BEGIN
      UPDATE inventory SET pets = pets + 1 WHERE status = new.status;
    END`,
    `CREATE TRIGGER count_deleted_pet AFTER DELETE ON pets BEGIN
      UPDATE inventory SET pets = pets - 1 WHERE status = old.status;
    END`,
    `CREATE TRIGGER count_moved_pet AFTER UPDATE OF status ON pets WHEN old.status <> new.status BEGIN
      UPDATE inventory SET pets = pets - 1 WHERE status = old.status;
      UPDATE inventory SET pets = pets + 1 WHERE status = new.status;
    END`,
  ],
  postgres: [
    ...TABLES.postgres,
    // No animal may be added or deleted between the count and the triggers.
    "LOCK TABLE pets IN SHARE ROW EXCLUSIVE MODE",
    ...COUNT_INVENTORY,
    // Once per statement: updating one row a thousand times in a transaction takes quadratic time.
    ...countingTrigger("added_pets", "INSERT", "NEW TABLE AS added", "SELECT status, 1 AS change FROM added"),
    ...countingTrigger(
      "deleted_pets",
      "DELETE",
      "OLD TABLE AS gone",
      "SELECT status, -1 AS change FROM gone",
    ),
    ...countingTrigger(
      "moved_pets",
      "UPDATE",
      "OLD TABLE AS before NEW TABLE AS after",
      "SELECT status, -1 AS change FROM before UNION ALL SELECT status, 1 FROM after",
    ),
  ],
};
