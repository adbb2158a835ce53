// The animals of the benchmarks: every store has the same rows.

export const PEER_ANIMALS_MAX = 10_000;

const BATCH = 100_000;

/** `i` counts from 1. The expression works on both engines. */
const COLUMNS = `'Animal ' || i, i % 100, CASE i % 4 WHEN 0 THEN 'pending' WHEN 1 THEN 'sold' ELSE 'available' END`;

/** Statements that insert `count` animals in batches. */
export function insertStatements(engine: "sqlite" | "postgres", count: number): string[] {
  return Array.from({ length: Math.ceil(count / BATCH) }, (_, k) => {
    const [first, last] = [k * BATCH + 1, Math.min((k + 1) * BATCH, count)];
    const numbers =
      engine === "postgres"
        ? `SELECT i FROM generate_series(${first}, ${last}) AS i`
        : `WITH RECURSIVE numbers (i) AS (SELECT ${first} UNION ALL SELECT i + 1 FROM numbers WHERE i < ${last}) SELECT i FROM numbers`;
    return `INSERT INTO pets (name, category_id, status) SELECT ${COLUMNS} FROM (${numbers}) AS n`;
  });
}

/** The same names and categories as texts of the search: `searchTextOf` in SQL. */
const TEXT = `'QQanimal ' || id || '
X' || CASE WHEN id % 100 < 10 THEN '' ELSE substr('ABCDEFGHIJ', CAST(id % 100 / 10 + 1 AS INTEGER), 1) END
  || substr('ABCDEFGHIJ', CAST(id % 10 + 1 AS INTEGER), 1) || 'X'`;

export const INSERT_TEXTS = `INSERT INTO pet_texts (pet_id, text) SELECT id, ${TEXT} FROM pets`;

/** For peers that store their data in a JSON file. */
export function listAnimals(count: number): object[] {
  const statuses = ["pending", "sold", "available", "available"];
  return Array.from({ length: count }, (_, k) => {
    const i = k + 1;
    return { id: i, name: `Animal ${i}`, categoryId: i % 100, status: statuses[i % 4] };
  });
}
